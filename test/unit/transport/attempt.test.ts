// One attempt: its outcome, the ending of its slots, and what ends it early.
import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';

import type { Permit } from '../../../nodes/BusinessData/rateLimit';
import { readAccount } from '../../../nodes/BusinessData/transport/account';
import { attempt } from '../../../nodes/BusinessData/transport/attempt';
import type { ConnectionWatch } from '../../../nodes/BusinessData/transport/connectionWatch';
import type { ServiceRequest } from '../../../nodes/BusinessData/transport/serviceRequest';
import { after } from '../../support/logicalTime';
import { fakeContext } from '../run/fakeContext';
import { read, requestOf, requiredFields, send } from './examples';

const TIMEOUT_MS = 60_000;
const LONGEST_WINDOW_MS = 40_000;

interface Play {
	request?: ServiceRequest;
	statusCode?: number;
	headers?: Record<string, string>;
	body?: Readable;
	/** Instead of a response. */
	error?: Error;
	latencyMs?: number;
	keepFree?: number;
	isConnected?: boolean;
	isProxyResponse?: boolean;
	/** When the run ends, and whether the user has stopped it. */
	endsAfterMs?: number;
	isStopped?: boolean;
}

/** Plays one attempt to its end, and returns what came of it. */
async function play({ request = read, isConnected = true, latencyMs = 0, ...rest }: Play) {
	const endings: unknown[][] = [];
	const permit = new Proxy({} as Permit, {
		get: (_, name) => {
			if (name === 'longestWindowMs') return LONGEST_WINDOW_MS;
			return (...parameters: unknown[]) => {
				const saysNothing = name === 'applyHeaderLimits' && isDeepStrictEqual(parameters, [[]]);
				if (!saysNothing) endings.push([name, ...parameters]);
			};
		},
	});
	const watch = {
		progress: isConnected ? 'connected' : 'notConnected',
		mayHaveLeft: isConnected,
		during: async (work: () => Promise<unknown>) => await work(),
		isProxyResponse: () => rest.isProxyResponse === true,
	} as unknown as ConnectionWatch;
	const stop = new AbortController();
	const context = fakeContext(rest.isStopped === true ? { stopped: stop.signal } : {});
	const { statusCode = 200, headers = {}, body = Readable.from([]) } = rest;
	let cutOffAt: number | undefined;
	context.helpers.httpRequestWithAuthentication = async function (this: typeof context) {
		const signal = this.getExecutionCancelSignal();
		const cutOff = new Promise<never>((_, reject) => {
			const cut = () => {
				cutOffAt = performance.now() - startedAt;
				reject(new Error('cut off'));
			};
			if (signal?.aborted === true) cut();
			signal?.addEventListener('abort', cut);
		});
		cutOff.catch(() => undefined);
		if (latencyMs < Infinity) await after(latencyMs);
		else await cutOff;
		if (rest.error !== undefined) throw rest.error;
		return { statusCode, headers, body };
	};
	const startedAt = performance.now();
	const end = new AbortController();
	const endRun = () => {
		stop.abort();
		end.abort();
	};
	if (rest.endsAfterMs === 0) endRun();
	else if (rest.endsAfterMs !== undefined) setTimeout(endRun, rest.endsAfterMs);
	const account = readAccount({ ...requiredFields, customize: true, keepFree: rest.keepFree ?? 0 });
	const sender = { context, account, signal: end.signal };
	const attempting = attempt(sender, request, undefined, permit, watch);
	await jest.advanceTimersByTimeAsync(2 * TIMEOUT_MS);
	const outcome = await attempting;
	expect(getEventListeners(end.signal, 'abort')).toEqual([]);
	return { outcome, endings, cutOffAt, body };
}

beforeEach(() => void jest.useFakeTimers().advanceTimersByTime(1_000));
afterEach(() => jest.useRealTimers());

const LET_THROUGH = [['letThrough']];
const asking = { 'retry-after': '7' };
const limits = { 'ratelimit-remaining': '5', 'ratelimit-reset': '3' };

