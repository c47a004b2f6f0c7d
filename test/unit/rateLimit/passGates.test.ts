// The way through the gates by itself: what a request waits for there, and what it has taken meanwhile.
import { passGates, type QueuedRequest } from '../../../nodes/BusinessData/rateLimit/gates';
import { Permit } from '../../../nodes/BusinessData/rateLimit/permit';
import type {
	RedisRequest,
	SharedReply,
} from '../../../nodes/BusinessData/rateLimit/redis/redisRequest';
import { Scope, Stages } from '../../../nodes/BusinessData/rateLimit/scope';
import { WaitTime } from '../../../nodes/BusinessData/rateLimit/waitTime';
import { abortController } from '../../../nodes/BusinessData/async';

const GENERAL = { max: 2, windowMs: 10_000 };
const OWN = { max: 1, windowMs: 60_000 };
const HELD_MS = 10_100;

let general: Scope;
let own: Scope;
let startedAt: number;
/** What Redis replies, and when (ms) it was asked what. */
let replies: Array<SharedReply | Error>;
let asked: Array<[what: string, atMs: number, used: number]>;

beforeEach(() => {
	jest.useFakeTimers().advanceTimersByTime(1_000);
	[general, own] = ['general', 'a'].map((name) => new Scope(name, name, () => undefined)) as [
		Scope,
		Scope,
	];
	[startedAt, replies, asked] = [performance.now(), [], []];
});
afterEach(() => jest.useRealTimers());

const pass = async (ms: number) => await jest.advanceTimersByTimeAsync(ms);
const used = (scope = general) =>
	scope.under([scope === own ? OWN : GENERAL]).windows[0]?.window.used ?? 0;
const note = (what: string) => asked.push([what, performance.now() - startedAt, used()]);
const shared = {
	standInLine: () => note('line'),
	free: () => note('free'),
	hold() {},
	publish() {},
	take: async () => {
		note('take');
		const reply = replies.shift() ?? { isTaken: true, used: [] };
		if (reply instanceof Error) throw reply;
		return await Promise.resolve(reply);
	},
} as unknown as RedisRequest;

/** Resolves when it is through with when (ms) that was, or with the error. */
function go(isOwn = false, changes: Partial<QueuedRequest> = {}) {
	const stages = new Stages(isOwn ? own.under([OWN]) : undefined, general.under([GENERAL]));
	const { signal } = abortController();
	const waitTime = new WaitTime();
	const waiting = {
		stages,
		priority: 5,
		signal,
		shared: undefined,
		waitTime,
		deadline: Infinity,
	} as QueuedRequest;
	const going = passGates({ ...waiting, ...changes }).then(
		(permit) => ({
			permit,
			atMs: performance.now() - startedAt,
			cause: permit.waitedFor,
			error: undefined,
		}),
		(error: unknown) => ({
			permit: undefined,
			atMs: performance.now() - startedAt,
			cause: undefined,
			error,
		}),
	);
	return going;
}
async function through(...parameters: Parameters<typeof go>) {
	const going = go(...parameters);
	await pass(200_000);
	return await going;
}
const fill = (scope: Scope, count: number) => {
	for (let one = 0; one < count; one++)
		scope.take(scope.under([scope === own ? OWN : GENERAL]).windows).hold(0);
};
const window = (scope: string) =>
	expect.objectContaining({ name: scope === 'a' ? 'a/60s' : 'general/10s' }) as object;

test.each<[string, boolean, () => void, number, unknown]>([
	['room', true, () => undefined, 0, undefined],
	['a full general window', false, () => fill(general, 2), HELD_MS, window('general')],
	['a full window of its own', true, () => fill(own, 1), 60_100, window('a')],
	['a pause', false, () => general.otherClients.pause([GENERAL], 7_000.5, true), 7_001, 'pause'],
	['a pause of its own', true, () => own.otherClients.pause([OWN], 7_000, true), 7_000, 'pause'],
	[
		'a refusal',
		false,
		() => {
			general.otherClients.refused();
			general.otherClients.pause([GENERAL], 7_000, true);
		},
		7_000,
		'refusal',
	],
])('with %s', async (_, isOwn, prepare, atMs, cause) => {
	prepare();
	const result = await through(isOwn);
	expect(result.permit).toBeInstanceOf(Permit);
	expect(result.atMs).toBeGreaterThanOrEqual(atMs);
	expect(result.atMs).toBeLessThan(atMs + 60);
	if (cause !== undefined) expect(result.cause).toEqual(cause);
	expect([used(), used(own)]).toEqual([1, isOwn ? 1 : 0]);
});

test('it uses the room that was promised to its scope', async () => {
	for (const scope of [own, general])
		scope.tickets.make({ name: 'a', at: performance.now(), left: 1 });
	const going = go(true);
	await pass(20);
	await going;
	expect([own, general].map(({ tickets }) => tickets.before('b', 1).length)).toEqual([0, 1]);
});

