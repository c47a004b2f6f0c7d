// The estimated use of other clients, in figures: after a refusal, as time passes, and by header limits.
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

/** A refusal with the given number of our own requests in each window. */
const learn = (used: number[], sentAt = now) =>
	use.learn(
		limits.slice(0, used.length).map((limit, index) => ({ ...limit, used: used[index] ?? 0 })),
		sentAt,
	);
const used = () => use.usedIn(MINUTE);

test.each([
	['half of what is missing in the longest window', [51, 1], 25],
	['half of what is missing in the window that lacks less', [1, 15], 48],
	['a minimum share', [100, 30], 22],
	['half of what is missing in the only window', [51], 25],
	['nothing without a window', [], 0],
])('a refusal sets the estimate to %s', (_, windows, expected) => {
	learn(windows);
	expect(used()).toBeCloseTo(expected);
	expect(use.usedIn(10_000)).toBeCloseTo(expected / 6);
	expect(use.isKnown).toBe(expected > 0);
});

test.each([
	['raises the estimate if more is missing', 100, 11, 57.5],
	['keeps the estimate if less is missing', 100, 99, 25],
	['keeps the estimate if its request went out before the first', 0, 11, 25],
])('a second refusal %s', (_, laterMs, then, expected) => {
	learn([51]);
	const sentAt = now + laterMs;
	learn([then], sentAt);
	expect(used()).toBeCloseTo(expected);
});

test('the estimate for a small limit is at least one, and leaves room for one', () => {
	use.learn([{ max: 3, windowMs: MINUTE, used: 3 }], now);
	expect(used()).toBeCloseTo(1);
	expect(use.roomIn({ max: 3, windowMs: MINUTE })).toBe(1);
	expect(use.roomIn({ max: 1, windowMs: MINUTE })).toBe(1);
});

test('the estimate fades evenly, and less than one counts as none', () => {
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

test('our own requests are spaced by at most one window', () => {
	learn([1]);
	learn([1], now + 1);
	learn([1], now + 2);
	expect([use.roomIn(longest), use.everyMs(limits)]).toEqual([1, MINUTE]);
});

test('the pause doubles with each refusal in a row, up to a window', () => {
	const pauses = Array.from({ length: 8 }, () => {
		now += 1_000;
		learn([100, 30]);
		return use.waitMs(limits);
	});
	expect(pauses.map(Math.round)).toEqual([
		...[1_260, 2_520, 5_040, 10_080, 20_160, 40_320, 60_000, 60_000],
	]);
	expect(use.forgottenInMs).toBe(MINUTE);
	// A request that went out before the last refusal does not end the row.
	use.letThrough(now + 59_999);
	now += MINUTE;
	learn([100, 30]);
	expect(use.waitMs([])).toBe(MINUTE);
	now += MINUTE;
	use.letThrough(now);
	learn([100, 30], now + 1);
	expect(Math.round(use.waitMs([]))).toBe(1_260);
});

test('our next request is spaced from the last one that was let through', () => {
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
])('a pause of %i ms (of its own: %j) lasts %i ms', (requestedMs, isOwn, expected) => {
	use.pause(limits, requestedMs, isOwn);
	expect([use.waitMs(limits), use.forgottenInMs]).toEqual([expected, expected]);
	use.pause(limits, 10, true);
	use.pause([], 2 * DAY, false);
	expect(use.waitMs(limits)).toBe(expected);
});

/** The header limits of each response, in order. */
type Said = Array<Array<{ left: number; resetMs: number }>>;
const says = (left: number, resetMs: number) => ({ left, resetMs });

test.each<[string, Said, number, number]>([
	['none is left', [[says(0, 5_000)]], 0, 5_000],
	['one is left', [[says(1, 5_000)]], 0, 0],
	['one is left and goes out', [[says(1, 5_000)]], 1, 5_000],
	['part of one is left', [[says(0.9, 5_000)]], 0, 5_000],
	['none is left for as long as the longest window', [[says(0, MINUTE)]], 0, MINUTE],
	['none is left for longer, which is ignored', [[says(0, MINUTE + 1)]], 0, 0],
	['a response has two limits', [[says(0, 5_000), says(0, 3_000)]], 0, 5_000],
	['they are replaced', [[says(0, 5_000)], [says(0, 3_000)], [], [says(0, MINUTE + 1)]], 0, 3_000],
])('header limits set the wait if %s', (_, said, sent, expected) => {
	for (const one of said) use.applyHeaderLimits(limits, one, now);
	use.applyHeaderLimits(limits, [says(9, 9_000)], now - 1);
	use.applyHeaderLimits([], [says(0, MINUTE + 1)], now);
	for (let count = 0; count < sent; count++) use.sent(underWay());
	expect(use.waitMs(limits)).toBe(expected);
	now += 10_000;
	expect(use.waitMs(limits)).toBe(Math.max(0, expected - 10_000));
});

test('another process merges a younger estimate, and every pause', () => {
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
	// Estimates that are too old, and empty.
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
	// A known estimate does not get any younger.
	third.merge([estimate, ageMs - 1, 0]);
	expect(third.publish()).toEqual([estimate, ageMs, 0]);
	// Estimates that are as old as the known one, and younger.
	const newer = JSON.stringify({ rate: 50 / MINUTE, longestMs: MINUTE, refusalsInRow: 2 });
	third.merge([newer, ageMs, 0]);
	expect([third.publish()[0], third.usedIn(MINUTE)]).toEqual([estimate, used()]);
	third.merge([newer.replace('2', '3'), ageMs - 1, 900]);
	expect(third.publish()).toEqual([newer.replace('2', '3'), ageMs - 1, 900]);
	now += 1_000;
	expect(third.publish()[2]).toBe(0);
});

test('with other clients, the next request waits for the end of the one before', () => {
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

test('a refusal lasts until a request that went out later is let through', () => {
	expect([use.isRefusing, use.lastLetThroughAt]).toEqual([false, -Infinity]);
	use.refused(now);
	use.refused(now - 10);
	use.letThrough(now - 5);
	expect([use.isRefusing, use.lastLetThroughAt]).toEqual([true, now - 5]);
	use.letThrough(now + 1);
	use.letThrough(now - 5);
	expect([use.isRefusing, use.lastLetThroughAt]).toEqual([false, now + 1]);
});
