// Which requests the sandbox serves, by key, limits and path (sections 5, 7 and 8), and what its journal keeps.

import { DEFAULT_API_KEY, shortHash, startSandbox } from '../../../sandbox/server';
import { useSandbox } from './useSandbox';
import { send, sendTimes } from './rawClient';

const KEYS = {
	disabled: 'd1'.repeat(32),
	active: 'a1'.repeat(32),
	deleted: 'e1'.repeat(32),
	restricted: 'f1'.repeat(32),
	unknown: '01'.repeat(32),
};
const CONTACTS = 'GET /masterdata/getContacts';
const SEND = 'POST /txndata/sendTxn';
const limited = (max: number) => ({
	general: [{ max, windowSeconds: 600 }],
	endpoints: { [SEND]: { max: 3, windowSeconds: 600 } },
});

describe('a key', () => {
	const apiKeys = {
		[KEYS.disabled]: { state: 'disabled' as const },
		[KEYS.active]: { state: 'active' as const },
		[KEYS.deleted]: { state: 'deleted' as const },
		[KEYS.restricted]: { state: 'active' as const, deniedEndpoints: [SEND] },
	};
	const sandbox = useSandbox({ apiKeys, limits: limited(6) });

	test.each<[string, { key?: string | null; headers?: object; query?: string }, string]>([
		['missing', { key: null }, 'key missing'],
		['empty', { key: '' }, 'key missing'],
		['unknown', { key: KEYS.unknown }, 'key wrong'],
		['in capitals', { key: KEYS.active.toUpperCase() }, 'key wrong'],
		['no key at all', { key: 'constructor' }, 'key wrong'],
		['disabled', { key: KEYS.disabled }, 'key disabled'],
		['deleted', { key: KEYS.deleted }, 'key deleted'],
		['sent twice', { headers: { 'x-api-key': [KEYS.active, KEYS.active] } }, 'key wrong'],
		['in another header', { key: null, headers: { 'api-key': KEYS.restricted } }, 'key missing'],
		['in the query', { query: `?apiKey=${KEYS.active}` }, 'key in the query'],
		['in the query, encoded', { query: `?api%4Bey=${KEYS.active}` }, 'key in the query'],
	])('that is %s gets a 401 that says no more', async (_, { query = '', ...options }, reason) => {
		const response = await send(sandbox(), `${CONTACTS}${query}`, options as object);
		expect([response.status, response.text]).toEqual([401, '{"message":"Unauthorized"}']);
		expect(sandbox().journal.all()).toMatchObject([{ status: 401, reason, acted: false }]);
		expect(JSON.stringify(sandbox().journal.all())).not.toContain(KEYS.active);
	});

	test('is offered, may be disabled at any time, and counts its own 401', async () => {
		expect(sandbox().apiKey).toBe(KEYS.active);
		expect(await sendTimes(2, sandbox(), CONTACTS)).toEqual([200, 200]);
		sandbox().setKeyState(KEYS.active, 'disabled');
		expect(await sendTimes(3, sandbox(), CONTACTS)).toEqual([401, 401, 401]);
		expect(await sendTimes(5, sandbox(), CONTACTS, { key: null })).toEqual(Array(5).fill(401));
		sandbox().setKeyState(KEYS.active, 'active');
		expect(await sendTimes(2, sandbox(), CONTACTS)).toEqual([200, 429]);
		sandbox().setKeyState(KEYS.active, 'deleted');
		expect(await sendTimes(1, sandbox(), CONTACTS)).toEqual([401]);
		sandbox().reset();
		expect(await sendTimes(1, sandbox(), CONTACTS)).toEqual([200]);
	});

	test('whose role is not allowed is refused in every spelling of the path, also after a change', async () => {
		const options = { key: KEYS.restricted, body: { total: 1 } };
		expect((await send(sandbox(), SEND, options)).status).toBe(401);
		sandbox().setKeyState(KEYS.restricted, 'disabled');
		sandbox().setKeyState(KEYS.restricted, 'active');
		expect((await send(sandbox(), 'POST /TXNDATA//sendtxn/', options)).status).toBe(401);
		expect(sandbox().journal.documents()).toEqual([]);
		expect((await send(sandbox(), 'POST /txndata/sendPayment', options)).status).toBe(200);
	});
});

test('the default key has the documented form, which others must have, and reads as what it is', async () => {
	expect(DEFAULT_API_KEY).toMatch(/^[0-9a-f]{64}$/);
	expect(Buffer.from(DEFAULT_API_KEY, 'hex').toString()).toContain('not a secret');
	const short = 'ab'.repeat(31);
	const start = startSandbox({ apiKeys: { [short]: { state: 'active' } } });
	await expect(start).rejects.toThrow('An API key is 64 hexadecimal characters');
	await expect(start).rejects.not.toThrow(short);
});

