// The endings of a permit: what each does to its slots, here and in the limit store, and what it says of other clients.
import type { AppliedLimits } from '../../../nodes/BusinessData/rateLimit/endpointLimiter';
import type { Permit } from '../../../nodes/BusinessData/rateLimit/permit';
import { Queue } from '../../../nodes/BusinessData/rateLimit/queue';
import type { RedisLimitStore } from '../../../nodes/BusinessData/rateLimit/redis/redisLimitStore';
import { abortController } from '../../../nodes/BusinessData/async';
import { limitsOf, permitUnder } from '../../support/limitStoreRequest';

const OWN = [{ max: 3, windowMs: 600_000 }];
const GENERAL = [
	{ max: 100, windowMs: 60_000 },
	{ max: 30, windowMs: 10_000 },
];
const { signal } = abortController();

let own: AppliedLimits;
let general: AppliedLimits;
let now: number;
/** What was called, by whom and with what. */
let calls: unknown[][];
/** What the limit store replies. */
let isTaken: boolean;

/** Notes what is called of an object, which goes on as it is. */
function spied<T extends object>(owner: string, target: T, ...names: Array<keyof T & string>): T {
	for (const name of names) {
		jest
			.spyOn(target as never, name as never)
			.mockImplementation(
				((...parameters: unknown[]) => void calls.push([owner, name, ...parameters])) as never,
			);
	}
	return target;
}

beforeEach(() => {
	calls = [];
	now = 5_000;
	isTaken = true;
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	own = limitsOf('own', OWN);
	general = limitsOf('general', GENERAL);
	for (const { endpoint } of [own, general]) {
		spied(endpoint.key, endpoint, 'freeInTime');
		const names = ['letThrough', 'refused', 'learn', 'pause', 'applyHeaderLimits'] as const;
		spied(endpoint.key, endpoint.otherClients, ...names);
	}
});
afterEach(() => jest.restoreAllMocks());

const limitStore = {
	take: async () => await Promise.resolve({ isTaken }),
	complete: (_: Permit, lateMs: number) => calls.push(['store', 'complete', lateMs]),
	publish: () => calls.push(['store', 'publish']),
} as unknown as RedisLimitStore;

function newPermit(hasOwn = true, used: number[][] = []): Permit {
	const queue = new Queue('key', hasOwn ? own : general, general);
	const request = { maxWaitMs: 900, limitStore };
	const permit = permitUnder(queue, request, () => void calls.push(['over']));
	permit.grant(used);
	calls = [];
	return permit;
}
const called = (name: string) => calls.filter((call) => call[1] === name);
/** Lets requests take slots, so that there are as many as given in each window. */
const fill = ({ endpoint, limits: some }: AppliedLimits, ...counts: number[]) => {
	for (const [index, limit] of some.entries()) {
		for (let one = 0; one < (counts[index] ?? 0); one++)
			void endpoint.window(limit).take({} as Permit);
	}
};

const endOf = (permit: Permit, lateMs: number) => [
	['own', 'freeInTime', permit],
	['general', 'freeInTime', permit],
	['store', 'complete', lateMs],
	['over'],
];

test.each<[string, (permit: Permit) => void, number, unknown[][]]>([
	[
		'letThrough',
		(permit) => permit.letThrough(),
		0,
		[
			['own', 'letThrough', 5_000],
			['general', 'letThrough', 5_000],
		],
	],
	['ended', (permit) => permit.ended(5_000), 5_000, []],
	['unused', (permit) => permit.unused(), -Infinity, []],
	[
		'refused',
		(permit) => permit.refused(0),
		0,
		[
			['own', 'learn', [{ ...OWN[0], name: 'own/600s', used: 1 }], 5_000],
			['own', 'refused', 5_000],
			['general', 'refused', 5_000],
			['own', 'pause', undefined, 0, true],
			['general', 'pause', undefined, 0, false],
			['store', 'publish'],
		],
	],
])('%s', (_, end, lateMs, before) => {
	const permit = newPermit();
	now = 6_000;
	end(permit);
	const expected = before.map((call) => call.map((one) => one ?? (expect.any(Array) as unknown)));
	expect(calls).toEqual([...expected, ...endOf(permit, lateMs)]);
	expect(permit.countedAt).toBe(6_000 + lateMs);
	calls = [];
	for (const again of [() => permit.unused(), () => permit.ended(1)]) again();
	expect(calls).toEqual([]);
});

