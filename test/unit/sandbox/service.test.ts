// What the sandbox makes up where the interface document shows nothing, its remote control, and its start and end.

import { connect } from 'node:net';
import { readCommandLine } from '../../../sandbox/commandLine';
import {
	type Contact,
	type JournalEntry,
	startSandbox,
	type SandboxOptions,
} from '../../../sandbox/server';
import { after, useLogicalTime } from '../../support/logicalTime';
import { waitUntil } from '../../support/waitUntil';
import { json, send, sendTimes } from './rawClient';
import { useSandbox } from './useSandbox';

const CONTACTS = 'GET /masterdata/getContacts';
const SEND = 'POST /txndata/sendTxn';
useLogicalTime();
const sandbox = useSandbox({ limits: { general: [], endpoints: {} } });

const get = (pathAndQuery: string) => send(sandbox(), `GET ${pathAndQuery}`);
const range = (first: number, last: number) =>
	Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe('a list', () => {
	interface Page {
		contacts: Contact[];
		nextCursor?: string;
	}
	const page = async (query: string) => json<Page>(await get(`/masterdata/getContacts?${query}`));
	const numbers = ({ contacts }: Page) =>
		contacts.map(({ id }) => Number(id.replace('contact-', '')));

	test('comes all at once, in three shapes', async () => {
		const contacts = sandbox().contacts.list();
		expect(contacts).toHaveLength(25);
		expect(json(await get('/masterdata/getContacts'))).toEqual({ contacts });
		expect(json(await get('/masterdata/getContacts?shape=array'))).toEqual(contacts);
		const nested = { data: { items: contacts } };
		expect(json(await get('/masterdata/getContacts?shape=nested'))).toEqual(nested);
		const payments = sandbox().payments.list();
		expect(json(await get('/txndata/getPayments?offset=10&limit=5'))).toEqual({
			payments: payments.slice(10),
		});
	});

	test.each([
		['page=1&pageSize=10', range(1, 10)],
		['page=3&pageSize=10', range(21, 25)],
		['page=4&pageSize=10', []],
		['page=2', range(11, 20)],
		['pageSize=3', range(1, 3)],
		['offset=20&limit=10', range(21, 25)],
		['offset=25&limit=10', []],
	])('comes in parts by %s', async (query, expected) => {
		const part = await page(query);
		expect(numbers(part)).toEqual(expected);
		expect(part).not.toHaveProperty('nextCursor');
	});

	test.each([10, 25, 5])('comes by cursor, %i at a time', async (limit) => {
		const parts: Page[] = [];
		for (let cursor: string | undefined = ''; cursor !== undefined;) {
			const part: Page = await page(`limit=${limit}${cursor && `&cursor=${cursor}`}`);
			parts.push(part);
			cursor = part.nextCursor;
		}
		expect(parts.flatMap(numbers)).toEqual(range(1, 25));
		expect(parts).toHaveLength(Math.ceil(25 / limit));
	});

	test.each(['page=0', 'page=x', 'limit=0', 'offset=1.5', 'cursor=nonsense', 'page=1&page=2'])(
		'cannot be read with %s',
		async (query) => expect((await get(`/masterdata/getContacts?${query}`)).status).toBe(400),
	);

	test('can be changed by a test, and comes back with a reset', async () => {
		const { contacts, payments } = sandbox();
		const added = contacts.add({ name: 'New' });
		const changed = contacts.update('contact-1', { city: 'Oslo' });
		expect(changed.updatedAt > added.updatedAt).toBe(true);
		expect(contacts.remove(['contact-2', 'nobody'])).toBe(1);
		payments.remove('payment-2');
		// What is listed is a copy.
		for (const contact of contacts.list()) contact.city = 'Nowhere';
		const shown = json<Page>(await get('/masterdata/getContacts')).contacts;
		expect([shown[0], shown.at(-1), shown.length]).toEqual([changed, added, 25]);
		sandbox().reset();
		expect(numbers({ contacts: sandbox().contacts.list() })).toEqual(range(1, 25));
		expect(sandbox().payments.list()).toHaveLength(12);
	});
});

test.each(['sendTxn', 'sendPayment', 'sendTxnWP'])('%s needs a JSON object', async (name) => {
	for (const body of ['', 'no json', '[]', '"text"', 'null']) {
		expect((await send(sandbox(), `POST /txndata/${name}`, { body })).status).toBe(400);
	}
	expect(sandbox().journal.documents()).toEqual([]);
	const response = await send(sandbox(), `POST /txndata/${name}`, { body: {} });
	expect(json(response)).toEqual({ id: 'doc-1', status: 'sent' });
});

