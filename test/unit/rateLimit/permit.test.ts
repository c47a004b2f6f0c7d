// The endings of a permit: what each does to its slots, here and in Redis, and what it tells of other clients.
import { Permit } from '../../../nodes/BusinessData/rateLimit/permit';
import type { RedisRequest } from '../../../nodes/BusinessData/rateLimit/redis/redisRequest';
import type { Stages } from '../../../nodes/BusinessData/rateLimit/scope';
import { WaitTime } from '../../../nodes/BusinessData/rateLimit/waitTime';
import type { Slot } from '../../../nodes/BusinessData/rateLimit/window';

interface Facts {
	used?: number[];
	underWay?: number[];
	isKnown?: boolean;
	isRefusing?: boolean;
}

interface Play {
	/** No windows of its own where undefined. */
	own?: Facts;
	general?: Facts;
	/** By what Redis knows. */
	used?: number[];
}

const WINDOWS = {
	own: [{ max: 3, windowMs: 600_000, holdMs: 600_300 }],
	general: [
		{ max: 100, windowMs: 60_000, holdMs: 60_100 },
		{ max: 30, windowMs: 10_000, holdMs: 10_100 },
	],
};

let calls: unknown[];
beforeEach(() => {
	calls = [];
	jest.spyOn(performance, 'now').mockReturnValue(1_000);
});
afterEach(() => jest.restoreAllMocks());

/** Whatever is called is noted, with the windows by their number. */
function noting(owner: string, more: object = {}): object {
	return new Proxy(more, {
		get: (target, name) =>
			name in target
				? (Reflect.get(target, name) as unknown)
				: (...parameters: unknown[]) => void calls.push([owner, name, ...parameters]),
	});
}

function stageOf(name: 'own' | 'general', facts: Facts) {
	const { isKnown = false, isRefusing = false, used = [], underWay = [] } = facts;
	const otherClients = noting(name, { isKnown, isRefusing, lastLetThroughAt: name.length });
	const windows = WINDOWS[name].map((window, index) => ({
		...window,
		...{ otherClients, window: { used: used[index] ?? 0, underWay: underWay[index] ?? 0 } },
	}));
	return { otherClients, windows };
}

function newPermit({ own, general = {}, used = [] }: Play = {}, shared = noting('redis')) {
	const [scope, all] = [own && stageOf('own', own), stageOf('general', general)];
	const stages = {
		...{ scope, general: all, own: scope ?? all, all: scope ? [scope, all] : [all] },
		windows: [...(scope?.windows ?? []), ...all.windows],
	} as unknown as Stages;
	const waitTime = Object.assign(new WaitTime(), { longestCause: 'pause' });
	const slot = noting('slot', { placed: Promise.resolve() });
	const permit = new Permit([slot as Slot], shared as RedisRequest, stages, used, waitTime);
	const [sent] = calls.splice(0) as Array<[string, string, Promise<void>]>;
	return { permit, ended: sent?.[2] as Promise<void>, slot };
}

/** The calls of that name, by whom and with what. */
const called = (name: string) =>
	calls.flatMap((call) => {
		const [owner, method, ...parameters] = call as [string, string, ...unknown[]];
		return method === name ? [[owner, ...parameters]] : [];
	});

const OF_HOLD = (ms: number) => [
	['slot', 'hold', ms],
	['redis', 'hold', ms],
];
test.each<[string, (permit: Permit) => void, unknown[]]>([
	[
		'letThrough',
		(permit) => permit.letThrough(),
		[['own', 'letThrough', 1_000], ['general', 'letThrough', 1_000], ...OF_HOLD(0)],
	],
	['lost', (permit) => permit.lost(5_000), OF_HOLD(5_000)],
	[
		'unused',
		(permit) => permit.unused(),
		[
			['slot', 'free'],
			['redis', 'free'],
		],
	],
])('%s', async (_, end, expected) => {
	const { permit, ended } = newPermit({ own: {} });
	end(permit);
	await ended;
	expect(calls).toEqual(expected);
	calls = [];
	for (const again of [() => permit.unused(), () => permit.lost(1)]) again();
	expect(calls).toEqual([]);
});