describe('a refusal is put down to what is likely', () => {
	const blamed = () => called('learn').map(([who]) => who);

	interface Refusal {
		hasOwn?: boolean;
		used?: number[][];
		/** Whether other clients are known, and whether the one before was refused, too. */
		isKnown?: boolean;
		isRefusing?: boolean;
		/** How long the service asks to wait, and what it says of a limit: how much it allows, and when it is full again. */
		ms?: number;
		spent?: { max?: number; resetMs: number };
	}
	const spent = (resetMs: number, max?: number) => ({ spent: { resetMs, max } });

	test.each<[string, Refusal, string[], pausedMs?: number]>([
		['to all requests without limits of its own', { hasOwn: false }, ['general']],
		['to its own with little in the general windows', {}, ['own']],
		['to its own with half', { used: [[0], [50, 15]] }, ['own']],
		['to all with much in one', { used: [[0], [50, 16]] }, ['general']],
		['to all beside other clients', { isKnown: true }, ['general']],
		['to its own after a refusal', { isKnown: true, isRefusing: true }, ['own']],
		['to all where it asks to wait 1 ms', { ms: 1 }, ['general'], 1],
		['to all where it asks for a general window', { ms: 60_100 }, ['general'], 60_100],
		// Of its own windows, nothing is learned where the service says how long it takes, unless that was wrong before.
		['to none where it asks for longer', { ms: 60_101 }, [], 60_101],
		['to its own where it asked before', { ms: 60_101, isRefusing: true }, ['own'], 60_101],
		['to all by their limit', spent(70_000, 100), ['general']],
		['to none by its own limit', spent(12_000, 3), []],
		['to all by a short reset of another limit', spent(12_000, 7), ['general'], 12_000],
		['to all by a short reset', spent(12_000), ['general'], 12_000],
		['to none by a long reset', spent(70_000), [], 70_000],
	])('%s', (_, { hasOwn, used, ms = 0, ...refusal }, expected, pausedMs = 0) => {
		const is = (applied: AppliedLimits, name: 'isKnown' | 'isRefusing') =>
			jest
				.spyOn(applied.endpoint.otherClients, name, 'get')
				.mockReturnValue(refusal[name] === true);
		is(general, 'isKnown');
		is(own, 'isRefusing');
		newPermit(hasOwn, used).refused(ms, refusal.spent);
		expect(blamed()).toEqual(expected);
		expect(called('pause')[0]?.[3]).toBe(pausedMs);
	});

	test('only at its end; later it is a pause', () => {
		const permit = newPermit();
		permit.refused(0);
		permit.refused(5_000);
		expect(blamed()).toEqual(['own']);
		expect(called('pause').at(-1)).toEqual(['general', 'pause', general.limits, 5_000, false]);
	});

	test('with as many slots as are known here, or to all processes', () => {
		fill(general, 6, 1);
		newPermit(false, [[5, 9]]).refused(0);
		const learned = [7, 9].map((used, index) => ({ ...general.limits[index], used }));
		expect(called('learn')).toEqual([['general', 'learn', learned, 5_000]]);
	});
});

test.each<[string, boolean, (permit: Permit) => void, boolean[]]>([
	['that its own window explains', true, (permit) => permit.refused(600_300), [true, false]],
	['that is longer', true, (permit) => permit.refused(600_301), [true, true]],
	['of a response', true, (permit) => permit.pause(600_300), [true, true]],
	['without windows of its own', false, (permit) => permit.refused(60_101), [true]],
])('a pause %s', (_, hasOwn, pause, isOwn) => {
	pause(newPermit(hasOwn));
	expect(called('pause').map((call) => call.at(-1))).toEqual(isOwn);
	expect(called('publish')).toHaveLength(1);
});

test.each([
	['the general ones', 30, 'general', 5 - 2],
	['its own', 3, 'own', 5],
	['one that nobody knows', 7, 'own', 5],
	['one that it does not name', undefined, 'own', 5],
])('what the service says is left of %s', (_, max, who, left) => {
	for (let count = 0; count < 2; count++) newPermit(false);
	newPermit(false).ended(0);
	newPermit().applyHeaderLimits([{ remaining: 5, resetMs: 900, max }]);
	expect(called('applyHeaderLimits')).toEqual([
		[who, 'applyHeaderLimits', expect.any(Array), [{ left, resetMs: 900 }], expect.any(Number)],
	]);
});

test.each<[afterMs: number, isTaken: boolean, expected: boolean]>([
	[999, false, true],
	[1_000, true, true],
	[1_000, false, false],
])('after %i ms, where slots can be taken anew: %s, they last: %s', async (ms, taken, lasts) => {
	const permit = newPermit(false);
	permit.takenAt = now;
	now += ms;
	isTaken = taken;
	expect(await permit.confirm(signal)).toBe(lasts);
	permit.letThrough();
	expect(called('letThrough')).toEqual([['general', 'letThrough', now]]);
});

test('without a limit store, slots always last', async () => {
	const permit = newPermit();
	Object.assign(permit, { request: { ...permit.request, limitStore: undefined } });
	expect(await permit.confirm(signal)).toBe(true);
});

test('a wait is put down to what took longest', () => {
	const permit = newPermit();
	permit.queue.lastCause = 'pause';
	expect([permit.waitedMs, permit.waitedFor, permit.leftMs]).toEqual([0, undefined, 900]);
	for (const [ms, cause] of [
		[300, 'refusal'],
		[300, 'refusal'],
		[200, 'pause'],
		[400, undefined],
		[900, 'refusal'],
		[100, undefined],
	] as const) {
		now += ms;
		permit.waitsFor(cause);
	}
	now += 5_000;
	expect([permit.waitedMs, permit.waitedFor]).toEqual([2_200, 'refusal']);
	expect(permit.leftMs).toBe(900 - 7_200);
	const other = newPermit();
	other.queue.lastCause = 'pause';
	now += 100;
	other.waitsFor('refusal');
	now += 100;
	other.waitsFor(undefined);
	expect(other.waitedFor).toBe('pause');
});

test('it is granted when each slot has its place, and fails where one cannot be placed', async () => {
	jest.spyOn(own.endpoint, 'take').mockRejectedValue(new Error('no place'));
	await expect(newPermit().granted).rejects.toThrow('no place');
	jest.restoreAllMocks();
	await newPermit(false).granted;
	general.endpoint.otherClients.lastLetThroughAt = 7;
	expect(newPermit(false).lastLetThroughAt).toBe(7);
});
