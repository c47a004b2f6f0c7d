// Figures derived from limits: the longest window of a request, and how long a slot is held.
import {
	holdMsOf,
	type Limits,
	limitsOfEndpoint,
	longestWindowMs,
} from '../../../nodes/BusinessData/rateLimit/limits';

const limit = { max: 3, windowMs: 1_500 };
const limits: Limits = {
	general: [limit, { max: 9, windowMs: 600 }],
	endpoints: { 'POST /a': [{ max: 1, windowMs: 2_000 }], 'POST /b': [] },
};

test.each([
	['POST /a', 1, 2_000],
	['POST /b', 0, 1_500],
	['POST /c', 0, 1_500],
	[undefined, 0, 1_500],
])('%s has %i limits of its own, and windows up to %i ms', (endpoint, count, longestMs) => {
	const own = limitsOfEndpoint(limits, endpoint);
	expect(own).toHaveLength(count);
	expect(longestWindowMs([{ limits: own }, { limits: limits.general }])).toBe(longestMs);
	expect(longestWindowMs([{ limits: [] }])).toBe(60_000);
});

test.each([
	[500, 510],
	[1_000, 1_020],
	[5_000, 5_100],
	[200_000, 200_100],
	[600_000, 600_300],
])('a slot in a window of %i ms is held for %i ms', (windowMs, holdMs) => {
	expect(holdMsOf(windowMs)).toBe(holdMs);
});
