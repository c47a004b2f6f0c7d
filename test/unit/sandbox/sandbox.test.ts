// Other tests judge the node by the sandbox: by the requests it serves, the faults it injects, and its journal.

import { request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';

import {
	type FaultAction,
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

/** Sends `METHOD /path` exactly as written: the usual clients normalize paths. */
async function send(endpoint: string, { key = KEYS.active, headers, body, signal }: Sent = {}) {
	const [method, path] = endpoint.split(' ', 2);
	const { hostname, port } = new URL(sandbox.baseUrl);
	const content = body === undefined ? '' : JSON.stringify(body);
	return await new Promise<{ status: number; text: string; retryAfter?: string }>(
		(resolve, reject) => {
			const outgoing = request({
				hostname,
				port,
				method,
				path,
				signal,
				agent: false,
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
])('a key that is %s gets a 401, and is not in the journal', async (_, query, sent, reason) => {
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
])('%s is served, refused and counted like POST /txndata/sendTxn', async (variant) => {
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

test.each<[FaultAction, number, number]>([
	[{ type: 'neverRespond', act: true }, 1, 1],
	[{ type: 'neverRespond', act: false }, 0, 0],
	// The service acts even if the client has given up.
	[{ type: 'delay', ms: 1_000, actFirst: false }, 0, 1],
])('the fault %j holds even if the client gives up', async (action, actedBefore, actedLater) => {
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

test('control requests from other processes need no key and are not counted', async () => {
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