describe('a request above a limit', () => {
	test.each([
		['none', 600, undefined],
		['seconds', 600, '600'],
		// At least one second, and never less than the wait.
		['seconds', 1.5, '2'],
		['date', 600, expect.stringMatching(/^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/)],
	] as const)('is told %s of %d s', async (retryAfter, windowSeconds, expected) => {
		const limits = { general: [{ max: 1, windowSeconds }], endpoints: {} };
		const sandbox = await startSandbox({ limits, retryAfter });
		await send(sandbox, CONTACTS);
		const { status, text, headers } = await send(sandbox, CONTACTS);
		expect([status, text]).toEqual([429, '{"message":"Too many requests"}']);
		expect(headers['retry-after']).toEqual(expected);
		if (retryAfter === 'date') {
			const waitMs = Date.parse(headers['retry-after'] ?? '') - Date.now();
			expect(Math.abs(waitMs - windowSeconds * 1000)).toBeLessThan(2_000);
		}
		await sandbox.stop();
	});

	test('stands in the journal with the limit, and does nothing', async () => {
		const sandbox = await startSandbox({ limits: limited(100) });
		expect(await sendTimes(4, sandbox, SEND, { body: {} })).toEqual([200, 200, 200, 429]);
		const reason = `${SEND}/600s`;
		expect(sandbox.journal.refused()).toMatchObject([
			{ sequence: 4, reason, acted: false, scripted: false },
		]);
		expect(sandbox.journal.documents()).toHaveLength(3);
		await sandbox.stop();
	});
});

describe('a path', () => {
	const sandbox = useSandbox({ limits: limited(8) });

	test.each([
		'POST /TXNDATA/SendTXN',
		'POST //txndata///sendTxn',
		'POST /txndata/sendTxn/',
		'POST /txndata/send%54xn',
		'POST /txndata%2FsendTxn',
		'POST /masterdata/../txndata/./sendTxn',
		'POST /masterdata/%2e%2e/txndata/sendTxn',
		'POST /../txndata/sendTxn?copy=1',
		'POST http://elsewhere.example/txndata/sendTxn',
	])('written as %s is served and counted as the endpoint', async (variant) => {
		expect(await sendTimes(4, sandbox(), variant, { body: {} })).toEqual([200, 200, 200, 429]);
		expect((await send(sandbox(), SEND, { body: {} })).status).toBe(429);
		expect(sandbox().journal.count(SEND)).toBe(5);
		const [, rawPath = ''] = variant.split(' ');
		const path = rawPath.replace('?copy=1', '');
		expect(sandbox().journal.all()[0]).toMatchObject({ endpoint: SEND, path });
	});

	test('of another endpoint, or of none, counts against the general limits alone', async () => {
		expect(await sendTimes(4, sandbox(), 'GET /txndata/sendTxn')).toEqual(Array(4).fill(405));
		expect(await sendTimes(3, sandbox(), 'GET /no/such/path')).toEqual(Array(3).fill(404));
		expect((await send(sandbox(), SEND, { body: {} })).status).toBe(200);
		expect((await send(sandbox(), 'GET /no/such/path')).status).toBe(429);
	});
});

describe('the journal', () => {
	const sandbox = useSandbox({ limits: limited(100) });

	test('keeps the whole request in order, at most 1 MB of its body, and not the key', async () => {
		const body = { customer: 'contact-1', total: 12.5 };
		await send(sandbox(), `${SEND}?copy=1&tag=a&tag=b`, { body, headers: { 'x-note': 'hello' } });
		await send(sandbox(), 'POST /sandbox/echo', { body: 'no json {' });
		await send(sandbox(), 'POST /sandbox/echo', { body: 'x'.repeat(2 ** 20 + 1) });
		const [entry, text, large] = sandbox().journal.all();
		expect(entry).toMatchObject({
			...{ sequence: 1, method: 'POST', path: '/txndata/sendTxn', endpoint: SEND, body },
			...{ query: { copy: '1', tag: ['a', 'b'] }, status: 200, acted: true },
			...{ scripted: false, foreign: false },
			headers: { 'x-api-key': shortHash(sandbox().apiKey), 'x-note': 'hello' },
		});
		expect([text?.body, (large?.body as string).length]).toEqual(['no json {', 2 ** 20]);
		expect(text?.atMs).toBeGreaterThan(entry?.atMs ?? Infinity);
		expect(JSON.stringify(sandbox().journal.all())).not.toContain(sandbox().apiKey);
	});

	test('lists and counts what was sent, answered and refused, and what others did apart', async () => {
		const { journal } = sandbox();
		sandbox().consume('POST /txndata/SENDTXN', 2);
		await sendTimes(2, sandbox(), SEND, { body: { number: 1 } });
		await send(sandbox(), 'POST /txndata/sendTxnWP', { body: { number: 2 } });
		await send(sandbox(), 'GET /no/such/path');
		sandbox().consume(SEND, 1);
		expect(journal.documents()).toEqual([
			{ id: 'doc-1', endpoint: SEND, body: { number: 1 }, sequence: 3 },
			{ id: 'doc-2', endpoint: 'POST /txndata/sendTxnWP', body: { number: 2 }, sequence: 5 },
		]);
		expect(journal.all().map(({ status }) => status)).toEqual([200, 200, 200, 429, 200, 404, 429]);
		expect(journal.responded().map(({ sequence }) => sequence)).toEqual([3, 5]);
		expect(journal.refused().map(({ sequence }) => sequence)).toEqual([4]);
		expect([journal.count(), journal.count('post /TXNDATA/sendTxn/')]).toEqual([4, 2]);
		expect(() => journal.count('/txndata/sendTxn')).toThrow('METHOD /path');
		expect(journal.summary()).toMatchObject({ requests: 4, refused: 1, documents: 2, foreign: 3 });
	});
});
