// The endings of a permit: their effect on its slots, here and in the limit store, and on the use of other clients.
import type { AppliedLimits } from '../../../nodes/BusinessData/rateLimit/endpointLimiter';
import type { Permit, RequestLimits } from '../../../nodes/BusinessData/rateLimit/permit';
import type { RedisLimitStore } from '../../../nodes/BusinessData/rateLimit/redis/redisLimitStore';
import type { SlotHolder } from '../../../nodes/BusinessData/rateLimit/window';
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
/** The calls: of which object, which method, and with what. */
let calls: unknown[][];
/** What the limit store replies. */
let isTaken: boolean;

/** Records the calls of these methods instead of making them. */
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
	const all: RequestLimits = hasOwn ? [own, general] : [general];
	const permit = permitUnder(all, { maxWaitMs: 900, limitStore }, () => void calls.push(['over']));
	permit.grant(used);
	calls = [];
	return permit;
}
const called = (name: string) => calls.filter((call) => call[1] === name);
/** Takes the given number of slots in each window. */
const fill = ({ endpoint, limits: some }: AppliedLimits, ...counts: number[]) => {
	for (const [index, limit] of some.entries()) {
		for (let one = 0; one < (counts[index] ?? 0); one++)
			void endpoint.window(limit).take({} as SlotHolder);
	}
};

const both = (name: string, ...parameters: unknown[]) =>
	['own', 'general'].map((owner) => [owner, name, ...parameters]);
const endOf = (permit: Permit, lateMs: number) => [
	...both('freeInTime', permit),
	['store', 'complete', lateMs],
	['over'],
];

test.each<[string, (permit: Permit) => void, number, unknown[][]]>([
	['letThrough', (permit) => permit.letThrough(), 0, both('letThrough', 5_000)],
	['ended', (permit) => permit.ended(5_000), 5_000, []],
	['unused', (permit) => permit.unused(), -Infinity, []],
	[
		'refused',
		(permit) => permit.refused(0),
		0,
		[
			['own', 'learn', [{ ...OWN[0], name: 'own/600s', used: 1 }], 5_000],
			...both('refused', 5_000),
			['own', 'pause', undefined, 0, true],
			['general', 'pause', undefined, 0, false],
			['store', 'publish'],
		],
	],
])('the ending "%s" has all of its effects, once', (_, end, lateMs, before) => {
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

describe('a refusal is attributed', () => {
	const blamed = () => called('learn').map(([who]) => who);

	interface Refusal {
		hasOwn?: boolean;
		used?: number[][];
		/** Whether other clients are known, and whether the previous request was refused, too. */
		isKnown?: boolean;
		isRefusing?: boolean;
		/** How long the service asks to wait, and a spent limit that it reports: its size, and when it resets. */
		ms?: number;
		spent?: { max?: number; resetMs: number };
	}
	const spent = (resetMs: number, max?: number) => ({ spent: { resetMs, max } });

	test.each<[string, Refusal, string[], pausedMs?: number]>([
		['to all requests without own limits', { hasOwn: false }, ['general']],
		['to the endpoint with little in the general windows', {}, ['own']],
		['to the endpoint with half of the general windows full', { used: [[0], [50, 15]] }, ['own']],
		['to all with more in one general window', { used: [[0], [50, 16]] }, ['general']],
		['to all with known other clients', { isKnown: true }, ['general']],
		['to the endpoint after a refusal', { isKnown: true, isRefusing: true }, ['own']],
		['to all if it asks to wait 1 ms', { ms: 1 }, ['general'], 1],
		['to all if it asks for a general window', { ms: 60_100 }, ['general'], 60_100],
		// If the service says how long to wait, nothing is learned about the endpoint, unless it was wrong before.
		['to none if it asks for longer', { ms: 60_101 }, [], 60_101],
		['to the endpoint if it asked before', { ms: 60_101, isRefusing: true }, ['own'], 60_101],
		['to all by their spent limit', spent(70_000, 100), ['general']],
		['to none by the spent limit of the endpoint', spent(12_000, 3), []],
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

	test('only at the end of the permit, and is just a pause later', () => {
		const permit = newPermit();
		permit.refused(0);
		permit.refused(5_000);
		expect(blamed()).toEqual(['own']);
		expect(called('pause').at(-1)).toEqual(['general', 'pause', general.limits, 5_000, false]);
	});

	test('with the slots known here or in all processes, whichever are more', () => {
		fill(general, 6, 1);
		newPermit(false, [[5, 9]]).refused(0);
		const learned = [7, 9].map((used, index) => ({ ...general.limits[index], used }));
		expect(called('learn')).toEqual([['general', 'learn', learned, 5_000]]);
	});
});

test.each<[string, boolean, (permit: Permit) => void, boolean[]]>([
	['within own limits is capped for all', true, (permit) => permit.refused(600_300), [true, false]],
	['beyond own limits is full for all', true, (permit) => permit.refused(600_301), [true, true]],
	['of a response is full for all', true, (permit) => permit.pause(600_300), [true, true]],
	['without own limits is full for all', false, (permit) => permit.refused(60_101), [true]],
])('a pause %s', (_, hasOwn, pause, isOwn) => {
	pause(newPermit(hasOwn));
	expect(called('pause').map((call) => call.at(-1))).toEqual(isOwn);
	expect(called('publish')).toHaveLength(1);
});

test.each([
	['a general window applies there, less what is under way', 30, 'general', 5 - 2],
	['the endpoint applies there', 3, 'own', 5],
	['an unknown size applies to the endpoint', 7, 'own', 5],
	['an unnamed size applies to the endpoint', undefined, 'own', 5],
])('a header limit of %s', (_, max, who, left) => {
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
])('after %i ms, slots that can be taken anew (%s) are confirmed: %s', async (ms, taken, lasts) => {
	const permit = newPermit(false);
	permit.takenAt = now;
	now += ms;
	isTaken = taken;
	expect(await permit.confirm(signal)).toBe(lasts);
	permit.letThrough();
	expect(called('letThrough')).toEqual([['general', 'letThrough', now]]);
});

test('the longest window is that of all limits that apply', () => {
	const windows = [true, false].map((hasOwn) => newPermit(hasOwn).longestWindowMs);
	expect(windows).toEqual([600_000, 60_000]);
});

test('without a limit store, slots are always confirmed', async () => {
	const permit = newPermit();
	Object.assign(permit, { request: { ...permit.request, limitStore: undefined } });
	expect(await permit.confirm(signal)).toBe(true);
});

test('a wait is attributed to the cause that took longest', () => {
	const permit = newPermit();
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
		permit.waitsFor(cause, 'pause');
	}
	now += 5_000;
	expect([permit.waitedMs, permit.waitedFor]).toEqual([2_200, 'refusal']);
	expect(permit.leftMs).toBe(900 - 7_200);
	const other = newPermit();
	now += 100;
	other.waitsFor('refusal', 'pause');
	now += 100;
	other.waitsFor(undefined, 'pause');
	expect(other.waitedFor).toBe('pause');
});

test('a permit is granted when every slot has its place, and fails if one has none', async () => {
	jest.spyOn(own.endpoint, 'take').mockRejectedValue(new Error('no place'));
	await expect(newPermit().granted).rejects.toThrow('no place');
	jest.restoreAllMocks();
	await newPermit(false).granted;
	general.endpoint.otherClients.lastLetThroughAt = 7;
	expect(newPermit(false).lastLetThroughAt).toBe(7);
});
