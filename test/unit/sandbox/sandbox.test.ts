// The sandbox judges the node in other tests: which requests it serves, what goes wrong when it is told to, and what
// its journal has of them.

import { request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';

import {
	type FaultAction,
	type FaultRule,
	type JournalEntry,
	type Sandbox,
	type SandboxOptions,
	startSandbox,
} from '../../../sandbox/server';
import { waitUntil } from '../../support/waitUntil';

const KEYS = { active: 'a1'.repeat(32), disabled: 'd1'.repeat(32), restricted: 'f1'.repeat(32) };
const CONTACTS = 'GET /masterdata/getContacts';
const SEND = 'POST /txndata/sendTxn';
const OPTIONS: SandboxOptions = {
	apiKeys: {
		[KEYS.active]: { state: 'active' },
		[KEYS.disabled]: { state: 'disabled' },
		[KEYS.restricted]: { state: 'active', deniedEndpoints: [SEND] },
	},
	limits: {
		general: [{ max: 8, windowSeconds: 600 }],
		endpoints: { [SEND]: { max: 3, windowSeconds: 600 } },
	},
	latency: { minMs: 0, maxMs: 0, seed: 7 },
};

let sandbox: Sandbox;
beforeEach(async () => {
	sandbox = await startSandbox(OPTIONS);
});
afterEach(async () => await sandbox.stop());

interface Sent {
	key?: string;
	headers?: Record<string, string>;
	body?: unknown;
	signal?: AbortSignal;
}

/** Sends `METHOD /path` exactly as it is written: the usual clients tidy up paths. */
async function send(endpoint: string, { key = KEYS.active, headers, body, signal }: Sent = {}) {
	const [method, path] = endpoint.split(' ', 2);
	const { hostname, port } = new URL(sandbox.baseUrl);
	const content = body === undefined ? '' : JSON.stringify(body);
	return await new Promise<{ status: number; text: string; retryAfter?: string }>(
		(resolve, reject) => {
			const outgoing = request({
				...{ hostname, port, method, path, signal, agent: false },
				headers: { 'x-api-key': key, 'content-length': content.length, ...headers },
			});
			outgoing.on('error', reject).on('response', (response) => {
				const retryAfter = response.headers['retry-after'];
				const status = response.statusCode ?? 0;
				textOf(response).then((text) => resolve({ status, text, retryAfter }), reject);
			});
			outgoing.end(content);
		},
	);
}

async function statusesOf(times: number, endpoint: string, sent?: Sent): Promise<number[]> {
	const statuses: number[] = [];
	while (statuses.length < times) statuses.push((await send(endpoint, sent)).status);
	return statuses;
}

test.each<[string, string, Sent, string]>([
	['missing', '', { key: '' }, 'key missing'],
	['unknown', '', { key: '01'.repeat(32) }, 'key wrong'],
	['in capitals', '', { key: KEYS.active.toUpperCase() }, 'key wrong'],
	['disabled', '', { key: KEYS.disabled }, 'key disabled'],
	['in the query', `?api%4Bey=${KEYS.active}`, {}, 'key in the query'],
])('a key that is %s gets a 401, and stands in no list', async (_, query, sent, reason) => {
	const refused = { status: 401, text: '{"message":"Unauthorized"}' };
	expect(await send(CONTACTS + query, sent)).toMatchObject(refused);
	expect(sandbox.journal.all()).toMatchObject([{ status: 401, reason, acted: false }]);
	expect(JSON.stringify(sandbox.journal.all())).not.toContain(KEYS.active);
});

test.each([
	'POST /TXNDATA/SendTXN',
	'POST //txndata///sendTxn/',
	'POST /txndata%2Fsend%54xn',
	'POST /masterdata/%2e%2e/txndata/./sendTxn',
])('%s is served, refused and counted as the endpoint', async (variant) => {
	expect(await statusesOf(1, variant, { key: KEYS.restricted, body: {} })).toEqual([401]);
	expect(await statusesOf(4, variant, { body: {} })).toEqual([200, 200, 200, 429]);
	expect(await statusesOf(1, SEND, { body: {} })).toEqual([429]);
	expect(await statusesOf(3, CONTACTS)).toEqual([200, 200, 200]);
	expect(await statusesOf(1, CONTACTS)).toEqual([429]);
	const { journal } = sandbox;
	expect(journal.count(SEND)).toBe(6);
	expect(journal.documents()).toHaveLength(3);
	expect(journal.refused().map(({ reason }) => reason)).toEqual([
		...[`${SEND}/600s`, `${SEND}/600s`, 'general/600s'],
	]);
});

test('others who use the key count at once, and stand apart', async () => {
	sandbox.consume(SEND, 2);
	expect(await statusesOf(2, SEND, { body: { number: 1 } })).toEqual([200, 429]);
	expect(sandbox.journal.count()).toBe(2);
	expect(sandbox.journal.summary()).toMatchObject({ refused: 1, documents: 1, otherClients: 2 });
});

test.each<[string, Array<Partial<FaultRule>>, number[]]>([
	['once, to any endpoint', [{}], [418, 200, 200]],
	['several times, after some requests', [{ times: 2, after: 1 }], [200, 418, 418, 200]],
	['in its order', [{}, { action: { type: 'status', status: 500 } }], [418, 500, 200]],
	['to its endpoint in every spelling', [{ endpoint: 'get /MASTERDATA//getcontacts/' }], [418]],
	['to no other endpoint', [{ endpoint: SEND }], [200]],
	['to no request without its marker', [{ marker: 'marked' }], [200]],
	['by a chance that the seed repeats', [{ times: Infinity, probability: 0.5 }], [200, 200, 418]],
])('a rule applies %s', async (_, rules, statuses) => {
	const action = { type: 'status', status: 418 } as const;
	for (const rule of rules) sandbox.fault({ action, ...rule });
	expect(await statusesOf(1, CONTACTS, { key: KEYS.disabled })).toEqual([401]);
	expect(await statusesOf(statuses.length, CONTACTS)).toEqual(statuses);
	sandbox.clearFaults();
	expect(await statusesOf(1, CONTACTS)).toEqual([200]);
});

test.each<[FaultAction, number, number]>([
	[{ type: 'neverAnswer', act: true }, 1, 1],
	[{ type: 'neverAnswer', act: false }, 0, 0],
	// It acts even if the client has given up.
	[{ type: 'delay', ms: 300, actFirst: false }, 0, 1],
])('%j, whose client gives up', async (action, actedBefore, actedLater) => {
	sandbox.fault({ action });
	const abort = new AbortController();
	const response = send(SEND, { body: {}, signal: abort.signal });
	await waitUntil(() => sandbox.journal.count() === 1);
	expect(sandbox.journal.documents()).toHaveLength(actedBefore);
	expect(await statusesOf(1, CONTACTS)).toEqual([200]);
	abort.abort();
	await expect(response).rejects.toThrow();
	await waitUntil(() => sandbox.journal.documents().length === actedLater);
});

test('a request that is held acts at once, and gets its response when the rules are cleared', async () => {
	sandbox.fault({ action: { type: 'hold' } });
	const response = send(SEND, { body: {} });
	await waitUntil(() => sandbox.journal.documents().length === 1);
	// Removes no rule, and so ends nothing.
	sandbox.fault({ action: { type: 'status', status: 418 } });
	expect(await statusesOf(1, CONTACTS)).toEqual([418]);
	expect(sandbox.journal.responded()).toEqual([]);
	sandbox.clearFaults();
	expect((await response).status).toBe(200);
});

test('a reset brings back keys, windows and records, and drops what is unanswered', async () => {
	sandbox.setKeyState(KEYS.active, 'deleted');
	expect(await statusesOf(9, CONTACTS)).toEqual(Array(9).fill(401));
	sandbox.contacts.remove(['contact-2']);
	sandbox.setKeyState(KEYS.active, 'active');
	sandbox.reset();
	sandbox.fault({ action: { type: 'neverAnswer', act: false } });
	const unanswered = expect(send(CONTACTS)).rejects.toMatchObject({ code: 'ECONNRESET' });
	await waitUntil(() => sandbox.journal.count() === 1);
	sandbox.reset();
	await unanswered;
	expect(await statusesOf(1, CONTACTS)).toEqual([200]);
	expect(sandbox.contacts.list()).toHaveLength(25);
});

test('other processes control it without a key, and are not counted', async () => {
	const control = async (endpoint: string, body?: unknown) =>
		await send(endpoint.replace(' ', ' /_sandbox/'), { key: '', body });
	const rule = { times: null, action: { type: 'status', status: 503 } };
	expect(await control('POST faults', rule)).toMatchObject({ text: '{"rules":1}' });
	expect(await statusesOf(2, CONTACTS)).toEqual([503, 503]);
	expect(await control('DELETE faults')).toMatchObject({ text: '{"rules":0}' });
	const { text } = await control('GET journal?since=1');
	expect(JSON.parse(text) as JournalEntry[]).toMatchObject([{ sequence: 2, status: 503 }]);
	const changed = await control('POST contacts', { add: [{ id: 'own' }], remove: ['contact-1'] });
	expect(JSON.parse(changed.text)).toMatchObject({ added: [{ id: 'own' }], removed: 1 });
	const text400 = expect.stringContaining('action.type') as string;
	const wrong = await control('POST faults', { action: { type: 'explode' } });
	expect(wrong).toMatchObject({ status: 400, text: text400 });
});

test.each<[SandboxOptions, string]>([
	[{ windowMode: 'rolling' as 'sliding' }, 'windowMode'],
	[{ latency: { minMs: 5, maxMs: 1 } }, 'latency'],
	[{ apiKeys: { ab: { state: 'active' } } }, 'An API key is 64 hexadecimal characters'],
	[{ limits: { general: [{ max: 0, windowSeconds: 1 }], endpoints: {} } }, 'general limit: max'],
])('a start is refused with %j', async (options, message) => {
	await expect(startSandbox(options)).rejects.toThrow(message);
});
