// What the journal keeps of a request, and what its lists leave out.

import { createHash } from 'node:crypto';
import { startSandbox, type Sandbox } from '../../../sandbox/server';
import { send, sendTimes } from './rawClient';

const CONTACTS = 'GET /masterdata/getContacts';
const SEND = 'POST /txndata/sendTxn';

let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await startSandbox();
});
afterEach(() => sandbox.stop());

it('keeps the whole request, without the key', async () => {
	const body = { customer: 'contact-1', total: 12.5 };
	await send(sandbox, `${SEND}?copy=1&tag=a&tag=b`, { body, headers: { 'x-note': 'hello' } });
	const [entry] = sandbox.journal.all();
	expect(entry).toMatchObject({
		sequence: 1,
		method: 'POST',
		path: '/txndata/sendTxn',
		endpoint: SEND,
		query: { copy: '1', tag: ['a', 'b'] },
		body,
		status: 200,
		acted: true,
		scripted: false,
		foreign: false,
	});
	const hash = createHash('sha256').update(sandbox.apiKey).digest('hex').slice(0, 8);
	expect(entry?.headers).toMatchObject({ 'x-api-key': hash, 'x-note': 'hello' });
	expect(entry?.atMs).toBeGreaterThan(0);
	expect(JSON.stringify(sandbox.journal.all())).not.toContain(sandbox.apiKey);
});

it('keeps text as text, and nothing where there is no body', async () => {
	await send(sandbox, 'POST /sandbox/echo', { body: 'no json {' });
	await send(sandbox, CONTACTS);
	const bodies = sandbox.journal.all().map(({ body }) => body);
	expect(bodies).toEqual(['no json {', undefined]);
});

it('keeps at most 1 MB of a body', async () => {
	const megabyte = 1024 * 1024;
	await send(sandbox, SEND, { body: { text: 'x'.repeat(megabyte) } });
	await send(sandbox, SEND, { body: { text: 'x'.repeat(megabyte - 100) } });
	const [large, fitting] = sandbox.journal.all().map(({ body }) => body);
	expect(large).toHaveLength(megabyte);
	expect(fitting).toEqual({ text: 'x'.repeat(megabyte - 100) });
});

it('numbers the requests in the order of counting', async () => {
	await Promise.all(Array.from({ length: 10 }, () => send(sandbox, CONTACTS)));
	const entries = sandbox.journal.all();
	expect(entries.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
	const moments = entries.map(({ atMs }) => atMs);
	expect(moments).toEqual([...moments].sort((one, other) => one - other));
});

it('lists the sent documents', async () => {
	await send(sandbox, SEND, { body: { number: 1 } });
	await send(sandbox, 'POST /txndata/sendTxnWP', { body: { number: 2 } });
	await send(sandbox, 'POST /txndata/sendPayment', { body: { number: 3 } });
	await send(sandbox, SEND, { body: '[]' });
	expect(sandbox.journal.documents()).toEqual([
		{ id: 'doc-1', endpoint: SEND, body: { number: 1 }, sequence: 1 },
		{ id: 'doc-2', endpoint: 'POST /txndata/sendTxnWP', body: { number: 2 }, sequence: 2 },
		{ id: 'doc-3', endpoint: 'POST /txndata/sendPayment', body: { number: 3 }, sequence: 3 },
	]);
});

it('lists what was answered and refused, and counts by endpoint', async () => {
	await sendTimes(5, sandbox, SEND, { body: {} });
	await send(sandbox, 'GET /no/such/path');
	await send(sandbox, 'DELETE /txndata/transactions/17');
	const { journal } = sandbox;
	expect(journal.answered().map(({ sequence }) => sequence)).toEqual([1, 2, 3, 7]);
	expect(journal.refused().map(({ sequence }) => sequence)).toEqual([4, 5]);
	expect(journal.count()).toBe(7);
	expect(journal.count('post /TXNDATA/sendTxn/')).toBe(5);
	expect(journal.count('GET /No/Such/Path')).toBe(1);
	expect(journal.count('DELETE /txndata/transactions/:id')).toBe(1);
	expect(journal.count(CONTACTS)).toBe(0);
	expect(() => journal.count('/txndata/sendTxn')).toThrow('METHOD /path');
});

it('gives lists that can be changed without changing the journal', async () => {
	await send(sandbox, CONTACTS);
	sandbox.journal.all().pop();
	expect(sandbox.journal.all()).toHaveLength(1);
});

it('is empty after a reset, along with windows, documents, faults and contacts', async () => {
	await sendTimes(4, sandbox, SEND, { body: {} });
	sandbox.fault({ times: Infinity, action: { type: 'status', status: 500 } });
	sandbox.contacts.remove('contact-1');
	sandbox.contacts.add();
	sandbox.reset();
	expect(sandbox.journal.all()).toEqual([]);
	expect(sandbox.journal.documents()).toEqual([]);
	expect(sandbox.contacts.list().map(({ id }) => id)).toEqual(
		Array.from({ length: 25 }, (_, index) => `contact-${index + 1}`),
	);
	expect(await sendTimes(4, sandbox, SEND, { body: {} })).toEqual([200, 200, 200, 429]);
	expect(sandbox.journal.all()[0]?.sequence).toBe(1);
});
