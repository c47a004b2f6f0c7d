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
let others: OtherClients;

beforeEach(() => {
	now = 1_000_000;
	others = new OtherClients();
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	jest.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => jest.restoreAllMocks());

const underWay = () => ({ countedAt: undefined }) as Permit;

/** A refusal with the given number of our own requests in each window. */
const learn = (used: number[], sentAt = now) =>
	others.learn(
		limits.slice(0, used.length).map((limit, index) => ({ ...limit, used: used[index] ?? 0 })),
		sentAt,
	);
const used = () => others.usedIn(MINUTE);

test.each([
	['half of what is missing in the longest window', [51, 1], 25],
	['half of what is missing in the window that lacks less', [1, 15], 48],
	['a minimum share', [100, 30], 22],
	['half of what is missing in the only window', [51], 25],
	['nothing without a window', [], 0],
])('a refusal sets the estimate to %s', (_, windows, expected) => {
	learn(windows);
	expect(used()).toBeCloseTo(expected);
	expect(others.usedIn(10_000)).toBeCloseTo(expected / 6);
	expect(others.isKnown).toBe(expected > 0);
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
	others.learn([{ max: 3, windowMs: MINUTE, used: 3 }], now);
	expect(used()).toBeCloseTo(1);
	expect(others.roomIn({ max: 3, windowMs: MINUTE })).toBe(1);
	expect(others.roomIn({ max: 1, windowMs: MINUTE })).toBe(1);
});

test('the estimate fades evenly, and less than one counts as none', () => {
	expect([others.roomIn(longest), others.everyMs(limits), others.forgottenInMs]).toEqual([
		100,
		0,
		-now,
	]);
	learn([51]);
	const seen = [0, 30_000, 57_000, 58_000, 61_000].map((ms) => {
		now = 1_000_000 + ms;
		return [used(), others.roomIn(longest), others.everyMs(limits), others.forgottenInMs];
	});
	expect(seen.map((figures) => figures.map((one) => Math.round(one * 100) / 100))).toEqual([
		[25, 66, 1_000, MINUTE],
		[12.5, 83, 795.18, 30_000],
		[1.25, 98, 673.47, 3_000],
		[0, 100, 0, 2_000],
		[0, 100, 0, -1_000],
	]);
	expect(others.everyMs([])).toBe(0);
});

test('our own requests are spaced by at most one window', () => {
	learn([1]);
	learn([1], now + 1);
	learn([1], now + 2);
	expect([others.roomIn(longest), others.everyMs(limits)]).toEqual([1, MINUTE]);
});

test('the pause doubles with each refusal in a row, up to a window', () => {
	const pauses = Array.from({ length: 8 }, () => {
		now += 1_000;
		learn([100, 30]);
		return others.waitMs(limits);
	});
	expect(pauses.map(Math.round)).toEqual([
		...[1_260, 2_520, 5_040, 10_080, 20_160, 40_320, 60_000, 60_000],
	]);
	expect(others.forgottenInMs).toBe(MINUTE);
	// A request that went out before the last refusal does not end the row.
	others.letThrough(now + 59_999);
	now += MINUTE;
	learn([100, 30]);
	expect(others.waitMs([])).toBe(MINUTE);
	now += MINUTE;
	others.letThrough(now);
	learn([100, 30], now + 1);
	expect(Math.round(others.waitMs([]))).toBe(1_260);
});

test('our next request is spaced from the last one that was let through', () => {
	learn([51]);
	now += 10_000;
	expect(others.waitMs(limits)).toBe(0);
	const everyMs = others.everyMs(limits);
	others.letThrough(now - 300);
	expect(others.waitMs(limits)).toBeCloseTo(everyMs - 300);
	expect(others.waitMs([])).toBe(0);
});

test.each([
	[400_000, true, 400_000],
	[400_000, false, MINUTE],
	[20_000, false, 20_000],
	[DAY, true, DAY],
	[DAY + 1, true, MINUTE],
])('a pause of %i ms (of its own: %j) lasts %i ms', (askedMs, isOwn, expected) => {
	others.pause(limits, askedMs, isOwn);
	expect([others.waitMs(limits), others.forgottenInMs]).toEqual([expected, expected]);
	others.pause(limits, 10, true);
	others.pause([], 2 * DAY, false);
	expect(others.waitMs(limits)).toBe(expected);
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
	for (const one of said) others.applyHeaderLimits(limits, one, now);
	others.applyHeaderLimits(limits, [says(9, 9_000)], now - 1);
	others.applyHeaderLimits([], [says(0, MINUTE + 1)], now);
	for (let count = 0; count < sent; count++) others.sent(underWay());
	expect(others.waitMs(limits)).toBe(expected);
	now += 10_000;
	expect(others.waitMs(limits)).toBe(Math.max(0, expected - 10_000));
});

describe('what a process has published', () => {
	const AGE_MS = 10_000;
	let estimate: string;
	let other: OtherClients;

	beforeEach(() => {
		learn([51]);
		now += AGE_MS;
		[estimate] = others.publish();
		other = new OtherClients();
	});

	test('is its estimate with the age, if it has one, and its pause', () => {
		expect(other.publish()).toEqual(['', 0, 0]);
		expect(others.publish()).toEqual([estimate, AGE_MS, 0]);
		const learned = { rate: 25 / MINUTE, longestMs: MINUTE, refusalsInRow: 1 };
		expect([JSON.parse(estimate), others.shared]).toEqual([learned, estimate]);
	});

	test('counts as a pause alone if the estimate is too old or missing', () => {
		other.merge([estimate, MINUTE, 700]);
		expect([other.publish(), other.waitMs([]), other.shared]).toEqual([
			['', 0, 700],
			700,
			estimate,
		]);
		other.merge(['', 0, 300]);
		expect([other.publish(), other.isKnown, other.shared]).toEqual([['', 0, 700], false, estimate]);
		// Nor do the refusals of the other process count.
		other.learn([{ ...longest, used: 51 }], now);
		expect(other.waitMs([])).toBeCloseTo(1_260);
	});

	test('is merged by another process if it is younger than what that knows', () => {
		const merge = (text: string, ageMs: number, pausedMs = 0) => {
			other.merge([text, ageMs, pausedMs]);
			return other.publish();
		};
		const estimateOf = (refusalsInRow: number) =>
			JSON.stringify({ rate: 50 / MINUTE, longestMs: MINUTE, refusalsInRow });
		expect(merge(estimate, AGE_MS)).toEqual([estimate, AGE_MS, 0]);
		// The same estimate does not get any younger.
		expect(merge(estimate, AGE_MS - 1)).toEqual([estimate, AGE_MS, 0]);
		expect(merge(estimateOf(2), AGE_MS)).toEqual([estimate, AGE_MS, 0]);
		expect(merge(estimateOf(3), AGE_MS - 1, 900)).toEqual([estimateOf(3), AGE_MS - 1, 900]);
		now += 1_000;
		expect(other.publish()[2]).toBe(0);
	});
});

test('with other clients, the next request waits for the end of the one before', () => {
	const first = underWay();
	const second = underWay();
	others.sent(first);
	expect(others.isUnderWay).toBe(false);
	learn([51]);
	expect(others.isUnderWay).toBe(true);
	others.sent(second);
	first.countedAt = now;
	expect(others.isUnderWay).toBe(true);
	second.countedAt = -Infinity;
	expect(others.isUnderWay).toBe(false);
});

test('a refusal lasts until a request that went out later is let through', () => {
	expect([others.isRefusing, others.lastLetThroughAt]).toEqual([false, -Infinity]);
	others.refused(now);
	others.refused(now - 10);
	others.letThrough(now - 5);
	expect([others.isRefusing, others.lastLetThroughAt]).toEqual([true, now - 5]);
	others.letThrough(now + 1);
	others.letThrough(now - 5);
	expect([others.isRefusing, others.lastLetThroughAt]).toEqual([false, now + 1]);
});
