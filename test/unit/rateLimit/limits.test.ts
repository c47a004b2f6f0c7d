// The figures that follow from limits: names, how long a slot is held, and how long a request waits at the least.
import { estimateWait, estimateWaitIn } from '../../../nodes/BusinessData/rateLimit/estimate';
import {
	holdMsOf,
	type Limits,
	limitsOfScope,
	longestWindowMs,
	scopeName,
	windowName,
} from '../../../nodes/BusinessData/rateLimit/limits';
import type { LimitedWindow, Stages } from '../../../nodes/BusinessData/rateLimit/scope';

const limit = { max: 3, windowMs: 1_500 };
const limits: Limits = {
	general: [limit, { max: 9, windowMs: 600 }],
	scopes: { 'POST /a': [{ max: 1, windowMs: 2_000 }], 'POST /b': [] },
	names: { 'POST /a': 'POST /A/' },
};

test('names are those that users see', () => {
	expect(windowName('general', limit)).toBe('general/1.5s');
	expect(scopeName(limits, 'POST /a')).toBe('POST /A/');
	expect(scopeName(limits, 'POST /b')).toBe('POST /b');
	expect(scopeName({ general: [], scopes: {} }, 'POST /b')).toBe('POST /b');
});

test.each([
	['POST /a', 1, 2_000],
	['POST /b', 0, 1_500],
	['POST /c', 0, 1_500],
	[undefined, 0, 1_500],
])('%s has %i limits of its own, and windows up to %i ms', (scope, count, longestMs) => {
	expect(limitsOfScope(limits, scope)).toHaveLength(count);
	expect(longestWindowMs(limits, scope)).toBe(longestMs);
	expect(longestWindowMs({ general: [], scopes: {} }, scope)).toBe(0);
});

test.each([
	[100, 110],
	[500, 510],
	[1_000, 1_020],
	[5_000, 5_100],
	[60_000, 60_100],
	[200_000, 200_100],
	[600_000, 600_300],
	[86_400_000, 86_443_200],
])('a slot of %i ms is held for %i ms', (windowMs, holdMs) => {
	expect(holdMsOf(windowMs)).toBe(holdMs);
});

/** How many it takes, how long (ms) it holds each, and after what times (ms) the taken ones come free. */
type Windows = Array<[room: number, holdMs: number, free: number[]]>;

const NOW = 1_000_000;
const windowsOf = (windows: Windows) =>
	windows.map(([room, holdMs, free]) => ({
		...{ room, holdMs },
		window: { used: free.length, freeTimes: () => free.map((ms) => NOW + ms) },
	})) as unknown as LimitedWindow[];

describe('the shortest wait', () => {
	beforeEach(() => void jest.spyOn(performance, 'now').mockReturnValue(NOW));
	afterEach(() => jest.restoreAllMocks());

	const full: Windows = [[3, 100, [30, 10, 20]]];
	const two: Windows = [
		[2, 50, [5]],
		[3, 100, [70, 80]],
	];

	test.each<[string, Windows, number, number, Array<[inMs: number, left: number]>, number]>([
		['without limits', [], 5, 5, [], 0],
		['with room', [[3, 100, [30]]], 1, 1, [], 0],
		['with room for one less', [[3, 100, [30]]], 1, 2, [], 30],
		['for one', full, 0, 1, [], 10],
		['for two at once', full, 0, 2, [], 20],
		['for more than there is room for', full, 0, 5, [], 30],
		['behind one', full, 1, 1, [], 20],
		['behind two', full, 2, 1, [], 30],
		['behind as many as fit', full, 3, 1, [], 110],
		['behind four', full, 4, 1, [], 120],
		['behind two turns and one', full, 7, 1, [], 220],
		['for three behind one', full, 1, 3, [], 110],
		['in two windows', two, 0, 1, [], 0],
		['for two in two windows', two, 0, 2, [], 70],
		['behind one in two windows', two, 1, 1, [], 70],
		['behind two in two windows', two, 2, 1, [], 80],
		['behind three in two windows', two, 3, 1, [], 100],
		['behind three where each is as slow', [...two, [3, 100, []]], 3, 1, [], 100],
		[
			'behind many where the first is slowest',
			[
				[1, 1_000, [400]],
				[20, 100, []],
			],
			20,
			1,
			[],
			20_400,
		],
		['beside a ticket', [[3, 100, []]], 0, 1, [[40, 2]], 0],
		['for two beside a ticket', [[3, 100, []]], 0, 2, [[40, 2]], 140],
		[
			'for three beside two tickets',
			[[3, 100, [5]]],
			0,
			2,
			[
				[40, 1],
				[60, 1],
			],
			140,
		],
	])('%s', (_, windows, ahead, count, promised, expected) => {
		const all = promised.map(([inMs, left]) => ({ name: 'a', at: NOW + inMs, left }));
		expect(estimateWaitIn(windowsOf(windows), ahead, count, all)).toBe(expected);
		if (count === 1 && promised.length === 0) {
			expect(estimateWaitIn(windowsOf(windows), ahead)).toBe(expected);
		}
	});

	const stage = (windows: Windows) => ({ windows: windowsOf(windows) });
	test.each<[string, Windows | undefined, Windows, number, number, number, number]>([
		['of all requests', undefined, full, 2, 1, 0, 30],
		['of a pause', undefined, full, 2, 1, 50, 50],
		['of a scope with room', [[9, 900, []]], full, 2, 1, 0, 30],
		['of a scope without room, of which nobody is ahead in general', full, two, 2, 1, 0, 30],
		['of a scope, for two', [[9, 900, []]], two, 0, 2, 0, 70],
		['of a scope that is slower', [[1, 900, [400]]], full, 0, 1, 0, 400],
		['of a scope that is quicker', [[1, 5, [3]]], full, 9, 1, 0, 48],
	])('%s', (_, scope, general, ahead, count, pausedMs, expected) => {
		const stages = {
			scope: scope && stage(scope),
			general: stage(general),
			own: stage(scope ?? general),
			pausedMs,
		} as unknown as Stages;
		expect(estimateWait(stages, ahead, count)).toBe(expected);
		if (count === 1) expect(estimateWait(stages, ahead)).toBe(expected);
	});
});