test.each([
	['POST /txndata/bulkDeleteTxn', 3, 0],
	['DELETE /txndata/bulkDeleteTxn', 3, 0],
	['POST /masterdata/deleteContacts', 2, 2],
	['DELETE /masterdata/deleteContacts', 2, 2],
])('%s deletes what has the ids', async (endpoint, deleted, contactsGone) => {
	for (const ids of [undefined, [], 'contact-1', [''], [null]]) {
		expect((await send(sandbox(), endpoint, { body: { ids } })).status).toBe(400);
	}
	const body = { ids: ['contact-1', 'contact-2', 'nobody'] };
	expect(json(await send(sandbox(), endpoint, { body }))).toEqual({ deleted });
	expect(sandbox().contacts.list()).toHaveLength(25 - contactsGone);
});

test.each([
	['DELETE /txndata/transactions/17', 200, 'application/json; charset=utf-8', '{"deleted":1}'],
	['GET /masterdata/getContact', 404, 'application/json; charset=utf-8', '{"message":"Not found"}'],
	['GET /sandbox/text', 200, 'text/plain; charset=utf-8', 'Plain text of the sandbox'],
	['GET /sandbox/html', 200, 'text/html; charset=utf-8', expect.stringContaining('<title>Log in')],
	['GET /sandbox/file', 200, 'application/pdf', expect.stringMatching(/^%PDF-.*\ufffd/s)],
	['GET /sandbox/empty', 200, undefined, ''],
	['GET /sandbox/no-content', 204, undefined, ''],
	['GET /sandbox/huge?megabytes=0', 400, 'application/json; charset=utf-8', expect.anything()],
])('%s gives %d', async (endpoint, status, type, text: unknown) => {
	const response = await send(sandbox(), endpoint);
	expect([response.status, response.text]).toEqual([status, text]);
	if (type !== undefined) expect(response.headers['content-type']).toBe(type);
});

test('another method is not allowed, and an echo has no key', async () => {
	const wrongMethod = await send(sandbox(), 'PUT /masterdata/deleteContacts');
	expect([wrongMethod.status, wrongMethod.headers.allow]).toEqual([405, 'POST, DELETE']);
	const headers = { 'x-note': 'hello' };
	const echo = await send(sandbox(), 'POST /sandbox/echo?a=1', { headers, body: { b: 2 } });
	expect(json(echo)).toMatchObject({ query: { a: '1' }, headers, body: { b: 2 } });
	expect(echo.text).not.toMatch(new RegExp(`x-api-key|${sandbox().apiKey}`));
	expect(json<string>(await get('/sandbox/huge?megabytes=3'))).toHaveLength(3 * 2 ** 20);
});

describe('remote control', () => {
	const control = (endpoint: string, body?: unknown) =>
		send(sandbox(), endpoint.replace(' ', ' /_sandbox/'), { key: null, body });

	test('gives the journal and a summary, and stands in neither', async () => {
		await sendTimes(3, sandbox(), SEND, { body: {} });
		const { journal } = sandbox();
		const whole = json<JournalEntry[]>(await control('GET journal'));
		expect(whole).toEqual(JSON.parse(JSON.stringify(journal.all())));
		expect(json(await control('GET journal?since=2'))).toMatchObject([{ sequence: 3 }]);
		expect(json(await control('GET summary'))).toEqual(journal.summary());
		expect(journal.count()).toBe(3);
	});

	test('sets and clears faults, also without end, and resets what is unanswered', async () => {
		// JSON turns Infinity into null.
		const action = { type: 'status', status: 503 };
		const rule = { endpoint: CONTACTS, times: Infinity, action };
		expect((await control('POST faults', rule)).text).toBe('{"rules":1}');
		expect(await sendTimes(3, sandbox(), CONTACTS)).toEqual([503, 503, 503]);
		expect((await control('DELETE faults')).text).toBe('{"rules":0}');
		sandbox().fault({ action: { type: 'neverAnswer', act: false } });
		const unanswered = expect(get('/')).rejects.toMatchObject({ code: 'ECONNRESET' });
		await waitUntil(() => sandbox().journal.count() === 4);
		expect((await control('POST reset')).status).toBe(200);
		await unanswered;
		expect(sandbox().journal.all()).toEqual([]);
	});

	test('changes contacts', async () => {
		const body = {
			add: [{ name: 'New' }, { id: 'own-id' }],
			update: [{ id: 'contact-2', city: 'Oslo' }],
			remove: ['contact-1', 'contact-3', 'nobody'],
		};
		expect(json(await control('POST contacts', body))).toMatchObject({
			added: [{ id: 'contact-26', name: 'New' }, { id: 'own-id' }],
			updated: [{ id: 'contact-2', city: 'Oslo' }],
			...{ removed: 2, contacts: 25 },
		});
	});

	test.each<[string, unknown, number, string]>([
		['POST contacts', { update: [{ id: 'nobody' }] }, 400, 'There is no contact nobody'],
		['POST contacts', { add: [{ id: 'contact-1' }] }, 400, 'There is a contact contact-1 already'],
		['POST contacts', { add: [{ colour: 'red' }] }, 400, 'add.0: Unrecognized key(s)'],
		['POST faults', '{"action":{"type":"explode"}}', 400, 'action.type'],
		['POST faults', 'no json', 400, 'Expected object'],
		['GET other', undefined, 404, 'no such control'],
		['GET reset', undefined, 404, 'no such control'],
	])('turns %s %j away', async (endpoint, body, status, message) => {
		const response = await control(endpoint, body);
		expect(response).toMatchObject({ status, text: expect.stringContaining(message) as string });
	});
});

