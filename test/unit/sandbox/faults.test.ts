// Everything that can be made to go wrong with a request, and with which requests.

import type { FaultAction, FaultRule } from '../../../sandbox/server';
import { waitUntil } from '../../support/waitUntil';
import { json, type RawResponse, send, sendTimes } from './rawClient';
import { useSandbox } from './useSandbox';

const CONTACTS = 'GET /masterdata/getContacts';
const SEND = 'POST /txndata/sendTxn';
const TEAPOT: FaultAction = { type: 'status', status: 418 };

const sandbox = useSandbox({
	limits: { general: [{ max: 20, windowSeconds: 600 }], endpoints: {} },
	latency: { minMs: 0, maxMs: 0, seed: 7 },
});
const documents = () => sandbox().journal.documents().length;
const sendDocument = (signal?: AbortSignal) => send(sandbox(), SEND, { body: {}, signal });
const play = (action: FaultAction) => sandbox().fault({ action });

describe('a rule', () => {
	test.each<[string, Array<Partial<FaultRule>>, number[]]>([
		['once, to any endpoint', [{}], [418, 200, 200, 200]],
		['several times, after some requests', [{ times: 2, after: 1 }], [200, 418, 418, 200]],
		['until it is cleared', [{ times: Infinity }], [418, 418, 418, 418]],
		['in its order', [{}, { action: { type: 'status', status: 500 } }], [418, 500, 200, 200]],
		['to its endpoint in every spelling', [{ endpoint: 'get /MASTERDATA//getcontacts/' }], [418]],
		['to no other endpoint', [{ endpoint: SEND }], [200]],
		['to no request without its marker', [{ marker: 'marked' }], [200]],
		['never', [{ times: Infinity, probability: 0 }], [200, 200, 200]],
		['by a chance that the seed repeats', [{ times: Infinity, probability: 0.5 }], [418, 200, 418]],
	])('applies %s', async (_, rules, statuses) => {
		for (const rule of rules) sandbox().fault({ action: TEAPOT, ...rule });
		expect(await sendTimes(statuses.length, sandbox(), CONTACTS)).toEqual(statuses);
		sandbox().clearFaults();
		expect((await send(sandbox(), CONTACTS)).status).toBe(200);
	});

	test('applies to the requests with its marker, and is not used up by rejected ones', async () => {
		sandbox().fault({ marker: 'marked', action: TEAPOT });
		const headers = { 'X-Sandbox-Marker': 'marked' };
		expect((await send(sandbox(), CONTACTS, { headers, key: null })).status).toBe(401);
		expect((await send(sandbox(), CONTACTS, { headers })).status).toBe(418);
		sandbox().fault({ action: TEAPOT });
		sandbox().consume(CONTACTS, 20);
		expect((await send(sandbox(), CONTACTS)).status).toBe(429);
		expect(sandbox().journal.refused()).toHaveLength(1);
	});

	test.each<[object, string]>([
		[{ action: { type: 'explode' } }, 'action.type: Invalid discriminator value'],
		[{ action: { type: 'status', status: 99 } }, 'action.status: Number must be greater'],
		[{ action: { type: 'delay', ms: 5 } }, 'action.actFirst: Required'],
		[{ action: { type: 'truncate' }, time: 2 }, "Unrecognized key(s) in object: 'time'"],
		[{ action: { type: 'truncate' }, endpoint: '/path' }, 'It is written as "METHOD /path"'],
		[{}, 'action: Required'],
	])('that is malformed is turned away: %j', (rule, message) => {
		expect(() => sandbox().fault(rule as FaultRule)).toThrow(message);
	});
});

test.each<[FaultAction, unknown, string, number]>([
	[{ type: 'status', status: 429 }, 429, '{"message":"Scripted response"}', 0],
	[{ type: 'status', status: 500, act: true, body: [1] }, 500, '[1]', 1],
	[{ type: 'status', status: 502, body: '<h1>', contentType: 'text/html' }, 502, '<h1>', 0],
	[{ type: 'status', status: 400, afterMs: 5 }, 400, '{"message":"Scripted response"}', 0],
	[{ type: 'refuse', retryAfter: 'seconds', waitMs: 1 }, 429, '{"message":"Too many requests"}', 0],
	[{ type: 'delay', ms: 5, actFirst: true }, 200, '{"id":"doc-1","status":"sent"}', 1],
	[{ type: 'delay', ms: 5, actFirst: false }, 200, '{"id":"doc-1","status":"sent"}', 1],
	[{ type: 'brokenJson' }, 200, '{"id":"doc-1","', 1],
	[{ type: 'emptyBody' }, 200, '', 1],
	[{ type: 'hugeBody', megabytes: 1 }, 200, `"${'x'.repeat(2 ** 20)}"`, 1],
	[{ type: 'trickle', bytes: 3, everyMs: 1 }, 200, '{"id":"doc-1","status":"sent"}', 1],
	[{ type: 'hangUpBeforeActing' }, 'ECONNRESET', '', 0],
	[{ type: 'hangUpAfterActing' }, 'ECONNRESET', '', 1],
	[{ type: 'truncate' }, 'ECONNRESET', '', 1],
])('%j', async (action, status, text, acted) => {
	play(action);
	const lost = (error: { code: string }): Omit<RawResponse, 'status'> & { status: unknown } => ({
		...{ status: error.code, text: '', headers: {} },
	});
	const response = await sendDocument().catch(lost);
	expect([response.status, response.text]).toEqual([status, text]);
	expect(documents()).toBe(acted);
	// A scripted 429 is no refusal of a limit.
	expect(sandbox().journal.refused()).toEqual([]);
	const fault = action.type;
	expect(sandbox().journal.all()).toMatchObject([{ scripted: true, fault, acted: acted > 0 }]);
	expect(response.headers['retry-after']).toBe(action.type === 'refuse' ? '1' : undefined);
});

test('a scripted response has its headers', async () => {
	const headers = {
		'Retry-After': 'Fri, 02 Jan 2026 00:00:00 GMT',
		location: 'http://127.0.0.1:9/',
	};
	play({ type: 'status', status: 302, headers, body: null });
	const response = await send(sandbox(), CONTACTS);
	expect(response.headers).toMatchObject({ 'retry-after': headers['Retry-After'] });
	expect(response.headers).toMatchObject({ location: headers.location });
	expect(json(response)).toBeNull();
});

test.each<[FaultAction, number, number]>([
	[{ type: 'neverAnswer', act: true }, 1, 1],
	[{ type: 'neverAnswer', act: false }, 0, 0],
	[{ type: 'delay', ms: 500, actFirst: true }, 1, 1],
	// It acts even if the client has given up.
	[{ type: 'delay', ms: 500, actFirst: false }, 0, 1],
])('%j, whose client gives up', async (action, actedBefore, actedLater) => {
	play(action);
	const abort = new AbortController();
	const response = sendDocument(abort.signal);
	await waitUntil(() => sandbox().journal.count() === 1);
	expect(documents()).toBe(actedBefore);
	// Others are served meanwhile.
	expect((await send(sandbox(), CONTACTS)).status).toBe(200);
	abort.abort();
	await expect(response).rejects.toThrow();
	await waitUntil(() => documents() === actedLater);
	expect(sandbox().journal.all()[0]).toMatchObject({ acted: actedLater > 0 });
});
