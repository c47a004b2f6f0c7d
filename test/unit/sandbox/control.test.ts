// The control endpoints below /_sandbox/, for other processes.

import { startSandbox, type JournalEntry, type Sandbox } from '../../../sandbox/server';
import { json, send, sendTimes } from './rawClient';
import { waitUntil } from '../../support/waitUntil';

const CONTACTS = 'GET /masterdata/getContacts';
const SEND = 'POST /txndata/sendTxn';
const noKey = { key: null };

let sandbox: Sandbox;
beforeEach(async () => {
	const limits = {
		general: [{ max: 10, windowSeconds: 1 }],
		endpoints: { [SEND]: { max: 3, windowSeconds: 600 } },
	};
	sandbox = await startSandbox({ limits });
});
afterEach(() => sandbox.stop());

it('gives the journal, whole or from an entry on', async () => {
	await sendTimes(3, sandbox, CONTACTS);
	const whole = json<JournalEntry[]>(await send(sandbox, 'GET /_sandbox/journal', noKey));
	expect(whole).toEqual(JSON.parse(JSON.stringify(sandbox.journal.all())));
	const rest = await send(sandbox, 'GET /_sandbox/journal?since=2', noKey);
	expect(json(rest)).toMatchObject([{ sequence: 3 }]);
});

it('gives a summary', async () => {
	await sendTimes(4, sandbox, SEND, { body: {} });
	await send(sandbox, CONTACTS, noKey);
	sandbox.consume(CONTACTS, 2);
	expect(json(await send(sandbox, 'GET /_sandbox/summary', noKey))).toEqual({
		requests: 5,
		refused: 1,
		documents: 3,
		foreign: 2,
		byEndpoint: { [SEND]: 4, [CONTACTS]: 1 },
		byStatus: { 200: 3, 401: 1, 429: 1 },
	});
});

it('is outside the limits and the journal', async () => {
	expect(await sendTimes(12, sandbox, 'GET /_sandbox/summary', noKey)).toEqual(Array(12).fill(200));
	expect(sandbox.journal.all()).toEqual([]);
	expect(await sendTimes(10, sandbox, CONTACTS)).toEqual(Array(10).fill(200));
});

it('adds and clears faults, also without end', async () => {
	const rule = { endpoint: CONTACTS, times: Infinity, action: { type: 'status', status: 503 } };
	// JSON turns Infinity into null.
	const added = await send(sandbox, 'POST /_sandbox/faults', { ...noKey, body: rule });
	expect([added.status, added.text]).toEqual([201, '{"rules":1}']);
	expect(await sendTimes(3, sandbox, CONTACTS)).toEqual([503, 503, 503]);
	const cleared = await send(sandbox, 'DELETE /_sandbox/faults', noKey);
	expect([cleared.status, cleared.text]).toEqual([200, '{"rules":0}']);
	expect((await send(sandbox, CONTACTS)).status).toBe(200);
});

it.each(['{"action":{"type":"explode"}}', '[]', 'no json', ''])(
	'turns away the malformed fault %j',
	async (body) => {
		const answer = await send(sandbox, 'POST /_sandbox/faults', { ...noKey, body });
		expect(answer.status).toBe(400);
		expect(json(answer)).toEqual({ message: expect.any(String) as string });
		expect((await send(sandbox, CONTACTS)).status).toBe(200);
	},
);

it('resets, and drops requests that are still unanswered', async () => {
	sandbox.fault({ action: { type: 'neverAnswer', act: false } });
	const unanswered = expect(send(sandbox, CONTACTS)).rejects.toMatchObject({ code: 'ECONNRESET' });
	await waitUntil(() => sandbox.journal.count() === 1);
	expect((await send(sandbox, 'POST /_sandbox/reset', noKey)).status).toBe(200);
	await unanswered;
	expect(sandbox.journal.all()).toEqual([]);
	expect((await send(sandbox, CONTACTS)).status).toBe(200);
});

it('changes contacts', async () => {
	const body = {
		add: [{ name: 'New' }, { id: 'own-id' }],
		update: [{ id: 'contact-2', city: 'Oslo' }],
		remove: ['contact-1', 'contact-3', 'nobody'],
	};
	const answer = await send(sandbox, 'POST /_sandbox/contacts', { ...noKey, body });
	expect(json(answer)).toMatchObject({
		added: [{ id: 'contact-26', name: 'New' }, { id: 'own-id' }],
		updated: [{ id: 'contact-2', city: 'Oslo' }],
		removed: 2,
		contacts: 25,
	});
	const contacts = sandbox.contacts.list();
	expect(contacts.find(({ id }) => id === 'contact-2')?.city).toBe('Oslo');
	expect(contacts.some(({ id }) => id === 'contact-1')).toBe(false);
});

it.each([
	[{ update: [{ id: 'nobody' }] }, 'There is no contact nobody'],
	[{ add: [{ id: 'contact-1' }] }, 'There is a contact contact-1 already'],
	[{ add: [{ colour: 'red' }] }, "add.0: Unrecognized key(s) in object: 'colour'"],
	[{ add: {} }, 'add: Expected array, received object'],
	['text', 'Expected object, received string'],
])('turns away the change %j', async (body, message) => {
	const answer = await send(sandbox, 'POST /_sandbox/contacts', { ...noKey, body });
	expect(answer.status).toBe(400);
	expect(answer.text).toContain(JSON.stringify(message).slice(1, -1));
});

it('knows no other control', async () => {
	expect((await send(sandbox, 'GET /_sandbox/other', noKey)).status).toBe(404);
	expect((await send(sandbox, 'GET /_sandbox/reset', noKey)).status).toBe(404);
});
