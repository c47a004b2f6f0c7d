// Every case that sections 5 and 7 of the interface document answer with 401.

import { DEFAULT_API_KEY, shortHash, startSandbox, type Sandbox } from '../../../sandbox/server';
import { send, sendTimes } from './rawClient';

const KEYS = {
	active: 'a1'.repeat(32),
	disabled: 'd1'.repeat(32),
	deleted: 'e1'.repeat(32),
	restricted: 'f1'.repeat(32),
	unknown: '01'.repeat(32),
};
const CONTACTS = 'GET /masterdata/getContacts';

describe('authentication', () => {
	let sandbox: Sandbox;

	beforeEach(async () => {
		sandbox = await startSandbox({
			apiKeys: {
				[KEYS.disabled]: { state: 'disabled' },
				[KEYS.active]: { state: 'active' },
				[KEYS.deleted]: { state: 'deleted' },
				[KEYS.restricted]: { state: 'active', deniedEndpoints: ['POST /txndata/sendTxn'] },
			},
		});
	});
	afterEach(() => sandbox.stop());

	it('accepts an active key in the header x-api-key and offers the first active one', async () => {
		expect(sandbox.apiKey).toBe(KEYS.active);
		expect((await send(sandbox, CONTACTS)).status).toBe(200);
		const otherCase = { headers: { 'X-Api-Key': KEYS.active }, key: null };
		expect((await send(sandbox, CONTACTS, otherCase)).status).toBe(200);
	});

	it.each([
		['missing', null, 'key missing'],
		['empty', '', 'key missing'],
		['unknown', KEYS.unknown, 'key wrong'],
		['in capitals', KEYS.active.toUpperCase(), 'key wrong'],
		['no key at all', 'constructor', 'key wrong'],
		['disabled', KEYS.disabled, 'key disabled'],
		['deleted', KEYS.deleted, 'key deleted'],
	])('answers 401 when the key is %s', async (_case, key, reason) => {
		const answer = await send(sandbox, CONTACTS, { key });
		expect(answer.status).toBe(401);
		expect(answer.text).toBe('{"message":"Unauthorized"}');
		expect(sandbox.journal.all()).toMatchObject([{ status: 401, reason, acted: false }]);
	});

	it.each([
		['authorization', `Bearer ${KEYS.active}`],
		['api-key', KEYS.active],
		['cookie', `apiKey=${KEYS.active}`],
	])('does not accept the key in the header %s', async (name, value) => {
		const answer = await send(sandbox, CONTACTS, { key: null, headers: { [name]: value } });
		expect(answer.status).toBe(401);
	});

	it('answers 401 when the header is sent twice', async () => {
		const headers = { 'x-api-key': [KEYS.active, KEYS.active] };
		expect((await send(sandbox, CONTACTS, { key: null, headers })).status).toBe(401);
	});

	it.each(['?apiKey=', `?apiKey=${KEYS.active}`, `?page=1&api%4Bey=${KEYS.active}`])(
		'answers 401 to the query parameter apiKey, with a good header too (%#)',
		async (query) => {
			expect((await send(sandbox, `${CONTACTS}${query}`)).status).toBe(401);
			expect((await send(sandbox, `${CONTACTS}${query}`, { key: null })).status).toBe(401);
			expect(JSON.stringify(sandbox.journal.all())).not.toContain(KEYS.active);
		},
	);

	it('answers 401 where the role of the key is not allowed, in every spelling of the path', async () => {
		const options = { key: KEYS.restricted, body: { total: 1 } };
		expect((await send(sandbox, 'POST /txndata/sendTxn', options)).status).toBe(401);
		expect((await send(sandbox, 'POST /TXNDATA//sendtxn/', options)).status).toBe(401);
		expect(sandbox.journal.documents()).toEqual([]);
		expect((await send(sandbox, 'POST /txndata/sendPayment', options)).status).toBe(200);
	});

	it('rejects a key from the moment it is disabled, and accepts a new one', async () => {
		sandbox.setKeyState(KEYS.active, 'disabled');
		expect((await send(sandbox, CONTACTS)).status).toBe(401);
		sandbox.setKeyState(KEYS.unknown, 'active');
		expect((await send(sandbox, CONTACTS, { key: KEYS.unknown })).status).toBe(200);
		sandbox.reset();
		expect((await send(sandbox, CONTACTS)).status).toBe(200);
		expect((await send(sandbox, CONTACTS, { key: KEYS.unknown })).status).toBe(401);
	});

	it('keeps the denied endpoints of a key whose state changes', async () => {
		sandbox.setKeyState(KEYS.restricted, 'disabled');
		sandbox.setKeyState(KEYS.restricted, 'active');
		const options = { key: KEYS.restricted, body: {} };
		expect((await send(sandbox, 'POST /txndata/sendTxn', options)).status).toBe(401);
	});

	it('asks for a key on unknown paths and on those for trying out', async () => {
		expect((await send(sandbox, 'GET /no/such/path', { key: null })).status).toBe(401);
		expect((await send(sandbox, 'GET /sandbox/text', { key: null })).status).toBe(401);
	});
});

describe('counting of unauthenticated requests', () => {
	let sandbox: Sandbox;

	beforeEach(async () => {
		sandbox = await startSandbox({
			limits: { general: [{ max: 2, windowSeconds: 600 }], endpoints: {} },
		});
	});
	afterEach(() => sandbox.stop());

	it('counts a 401 of a known key against that key', async () => {
		expect(await sendTimes(2, sandbox, `${CONTACTS}?apiKey=x`)).toEqual([401, 401]);
		expect((await send(sandbox, CONTACTS)).status).toBe(429);
	});

	it('counts a request without a known key nowhere', async () => {
		expect(await sendTimes(5, sandbox, CONTACTS, { key: null })).toEqual(Array(5).fill(401));
		expect(await sendTimes(5, sandbox, CONTACTS, { key: KEYS.unknown })).toEqual(
			Array(5).fill(401),
		);
		expect(await sendTimes(3, sandbox, CONTACTS)).toEqual([200, 200, 429]);
	});

	it('answers 401 rather than 429 to a rejected key that is over its limits', async () => {
		await sendTimes(3, sandbox, CONTACTS);
		sandbox.setKeyState(sandbox.apiKey, 'disabled');
		expect((await send(sandbox, CONTACTS)).status).toBe(401);
	});
});

describe('the default key', () => {
	it('has the documented form and reads as what it is', () => {
		expect(DEFAULT_API_KEY).toMatch(/^[0-9a-f]{64}$/);
		expect(Buffer.from(DEFAULT_API_KEY, 'hex').toString()).toContain('not a secret');
		expect(shortHash(DEFAULT_API_KEY)).toMatch(/^[0-9a-f]{8}$/);
	});

	it('has to be replaced by keys of the documented form, named in no error', async () => {
		const short = 'ab'.repeat(31);
		const start = startSandbox({ apiKeys: { [short]: { state: 'active' } } });
		await expect(start).rejects.toThrow('An API key is 64 hexadecimal characters');
		await expect(start).rejects.not.toThrow(short);
	});
});