const applied = (max: object) => [
	['applyHeaderLimits', [{ remaining: 5, resetMs: 3_000, ...max }]],
	...LET_THROUGH,
];

const refusal = (ms: number) => [['refused', ms, undefined]];
const pause = (ms: number) => [['pause', ms], ...LET_THROUGH];
const retryAfter = (seconds: number) => ({ 'retry-after': String(seconds) });

test.each<[number, Record<string, string>, mayRetry: boolean | undefined, unknown[]]>([
	[200, {}, undefined, LET_THROUGH],
	[200, asking, undefined, LET_THROUGH],
	[299, {}, undefined, LET_THROUGH],
	[300, {}, false, LET_THROUGH],
	[199, {}, true, LET_THROUGH],
	[429, {}, true, refusal(0)],
	[429, asking, true, refusal(7_000)],
	[429, { ...asking, 'ratelimit-reset': '50' }, true, refusal(7_000)],
	[429, retryAfter(40), true, refusal(40_000)],
	[429, retryAfter(50), false, refusal(50_000)],
	[404, {}, false, LET_THROUGH],
	[408, {}, true, LET_THROUGH],
	[498, {}, false, LET_THROUGH],
	[499, {}, true, LET_THROUGH],
	[500, asking, true, LET_THROUGH],
	[503, {}, true, LET_THROUGH],
	[503, asking, true, pause(7_000)],
	[503, retryAfter(60), true, pause(60_000)],
	[503, retryAfter(70), false, pause(70_000)],
	[200, limits, undefined, applied({})],
	[200, { ...limits, 'ratelimit-limit': '10' }, undefined, applied({ max: 5 })],
])(
	'after a %i with the headers %j, retry a read: %s',
	async (statusCode, headers, may, endings) => {
		const { outcome, ...played } = await play({ statusCode, headers, keepFree: 50 });
		expect(outcome.error && outcome.mayRetry).toBe(may);
		expect(played.endings).toEqual(endings);
		expect(outcome.response?.statusCode).toBe(statusCode);
		expect(played.cutOffAt).toBeUndefined();
		if (outcome.error === undefined) return;
		const seconds = headers['retry-after'];
		expect(outcome.askedMs).toBe(seconds === undefined ? undefined : Number(seconds) * 1_000);
	},
);

/** A body that arrives after `ms`. */
const late = (ms: number, text: string) =>
	Readable.from(
		(async function* () {
			await after(ms);
			yield Buffer.from(text);
		})(),
	);

test.each([
	[0, [5_000]],
	[999, [5_000]],
	[1_001, [0, 5_000]],
])('a 429 whose body asks for a wait after %i ms makes the limiter wait', async (ms, refusals) => {
	const body = late(ms, 'Try again in 5 seconds');
	const { outcome, endings } = await play({ statusCode: 429, body });
	expect(outcome).toMatchObject({ mayRetry: true, askedMs: 5_000 });
	expect(endings).toEqual(refusals.flatMap(refusal));
});

const spent = { remaining: 0, resetMs: 3_000, max: 5 };
const alsoSpent = { 'second-remaining': '0', 'second-reset': '1' };
test.each<[string, Record<string, string>, unknown]>([
	['the longer one if a shorter one follows', { remaining: '0', ...alsoSpent }, spent],
	['the longer one if a shorter one precedes', { ...alsoSpent, remaining: '0' }, spent],
	['one of which nothing is left', { remaining: '0' }, spent],
	['one without a remaining number', {}, spent],
	['none if something is left', { remaining: '1' }, undefined],
	['none if it resets only after all windows', { reset: '50s' }, undefined],
])('the spent limit in the headers of a 429 is %s', async (_, fields, expected) => {
	const all = Object.entries({ ...fields, limit: '10', reset: fields.reset ?? '3' });
	const headers = Object.fromEntries(all.map(([name, text]) => [`x-ratelimit-${name}`, text]));
	const { endings } = await play({ statusCode: 429, headers, keepFree: 50 });
	expect(endings.filter(([name]) => name === 'refused')[0]).toEqual(['refused', 0, expected]);
});

