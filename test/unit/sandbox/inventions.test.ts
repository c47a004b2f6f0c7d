// What the sandbox makes up where the interface document shows nothing.

import { startSandbox, type Contact, type Payment, type Sandbox } from '../../../sandbox/server';
import { json, send, type RawAnswer } from './rawClient';

let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await startSandbox({ limits: { general: [], endpoints: {} } });
});
afterEach(() => sandbox.stop());

const get = (pathAndQuery: string): Promise<RawAnswer> => send(sandbox, `GET ${pathAndQuery}`);

interface ContactPage {
	contacts: Contact[];
	nextCursor?: string;
}

async function page(query: string): Promise<ContactPage> {
	return await json(await get(`/masterdata/getContacts?${query}`));
}

const numbers = ({ contacts }: ContactPage): number[] =>
	contacts.map(({ id }) => Number(id.replace('contact-', '')));
const range = (first: number, last: number): number[] =>
	Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe('contacts', () => {
	it('are answered all at once in three shapes', async () => {
		const contacts = sandbox.contacts.list();
		expect(contacts).toHaveLength(25);
		expect(contacts[0]).toEqual({
			id: 'contact-1',
			name: 'Contact 1',
			email: 'contact-1@example.com',
			city: 'Berlin',
			updatedAt: '2025-01-01T00:01:00.000Z',
		});
		expect(json(await get('/masterdata/getContacts'))).toEqual({ contacts });
		expect(json(await get('/masterdata/getContacts?shape=array'))).toEqual(contacts);
		expect(json(await get('/masterdata/getContacts?shape=nested'))).toEqual({
			data: { items: contacts },
		});
	});

	it('can be read by page number', async () => {
		expect(numbers(await page('page=1&pageSize=10'))).toEqual(range(1, 10));
		expect(numbers(await page('page=3&pageSize=10'))).toEqual(range(21, 25));
		expect(numbers(await page('page=4&pageSize=10'))).toEqual([]);
		expect(numbers(await page('page=2'))).toEqual(range(11, 20));
		expect(numbers(await page('pageSize=3'))).toEqual(range(1, 3));
	});

	it('can be read by offset', async () => {
		expect(numbers(await page('offset=0&limit=10'))).toEqual(range(1, 10));
		expect(numbers(await page('offset=20&limit=10'))).toEqual(range(21, 25));
		expect(numbers(await page('offset=25&limit=10'))).toEqual([]);
		expect(await page('offset=0&limit=10')).not.toHaveProperty('nextCursor');
	});

	it.each([10, 25, 5])('can be read by cursor, %i at a time', async (limit) => {
		const read: number[] = [];
		let cursor: string | undefined = '';
		let requests = 0;
		while (cursor !== undefined) {
			const part: ContactPage = await page(`limit=${limit}${cursor && `&cursor=${cursor}`}`);
			read.push(...numbers(part));
			cursor = part.nextCursor;
			requests += 1;
		}
		expect(read).toEqual(range(1, 25));
		expect(requests).toBe(Math.ceil(25 / limit));
	});

	it.each([
		'page=0',
		'page=x',
		'pageSize=-1',
		'limit=0',
		'offset=1.5',
		'cursor=nonsense',
		'page=1&page=2',
	])('cannot be read with %s', async (query) => {
		expect((await get(`/masterdata/getContacts?${query}`)).status).toBe(400);
	});

	it('can be changed by a test, and what is listed is a copy', async () => {
		const { contacts } = sandbox;
		const added = contacts.add({ name: 'New' });
		const changed = contacts.update('contact-1', { city: 'Oslo' });
		expect(changed.updatedAt > added.updatedAt).toBe(true);
		expect(contacts.remove(['contact-2', 'nobody'])).toBe(1);
		for (const contact of contacts.list()) contact.city = 'Nowhere';
		const answered = json<ContactPage>(await get('/masterdata/getContacts')).contacts;
		expect(answered[0]).toEqual(changed);
		expect(answered.at(-1)).toEqual(added);
		expect(answered).toHaveLength(25);
	});
});

describe('payments', () => {
	it('are answered like contacts, all at once or in parts', async () => {
		const payments = sandbox.payments.list();
		expect(payments).toHaveLength(12);
		expect(payments[0]).toEqual({
			id: 'payment-1',
			contactId: 'contact-1',
			amount: 10,
			status: 'open',
			updatedAt: '2025-01-01T00:01:00.000Z',
		});
		expect(json(await get('/txndata/getPayments'))).toEqual({ payments });
		const part = await get('/txndata/getPayments?offset=10&limit=5');
		expect(json(part)).toEqual({ payments: payments.slice(10) });
	});

	it('can be changed by a test, and come back with a reset', async () => {
		sandbox.payments.update('payment-1', { status: 'paid' });
		sandbox.payments.remove('payment-2');
		sandbox.payments.add({ amount: 5 });
		const { payments } = json<{ payments: Payment[] }>(await get('/txndata/getPayments'));
		expect(payments[0]).toMatchObject({ id: 'payment-1', status: 'paid' });
		expect(payments.at(-1)).toMatchObject({ id: 'payment-13', amount: 5 });
		sandbox.reset();
		expect(sandbox.payments.list()).toHaveLength(12);
	});
});