describe('a start', () => {
	test.each<[SandboxOptions, string]>([
		[{ port: 70_000 }, 'port'],
		[{ windowMode: 'rolling' as 'sliding' }, 'windowMode'],
		[{ timeScale: 0 }, 'timeScale'],
		[{ contactCount: -1 }, 'contactCount'],
		[{ latency: { minMs: 5, maxMs: 1 } }, 'latency'],
		[{ retryAfter: 'hours' as 'date' }, 'retryAfter'],
		[{ apiKeys: {} }, 'apiKeys'],
		[{ limits: { general: [{ max: 0, windowSeconds: 1 }], endpoints: {} } }, 'general limit: max'],
		[
			{ limits: { general: [], endpoints: { sendTxn: { max: 1, windowSeconds: 1 } } } },
			'METHOD /path',
		],
	])('is refused with %j', async (options, message) => {
		await expect(startSandbox(options)).rejects.toThrow(message);
	});

	test('is on the loopback address, on the port it was given or on a free one', async () => {
		expect(sandbox().baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
		const port = Number(new URL(sandbox().baseUrl).port);
		await expect(startSandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
		await sandbox().stop();
		const again = await startSandbox({ port });
		expect(again.baseUrl).toBe(sandbox().baseUrl);
		await again.stop();
	});

	test('reads the command line, and turns away what it does not know', () => {
		const line =
			'--port 4010 --window-mode fixed --time-scale 0.05 --contacts 50 --retry-after date --minimum-latency 5';
		expect(readCommandLine(line.split(' '))).toEqual({
			...{ port: 4010, windowMode: 'fixed', timeScale: 0.05, contactCount: 50 },
			...{ retryAfter: 'date', latency: { minMs: 5, maxMs: 5 } },
		});
		expect(readCommandLine(['--help'])).toBe('help');
		expect(() => readCommandLine(['--speed', '1'])).toThrow('--speed');
		expect(() => readCommandLine(['--port', 'four'])).toThrow('--port must be a number');
	});
});

test('a stop ends what is under way, and connections that say nothing', async () => {
	const slow = await startSandbox({ latency: { minMs: 3_600_000, maxMs: 3_600_000 } });
	const { hostname, port } = new URL(sandbox().baseUrl);
	const silent = connect(Number(port), hostname);
	const closed = new Promise((resolve) => silent.once('close', resolve));
	await new Promise((resolve) => silent.once('connect', resolve));
	sandbox().fault({ action: { type: 'neverAnswer', act: true } });
	sandbox().fault({ action: { type: 'trickle', bytes: 1, everyMs: 60_000 } });
	const responses = [send(slow, CONTACTS), ...[1, 2].map(() => send(sandbox(), CONTACTS))];
	const settled = Promise.allSettled(responses);
	await waitUntil(() => sandbox().journal.count() === 2);
	await Promise.all([slow.stop(), sandbox().stop(), closed]);
	expect((await settled).map(({ status }) => status)).toEqual(Array(3).fill('rejected'));
	await expect(send(sandbox(), CONTACTS)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('a connection that ends before its request is complete counts nowhere', async () => {
	const { hostname, port } = new URL(sandbox().baseUrl);
	const socket = connect(Number(port), hostname);
	const closed = new Promise((resolve) => socket.once('close', resolve));
	socket.resume();
	socket.write(`POST /txndata/sendTxn HTTP/1.1\r\nhost: x\r\nx-api-key: ${sandbox().apiKey}\r\n`);
	socket.end('content-length: 100\r\n\r\n{"half":');
	await closed;
	expect((await send(sandbox(), CONTACTS)).status).toBe(200);
	expect(sandbox().journal.all()).toMatchObject([{ endpoint: CONTACTS }]);
});

test('latency lies before the counting as well as after it, also of what is given up', async () => {
	const slow = await startSandbox({ latency: { minMs: 80, maxMs: 80 } });
	const startedAt = performance.now();
	const given = send(slow, SEND, { body: {}, signal: AbortSignal.timeout(20) });
	const waiting = send(slow, SEND, { body: {} });
	await after(10);
	// A request of someone else is counted at once, before those that are under way.
	slow.consume(CONTACTS, 1);
	await expect(given).rejects.toThrow();
	expect(slow.journal.count()).toBe(0);
	await waiting;
	expect(performance.now() - startedAt).toBeGreaterThanOrEqual(80);
	expect(slow.journal.all().map(({ foreign }) => foreign)).toEqual([true, false, false]);
	expect(slow.journal.documents()).toHaveLength(2);
	await slow.stop();
});