const reset = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
const refused = Object.assign(new Error('connect ECONNREFUSED'), { syscall: 'connect' });
const broken = () =>
	new Readable({
		read() {
			this.destroy(reset);
		},
	});
const endless = () => new Readable({ read: () => undefined });
const tooMuch = Readable.from([Buffer.alloc(64 * 1024 * 1024 + 1)]);
const viaProxy = (statusCode: number): Play => ({
	statusCode,
	isProxyResponse: true,
	isConnected: false,
	body: endless(),
});
const LOST = ['ended', TIMEOUT_MS];
const unconnected = { isConnected: false, latencyMs: Infinity };
const request = requestOf('POST', '/txndata/sendTxn', { isIdempotent: true });

test.each<[string, Play, mayRetry: boolean, unknown[]]>([
	['read gets no connection', { isConnected: false, error: refused }, true, [['unused']]],
	[
		'send gets no connection',
		{ request: send, isConnected: false, error: refused },
		true,
		[['unused']],
	],
	['read finds no connection', unconnected, true, [['unused']]],
	['read is reset', { error: reset }, true, [['ended', 0]]],
	['send is reset', { request: send, error: reset }, false, [['ended', 0]]],
	['idempotent send is reset', { request, error: reset }, true, [['ended', 0]]],
	['send finds no connection', { request: send, ...unconnected }, false, [['unused']]],
	['send gets a 503', { request: send, statusCode: 503 }, false, LET_THROUGH],
	['idempotent send gets a 503', { request, statusCode: 503 }, true, LET_THROUGH],
	['read times out', { latencyMs: Infinity }, true, [LOST]],
	['read breaks off within a success', { body: broken() }, true, [...LET_THROUGH, ['ended', 0]]],
	['read breaks off within an error', { statusCode: 404, body: broken() }, false, LET_THROUGH],
	['read hangs within an error', { statusCode: 404, body: endless() }, false, LET_THROUGH],
	['read hangs within a success', { body: endless() }, true, [...LET_THROUGH, LOST]],
	['read gets too large a body', { body: tooMuch }, false, LET_THROUGH],
	['read gets a response from a proxy', viaProxy(502), true, [['unused']]],
	['read is refused by a proxy', viaProxy(407), false, [['unused']]],
	['read gets a late response', { latencyMs: TIMEOUT_MS + 1, body: endless() }, true, [LOST]],
])('retry and slots are right if a %s', async (_, how, mayRetry, endings) => {
	const played = await play(how);
	expect(played.outcome).toMatchObject({ mayRetry });
	expect(played.endings).toEqual(endings);
	if (how.latencyMs !== undefined) expect(played.cutOffAt).toBe(TIMEOUT_MS);
	// The connection is free again.
	if (how.body !== undefined) expect(played.body.destroyed).toBe(true);
});

test('only about a megabyte of an error response is read', async () => {
	const chunk = Buffer.alloc(600_000, 'x');
	const body = Readable.from([chunk, chunk, chunk]);
	const { outcome } = await play({ statusCode: 422, body });
	expect(outcome.response?.body).toHaveLength(2 * chunk.length);
	expect(body.destroyed).toBe(true);
});

test.each<[string, Play, number | undefined, unknown[]]>([
	['an unsent request is cut off', { request: send, isConnected: false }, 1_000, [['unused']]],
	['a read under way goes on', {}, undefined, LET_THROUGH],
	['a read is cut off if stopped', { isStopped: true }, 1_000, [LOST]],
	['a send goes on even if stopped', { request: send, isStopped: true }, undefined, LET_THROUGH],
	['a request not begun is not sent', { isConnected: false, endsAfterMs: 0 }, 0, [['unused']]],
])('at the end of the run, %s', async (_, how, cutOffAt, endings) => {
	const latencyMs = cutOffAt === undefined ? 2_000 : Infinity;
	const played = await play({ latencyMs, endsAfterMs: 1_000, ...how });
	expect(played.cutOffAt).toBe(cutOffAt);
	expect(played.endings).toEqual(endings);
});