const full = { isTaken: false as const, window: undefined, waitMs: 900, retryMs: 500 };
test.each<[string, boolean, Array<SharedReply | Error>, Array<[string, number]>]>([
	[
		'has room',
		true,
		[],
		[
			['line', 0],
			['line', 0],
			['take', 0],
		],
	],
	[
		'is full for all',
		false,
		[{ ...full, isOfScope: false }],
		[
			['line', 0],
			['take', 0],
			['line', 500],
			['take', 500],
		],
	],
	[
		'is full for the scope',
		true,
		[{ ...full, isOfScope: true }],
		[
			['line', 0],
			['line', 0],
			['take', 0],
			['line', 500],
			['line', 500],
			['take', 500],
		],
	],
])('where Redis %s, it holds nothing while it waits', async (_, isOwn, given, expected) => {
	replies.push(...given);
	const going = go(isOwn, { shared });
	await pass(300);
	expect(used()).toBe(given.length > 0 ? 0 : 1);
	// Nobody else stands behind one that waits for its scope.
	const other = go();
	await pass(10);
	expect(used()).toBe(isOwn ? (given.length > 0 ? 1 : 2) : 0);
	await pass(1_000);
	expect((await going).permit).toBeInstanceOf(Permit);
	await other;
	expect(asked.map(([what, atMs]) => [what, Math.floor(atMs / 100) * 100])).toEqual(expected);
});

test.each<[string, SharedReply | Error, object]>([
	['fails', new Error('Redis is away'), { message: 'Redis is away' }],
	[
		'says it takes too long',
		{ ...full, isOfScope: false },
		{ name: 'WaitTooLongError', retryAfterMs: 900 },
	],
])('where Redis %s, so does the request, and holds nothing', async (_, reply, expected) => {
	replies.push(reply);
	const { error } = await through(false, { shared, deadline: performance.now() + 800 });
	expect(error).toMatchObject(expected);
	expect(used()).toBe(0);
});

test('a turn that comes in time is waited for', async () => {
	replies.push({ ...full, isOfScope: false });
	const { atMs } = await through(false, { shared, deadline: performance.now() + 950 });
	expect(atMs).toBeGreaterThanOrEqual(500);
});

test('what was taken during a pause that has just come is given back', async () => {
	const take = async () => {
		if (replies.length === 0) general.otherClients.pause([GENERAL], 3_000, true);
		replies.push(new Error());
		return await Promise.resolve({ isTaken: true as const, used: [] });
	};
	const { atMs } = await through(false, { shared: { ...shared, take } as unknown as RedisRequest });
	expect(atMs).toBeGreaterThanOrEqual(3_000);
	expect(asked.filter(([what]) => what === 'free')).toHaveLength(1);
	expect(used()).toBe(1);
});

test('a pause that is too long ends the wait', async () => {
	general.otherClients.pause([GENERAL], 5_000, true);
	const { error, atMs } = await through(true, { deadline: performance.now() + 4_000 });
	expect(error).toMatchObject({ name: 'WaitTooLongError', isRequested: false });
	expect(atMs).toBeLessThan(20);
});

test('a scope that has filled up meanwhile is waited for without the general gate', async () => {
	fill(general, 2);
	const going = go(true);
	await pass(5_000);
	fill(own, 1);
	const result = going;
	await pass(200_000);
	expect((await result).atMs).toBeGreaterThanOrEqual(65_000);
});

test.each<[string, PropertyDescriptorMap, number]>([
	['the end of the one before', {}, 500],
	['what is forgotten', { forgottenInMs: { value: 300 } }, 300],
	[
		'room in a full window',
		{
			underWay: { value: undefined },
			roomIn: { value: () => (performance.now() < startedAt + 4_000 ? 0 : 9) },
		},
		5_000,
	],
])('as long as others are known, it waits for %s', async (_, facts, expected) => {
	const isOver = () => performance.now() >= startedAt + expected;
	Object.defineProperties(general.otherClients, {
		isKnown: { value: true },
		forgottenInMs: { value: 9_000, configurable: true },
		underWay: {
			get: () => (isOver() ? undefined : new Promise((end) => setTimeout(end, 500))),
			configurable: true,
		},
		...facts,
	});
	const { atMs, cause } = await through();
	expect(atMs).toBeGreaterThanOrEqual(expected);
	expect(atMs).toBeLessThan(expected + 50);
	expect(cause).toEqual(expected < 5_000 ? 'refusal' : window('general'));
});

test('one that has waited for its scope goes before others', async () => {
	fill(general, 2);
	const order: string[] = [];
	const all = [go(), go(), go(true), go(false, { priority: 3 })];
	for (const [index, name] of ['first', 'next', 'own', 'again'].entries()) {
		void all[index]?.then(({ permit }) => {
			order.push(name);
			permit?.letThrough();
		});
	}
	await pass(200_000);
	expect(order).toEqual(['first', 'again', 'own', 'next']);
});

test('who gives up is gone at once', async () => {
	fill(general, 2);
	const stop = abortController();
	const going = go(false, { signal: stop.signal });
	await pass(100);
	stop.abort(new Error('stop'));
	expect((await going).error).toEqual(new Error('stop'));
	expect(used()).toBe(2);
});
