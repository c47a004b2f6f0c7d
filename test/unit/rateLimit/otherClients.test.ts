// What is taken for the use of other clients, in figures: after a refusal, as time passes, and by what is said of it.
import type { Permit } from '../../../nodes/BusinessData/rateLimit/permit';
import { OtherClients } from '../../../nodes/BusinessData/rateLimit/otherClients';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const limits = [
	{ max: 100, windowMs: MINUTE },
	{ max: 30, windowMs: 10_000 },
];
const [longest] = limits as [(typeof limits)[0]];

let now: number;
let use: OtherClients;

beforeEach(() => {
	now = 1_000_000;
	use = new OtherClients();
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	jest.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => jest.restoreAllMocks());

const underWay = () => ({ countedAt: undefined }) as Permit;

/** A refusal where so many of our own requests were in the windows. */
const learn = (used: number[], sentAt = now) =>
	use.learn(
		limits.slice(0, used.length).map((limit, index) => ({ ...limit, used: used[index] ?? 0 })),
		sentAt,
	);
const used = () => use.usedIn(MINUTE);

test.each([
	['what is missing in the longest window is half believed', [51, 1], 25],
	['or in the one where less is missing', [1, 15], 48],
	['a share at the least', [100, 30], 22],
	['what is missing where there is one window', [51], 25],
	['without a window, nothing', [], 0],
])('a refusal tells: %s', (_, windows, expected) => {
	learn(windows);
	expect(used()).toBeCloseTo(expected);
	expect(use.usedIn(10_000)).toBeCloseTo(expected / 6);
	expect(use.isKnown).toBe(expected > 0);
});

test.each([
	['more than is known', 100, 11, 57.5],
	['less than is known', 100, 99, 25],
	['one that went out before the last one', 0, 11, 25],
])('a second refusal: %s', (_, laterMs, then, expected) => {
	learn([51]);
	const sentAt = now + laterMs;
	learn([then], sentAt);
	expect(used()).toBeCloseTo(expected);
});

test('of a small limit, at least one', () => {
	use.learn([{ max: 3, windowMs: MINUTE, used: 3 }], now);
	expect(used()).toBeCloseTo(1);
	expect(use.roomIn({ max: 3, windowMs: MINUTE })).toBe(1);
	expect(use.roomIn({ max: 1, windowMs: MINUTE })).toBe(1);
});

test('it is forgotten evenly, and what is less than one is none', () => {
	expect([use.roomIn(longest), use.everyMs(limits), use.forgottenInMs]).toEqual([100, 0, -now]);
	learn([51]);
	const seen = [0, 30_000, 57_000, 58_000, 61_000].map((ms) => {
		now = 1_000_000 + ms;
		return [used(), use.roomIn(longest), use.everyMs(limits), use.forgottenInMs];
	});
	expect(seen.map((figures) => figures.map((one) => Math.round(one * 100) / 100))).toEqual([
		[25, 66, 1_000, MINUTE],
		[12.5, 83, 795.18, 30_000],
		[1.25, 98, 673.47, 3_000],
		[0, 100, 0, 2_000],
		[0, 100, 0, -1_000],
	]);
	expect(use.everyMs([])).toBe(0);
});

test('our own requests are never spread over more than a window each', () => {
	learn([1]);
	learn([1], now + 1);
	learn([1], now + 2);
	expect([use.roomIn(longest), use.everyMs(limits)]).toEqual([1, MINUTE]);
});

test('after refusals in a row it pauses longer and longer, up to a window', () => {
	const pauses = Array.from({ length: 8 }, () => {
		now += 1_000;
		learn([100, 30]);
		return use.waitMs(limits);
	});
	expect(pauses.map(Math.round)).toEqual([
		...[1_260, 2_520, 5_040, 10_080, 20_160, 40_320, 60_000, 60_000],
	]);
	expect(use.forgottenInMs).toBe(MINUTE);
	// One that had gone out before is no sign that they are over.
	use.letThrough(now + 59_999);
	now += MINUTE;
	learn([100, 30]);
	expect(use.waitMs([])).toBe(MINUTE);
	now += MINUTE;
	use.letThrough(now);
	learn([100, 30], now + 1);
	expect(Math.round(use.waitMs([]))).toBe(1_260);
});

test('our next request goes so long after the last one that they are spread', () => {
	learn([51]);
	now += 10_000;
	expect(use.waitMs(limits)).toBe(0);
	const everyMs = use.everyMs(limits);
	use.letThrough(now - 300);
	expect(use.waitMs(limits)).toBeCloseTo(everyMs - 300);
	expect(use.waitMs([])).toBe(0);
});

test.each([
	[400_000, true, 400_000],
	[400_000, false, MINUTE],
	[20_000, false, 20_000],
	[DAY, true, DAY],
	[DAY + 1, true, MINUTE],
])('a pause of %i ms, of its own: %j', (requestedMs, isOwn, expected) => {
	use.pause(limits, requestedMs, isOwn);
	expect([use.waitMs(limits), use.forgottenInMs]).toEqual([expected, expected]);
	use.pause(limits, 10, true);
	use.pause([], 2 * DAY, false);
	expect(use.waitMs(limits)).toBe(expected);
});

/** By responses one after the other, what each says of limits. */
type Said = Array<Array<{ left: number; resetMs: number }>>;
const says = (left: number, resetMs: number) => ({ left, resetMs });

test.each<[string, Said, number, number]>([
	['none is left', [[says(0, 5_000)]], 0, 5_000],
	['one is left', [[says(1, 5_000)]], 0, 0],
	['one is left, which goes', [[says(1, 5_000)]], 1, 5_000],
	['part of one is left', [[says(0.9, 5_000)]], 0, 5_000],
	['for as long as the longest window', [[says(0, MINUTE)]], 0, MINUTE],
	['for longer', [[says(0, MINUTE + 1)]], 0, 0],
	['of two limits, by one response', [[says(0, 5_000), says(0, 3_000)]], 0, 5_000],
	['anew', [[says(0, 5_000)], [says(0, 3_000)], [], [says(0, MINUTE + 1)]], 0, 3_000],
])('the service says what is left: %s', (_, said, sent, expected) => {
	for (const one of said) use.applyHeaderLimits(limits, one, now);
	use.applyHeaderLimits(limits, [says(9, 9_000)], now - 1);
	use.applyHeaderLimits([], [says(0, MINUTE + 1)], now);
	for (let count = 0; count < sent; count++) use.sent(underWay());
	expect(use.waitMs(limits)).toBe(expected);
	now += 10_000;
	expect(use.waitMs(limits)).toBe(Math.max(0, expected - 10_000));
});

test('another process takes over what is younger, and every pause', () => {
	const other = new OtherClients();
	expect(other.publish()).toEqual(['', 0, 0]);
	learn([51]);
	now += 10_000;
	const [estimate, ageMs, pausedMs] = use.publish();
	expect([JSON.parse(estimate), ageMs, pausedMs]).toEqual([
		{ rate: 25 / MINUTE, longestMs: MINUTE, refusalsInRow: 1 },
		10_000,
		0,
	]);
	expect(use.shared).toBe(estimate);
	// Too old, and nothing.
	other.merge([estimate, MINUTE, 700]);
	expect([other.publish(), other.waitMs([]), other.shared]).toEqual([['', 0, 700], 700, estimate]);
	other.merge(['', 0, 300]);
	expect([other.publish(), other.isKnown, other.shared]).toEqual([['', 0, 700], false, estimate]);
	const late = new OtherClients();
	late.merge([estimate, MINUTE, 0]);
	late.learn([{ ...longest, used: 51 }], now);
	expect(late.waitMs([])).toBeCloseTo(1_260);
	const third = new OtherClients();
	third.merge([estimate, ageMs, 0]);
	expect(third.publish()).toEqual([estimate, ageMs, 0]);
	// It is known already, and does not get any younger.
	third.merge([estimate, ageMs - 1, 0]);
	expect(third.publish()).toEqual([estimate, ageMs, 0]);
	// As old as what is known, and younger.
	const newer = JSON.stringify({ rate: 50 / MINUTE, longestMs: MINUTE, refusalsInRow: 2 });
	third.merge([newer, ageMs, 0]);
	expect([third.publish()[0], third.usedIn(MINUTE)]).toEqual([estimate, used()]);
	third.merge([newer.replace('2', '3'), ageMs - 1, 900]);
	expect(third.publish()).toEqual([newer.replace('2', '3'), ageMs - 1, 900]);
	now += 1_000;
	expect(third.publish()[2]).toBe(0);
});

test('beside others, the next one waits for the end of the one before', () => {
	const first = underWay();
	const second = underWay();
	use.sent(first);
	expect(use.isUnderWay).toBe(false);
	learn([51]);
	expect(use.isUnderWay).toBe(true);
	use.sent(second);
	first.countedAt = now;
	expect(use.isUnderWay).toBe(true);
	second.countedAt = -Infinity;
	expect(use.isUnderWay).toBe(false);
});

test('it is refusing until one that went out later is let through', () => {
	expect([use.isRefusing, use.lastLetThroughAt]).toEqual([false, -Infinity]);
	use.refused(now);
	use.refused(now - 10);
	use.letThrough(now - 5);
	expect([use.isRefusing, use.lastLetThroughAt]).toEqual([true, now - 5]);
	use.letThrough(now + 1);
	use.letThrough(now - 5);
	expect([use.isRefusing, use.lastLetThroughAt]).toEqual([false, now + 1]);
});