describe('sending', () => {
	it.each(['sendTxn', 'sendPayment', 'sendTxnWP'])('%s needs a JSON object', async (name) => {
		for (const body of ['', 'no json', '[]', '"text"', 'null']) {
			expect((await send(sandbox, `POST /txndata/${name}`, { body })).status).toBe(400);
		}
		expect(sandbox.journal.documents()).toEqual([]);
		const answer = await send(sandbox, `POST /txndata/${name}`, { body: {} });
		expect(json(answer)).toEqual({ id: 'doc-1', status: 'sent' });
	});
});

describe('deleting', () => {
	const forms = ['POST /txndata/bulkDeleteTxn', 'DELETE /txndata/bulkDeleteTxn'];
	const contactForms = ['POST /masterdata/deleteContacts', 'DELETE /masterdata/deleteContacts'];

	it.each([...forms, ...contactForms])('%s needs ids', async (endpoint) => {
		for (const body of [
			'',
			{},
			{ ids: [] },
			{ ids: 'contact-1' },
			{ ids: [''] },
			{ ids: [null] },
		]) {
			expect((await send(sandbox, endpoint, { body })).status).toBe(400);
		}
		expect(sandbox.contacts.list()).toHaveLength(25);
	});

	it.each(forms)('%s says how many transactions it deleted', async (endpoint) => {
		const answer = await send(sandbox, endpoint, { body: { ids: ['one', 2] } });
		expect(json(answer)).toEqual({ deleted: 2 });
	});

	it.each(contactForms)('%s removes contacts', async (endpoint) => {
		const body = { ids: ['contact-1', 'contact-2', 'nobody'] };
		expect(json(await send(sandbox, endpoint, { body }))).toEqual({ deleted: 2 });
		expect(sandbox.contacts.list()[0]?.id).toBe('contact-3');
	});

	it('deletes a single transaction', async () => {
		const answer = await send(sandbox, 'DELETE /txndata/transactions/17');
		expect(json(answer)).toEqual({ deleted: 1 });
	});
});

describe('other paths', () => {
	it('are not found, and other methods are not allowed', async () => {
		const unknown = await get('/masterdata/getContact');
		expect([unknown.status, unknown.text]).toEqual([404, '{"message":"Not found"}']);
		expect((await send(sandbox, 'POST /nothing', { body: {} })).status).toBe(404);
		const wrongMethod = await send(sandbox, 'PUT /masterdata/deleteContacts');
		expect([wrongMethod.status, wrongMethod.headers.allow]).toEqual([405, 'POST, DELETE']);
	});

	it('answer in many ways', async () => {
		const text = await get('/sandbox/text');
		expect([text.headers['content-type'], text.text]).toEqual([
			'text/plain; charset=utf-8',
			'Plain text of the sandbox',
		]);
		const html = await get('/sandbox/html');
		expect(html.headers['content-type']).toBe('text/html; charset=utf-8');
		expect(html.text).toContain('<title>Log in</title>');
		const empty = await get('/sandbox/empty');
		expect([empty.status, empty.text]).toEqual([200, '']);
		const noContent = await get('/sandbox/no-content');
		expect([noContent.status, noContent.text]).toEqual([204, '']);
		expect(json(await get('/sandbox/array'))).toHaveLength(3);
	});

	it('answer with a file whose bytes are no text', async () => {
		const file = await get('/sandbox/file');
		expect(file.headers['content-type']).toBe('application/pdf');
		expect(file.headers['content-disposition']).toBe('attachment; filename="sandbox.pdf"');
		expect(file.bytes.subarray(0, 5).toString()).toBe('%PDF-');
		expect(Buffer.from(file.text).equals(file.bytes)).toBe(false);
	});

	it('echo the request without the key', async () => {
		const headers = { 'x-note': 'hello' };
		const answer = await send(sandbox, 'POST /sandbox/echo?a=1', { headers, body: { b: 2 } });
		expect(json(answer)).toMatchObject({
			method: 'POST',
			path: '/sandbox/echo',
			query: { a: '1' },
			headers,
			body: { b: 2 },
		});
		expect(answer.text).not.toContain('x-api-key');
		expect(answer.text).not.toContain(sandbox.apiKey);
	});

	it('answer with as many megabytes as asked for', async () => {
		expect(json<string>(await get('/sandbox/huge?megabytes=3'))).toHaveLength(3 * 1024 * 1024);
		expect((await get('/sandbox/huge?megabytes=0')).status).toBe(400);
		expect((await get('/sandbox/huge?megabytes=1e9')).status).toBe(400);
	});
});