test('refused', async () => {
	const { permit, ended } = newPermit({ own: {} });
	permit.refused(7_000);
	await ended;
	expect(called('refused')).toEqual([['own'], ['general']]);
	expect(called('publish')).toEqual([['redis']]);
	expect(calls.slice(-2)).toEqual(OF_HOLD(0));
});

test.each<[string, Play, unknown[]]>([
	['without windows of its own', { general: { used: [7, 2] } }, ['general', 7, 2]],
	['by what Redis knows', { general: { used: [7, 2] }, used: [5, 3] }, ['general', 7, 3]],
	[
		'with little in the general windows',
		{ own: { used: [2] }, general: { used: [50, 15] } },
		['own', 2],
	],
	['with much in one', { own: {}, general: { used: [50, 16] } }, ['general', 50, 16]],
	['with others in the general ones', { own: {}, general: { isKnown: true } }, ['general', 0, 0]],
	['with a refusal before', { own: { isRefusing: true }, general: { used: [99] } }, ['own', 0]],
])('a refusal is put down to what is likely: %s', (_, how, [who, ...used]) => {
	newPermit(how).permit.refused(0);
	const windows = WINDOWS[who as 'own' | 'general'].map(
		({ max, windowMs }, index) =>
			expect.objectContaining({ max, windowMs, used: used[index] }) as object,
	);
	expect(called('learn')).toEqual([[who, windows, 1_000]]);
});

test.each<[string, Play, (permit: Permit) => void, boolean[]]>([
	['that its own window explains', { own: {} }, (permit) => permit.refused(600_300), [true, false]],
	['that is longer', { own: {} }, (permit) => permit.refused(600_301), [true, true]],
	['of a response', { own: {} }, (permit) => permit.pause(600_300), [true, true]],
	['without windows of its own', {}, (permit) => permit.refused(60_101), [true]],
])('a pause %s', (_, how, pause, isOwn) => {
	pause(newPermit(how).permit);
	expect(called('pause').map((call) => call.at(-1))).toEqual(isOwn);
	expect(called('publish')).toHaveLength(1);
});

test.each([
	['the general ones', 30, 'general', 5 - 4],
	['its own', 3, 'own', 5 - 1],
	['one that nobody knows', 7, 'own', 5 - 1],
	['one that it does not name', undefined, 'own', 5 - 1],
])('what the service says is left of %s', (_, max, who, left) => {
	const { permit } = newPermit({ own: { underWay: [1] }, general: { underWay: [2, 4] } });
	permit.applyHeaderLimit({ remaining: 5, resetMs: 900, max });
	expect(called('applyHeaderLimit')).toEqual([[who, expect.any(Array), left, 900, permit]]);
	expect(permit.lastLetThroughAt).toBe('own'.length);
});

test.each([
	[undefined, true],
	[true, true],
	[false, false],
])('where Redis says %s of the slots, whether it is still good is %s', async (isHeld, expected) => {
	const shared =
		isHeld === undefined
			? undefined
			: { confirm: async () => await Promise.resolve(isHeld), hold() {} };
	const { permit } = newPermit({}, shared);
	jest.spyOn(performance, 'now').mockReturnValue(2_000);
	expect(await permit.confirm(new AbortController().signal)).toBe(expected);
	permit.letThrough();
	expect(called('letThrough')).toEqual([['general', 2_000]]);
});

test('it tells of its wait, and of a slot that could not be placed', async () => {
	const { permit, slot } = newPermit();
	expect([permit.waitedMs, permit.waitedFor]).toEqual([0, 'pause']);
	Object.assign(slot, { placed: Promise.reject(new Error('no place')) });
	await expect(permit.placed).rejects.toThrow('no place');
});
