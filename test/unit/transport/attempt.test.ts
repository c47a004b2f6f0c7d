// What becomes of one attempt: its outcome, the ending of its slots, and what ends it early.
import { getEventListeners } from 'node:events';
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';

import type { Permit } from '../../../nodes/BusinessData/rateLimit';
import { readAccount } from '../../../nodes/BusinessData/transport/account';
import { attempt, sentStateOf } from '../../../nodes/BusinessData/transport/attempt';
import type { ConnectionWatch } from '../../../nodes/BusinessData/transport/connectionWatch';
import type { ServiceRequest } from '../../../nodes/BusinessData/transport/serviceRequest';
import { after } from '../../support/logicalTime';
import { fakeContext } from '../run/fakeContext';
import { read, requiredFields, send } from './examples';

const TIMEOUT_MS = 60_000;

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

/** Plays one attempt to its end, and tells what came of it. */
async function play({ request = read, isConnected = true, latencyMs = 0, ...rest }: Play) {
	const endings: unknown[] = [];
	const permit = new Proxy({} as Permit, {
		get:
			(_, name) =>
			(...parameters: unknown[]) => {
				const saysNothing = name === 'applyHeaderLimits' && isDeepStrictEqual(parameters, [[]]);
				if (!saysNothing) endings.push([name, ...parameters]);
			},
	});
	const watch = {
		progress: isConnected ? 'connected' : 'notConnected',
		mayHaveLeft: isConnected,
		during: async (work: () => Promise<unknown>) => await work(),
		isProxyResponse: () => rest.isProxyResponse === true,
	} as unknown as ConnectionWatch;
	const stop = new AbortController();
	const { context } = fakeContext(rest.isStopped === true ? { stopped: stop.signal } : {});
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
	return { outcome, endings, cutOffAt, body, hasActed: sentStateOf(outcome) !== 'notSent' };
}

beforeEach(() => void jest.useFakeTimers().advanceTimersByTime(1_000));
afterEach(() => jest.useRealTimers());

const LET_THROUGH = [['letThrough']];
const asking = { 'retry-after': '7' };
const limits = { 'ratelimit-remaining': '5', 'ratelimit-reset': '3' };

test.each<[number, Record<string, string>, string, object, unknown[]]>([
	[200, {}, 'succeeded', {}, LET_THROUGH],
	[200, asking, 'succeeded', {}, LET_THROUGH],
	[299, {}, 'succeeded', {}, LET_THROUGH],
	[300, {}, 'failed', { isTransient: false }, LET_THROUGH],
	[199, {}, 'failed', { isTransient: false }, LET_THROUGH],
	[429, {}, 'refused', {}, [['refused', 0]]],
	[429, asking, 'refused', {}, [['refused', 7_000]]],
	[404, {}, 'failed', { isTransient: false, isNotSent: false, isTimeout: false }, LET_THROUGH],
	[408, {}, 'failed', { isTransient: true }, LET_THROUGH],
	[499, {}, 'failed', { isTransient: false }, LET_THROUGH],
	[500, asking, 'failed', { isTransient: true }, LET_THROUGH],
	[503, {}, 'failed', { isTransient: true, isNotSent: false, isTimeout: false }, LET_THROUGH],
	[503, asking, 'failed', { isTransient: true }, [...LET_THROUGH, ['pause', 7_000]]],
	[
		200,
		limits,
		'succeeded',
		{},
		[...LET_THROUGH, ['applyHeaderLimits', [{ remaining: 5, resetMs: 3_000 }]]],
	],
	[
		...([200, { ...limits, 'ratelimit-limit': '10' }, 'succeeded', {}] as const),
		[...LET_THROUGH, ['applyHeaderLimits', [{ remaining: 5, resetMs: 3_000, max: 5 }]]],
	],
])('a %i with %j is %s', async (statusCode, headers, kind, facts, endings) => {
	const played = await play({ statusCode, headers, keepFree: 50 });
	expect(played.outcome).toMatchObject({ kind, ...facts });
	expect(played.endings).toEqual(endings);
	expect(played.outcome).toHaveProperty('response.statusCode', statusCode);
	expect('permit' in played.outcome).toBe(kind === 'refused');
	expect(played.cutOffAt).toBeUndefined();
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

test.each<[string, Play, object, unknown[]]>([
	['is refused', { isConnected: false, error: refused }, { isNotSent: true }, [['unused']]],
	['is reset', { error: reset }, { isTransient: true, isNotSent: false }, [['ended', 0]]],
	['times out', { latencyMs: Infinity }, { isTimeout: true }, [['ended', TIMEOUT_MS]]],
	[
		'breaks off in the body of a success',
		{ body: broken() },
		{ isTransient: true },
		[...LET_THROUGH, ['ended', 0]],
	],
	['breaks off in the body of an error', { statusCode: 404, body: broken() }, {}, LET_THROUGH],
	['hangs in the body of an error', { statusCode: 404, body: endless() }, {}, LET_THROUGH],
	[
		'hangs in the body of a success',
		{ body: endless() },
		{ isTimeout: true },
		[...LET_THROUGH, ['ended', TIMEOUT_MS]],
	],
	[
		'gets a response with too much',
		{ body: Readable.from([Buffer.alloc(64 * 1024 * 1024 + 1)]) },
		{ isTransient: false, isNotSent: false, isTimeout: false },
		LET_THROUGH,
	],
	[
		'gets a response from a proxy',
		{ statusCode: 502, isProxyResponse: true, isConnected: false, body: endless() },
		{ isNotSent: true, isTransient: true },
		[['unused']],
	],
	[
		'gets a response too late',
		{ latencyMs: TIMEOUT_MS + 1, body: endless() },
		{ isTimeout: true },
		[['ended', TIMEOUT_MS]],
	],
])('a request that %s', async (_, how, facts, endings) => {
	const played = await play(how);
	expect(played.outcome).toMatchObject({ kind: 'failed', ...facts });
	expect(played.endings).toEqual(endings);
	if (how.latencyMs !== undefined) expect(played.cutOffAt).toBe(TIMEOUT_MS);
	// Nothing holds the connection any more.
	if (how.body !== undefined) expect(played.body.destroyed).toBe(true);
});

test.each<[string, Play, number | undefined, unknown[]]>([
	['has not left', { request: send, isConnected: false }, 1_000, [['unused']]],
	['is a read that goes on', {}, undefined, LET_THROUGH],
	['is a read that is stopped', { isStopped: true }, 1_000, [['ended', TIMEOUT_MS]]],
	['is a send that has left', { request: send, isStopped: true }, undefined, LET_THROUGH],
	['has not begun', { isConnected: false, endsAfterMs: 0 }, 0, [['unused']]],
])('at the end of its run, a request that %s', async (_, how, cutOffAt, endings) => {
	const latencyMs = cutOffAt === undefined ? 2_000 : Infinity;
	const played = await play({ latencyMs, endsAfterMs: 1_000, ...how });
	expect(played.cutOffAt).toBe(cutOffAt);
	expect(played.endings).toEqual(endings);
});

test.each<[ServiceRequest, Play, boolean]>([
	[send, {}, true],
	[send, { statusCode: 429 }, false],
	[send, { statusCode: 404 }, false],
	[send, { statusCode: 500 }, true],
	[send, { isConnected: false, error: refused }, false],
	[send, { error: reset }, true],
])('whether the service may have acted: case %#', async (request, how, expected) => {
	expect((await play({ request, ...how })).hasActed).toBe(expected);
});
