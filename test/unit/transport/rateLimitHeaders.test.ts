// What a service says of its limits in headers, in all forms, and what is ignored.

import fc from 'fast-check';

import { OtherClients } from '../../../nodes/BusinessData/rateLimit/otherClients';
import {
	headerPolicies,
	headerLimits,
} from '../../../nodes/BusinessData/transport/rateLimitHeaders';

const LONGEST_MS = 600_000;

const NOW = Date.parse('2026-03-01T12:00:00Z');

beforeEach(() => jest.useFakeTimers({ now: NOW }));
afterEach(() => jest.useRealTimers());

test.each<[string, Record<string, unknown>, unknown[]]>([
	['the draft', { ratelimit: '"default";r=50;t=30' }, [{ remaining: 50, resetMs: 30_000 }]],
	[
		'the draft with several limits',
		{ ratelimit: '"burst";r=0;t=1, "minute";r=12;t=40' },
		[
			{ remaining: 0, resetMs: 1_000 },
			{ remaining: 12, resetMs: 40_000 },
		],
	],
	[
		'the older draft',
		{ ratelimit: 'limit=100, remaining=5, reset=7' },
		[{ remaining: 5, resetMs: 7_000, max: 100 }],
	],
	[
		'RateLimit-*',
		{ 'ratelimit-limit': '30, 30;w=10', 'ratelimit-remaining': '3', 'ratelimit-reset': '2' },
		[{ remaining: 3, resetMs: 2_000, max: 30 }],
	],
	[
		'X-RateLimit-* in seconds',
		{ 'x-ratelimit-limit': '10', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' },
		[{ remaining: 0, resetMs: 1_000, max: 10 }],
	],
	[
		'X-RateLimit-* since 1970',
		{ 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': String(NOW / 1000 + 20) },
		[{ remaining: 1, resetMs: 20_000 }],
	],
	[
		'X-RateLimit-* since 1970 in ms, against the clock of the service',
		{
			'x-ratelimit-remaining': '1',
			'x-ratelimit-reset': String(NOW + 3_600_000 + 500),
			date: new Date(NOW + 3_600_000).toUTCString(),
		},
		[{ remaining: 1, resetMs: 500 }],
	],
	[
		'X-Rate-Limit-* in seconds with decimals',
		{ 'x-rate-limit-remaining': '3', 'x-rate-limit-reset': '58.37' },
		[{ remaining: 3, resetMs: 58_370 }],
	],
	[
		'Rate-Limit-* in ms, as no window lasts so many seconds',
		{ 'rate-limit-limit': '60', 'rate-limit-remaining': '3', 'rate-limit-reset': '5500' },
		[{ remaining: 3, resetMs: 5_500, max: 60 }],
	],
	[
		'X-RateLimit-* in ISO 8601',
		{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '2026-03-01T12:00:20Z' },
		[{ remaining: 0, resetMs: 20_000 }],
	],
	[
		'X-RateLimit-* as an HTTP date',
		{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': new Date(NOW + 20_000).toUTCString() },
		[{ remaining: 0, resetMs: 20_000 }],
	],
	[
		'X-RateLimit-* with a unit',
		{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '20s' },
		[{ remaining: 0, resetMs: 20_000 }],
	],
	[
		'X-RateLimit-Reset-After',
		{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '1.5' },
		[{ remaining: 0, resetMs: 1_500 }],
	],
	[
		'two limits side by side',
		{
			'x-ratelimit-remaining': '4990',
			'x-ratelimit-reset': String(NOW + 3_600_000),
			'x-ratelimit-minutely-remaining': '55',
			'x-ratelimit-minutely-reset': String(NOW + 7_000),
		},
		[
			{ remaining: 4_990, resetMs: 3_600_000 },
			{ remaining: 55, resetMs: 7_000 },
		],
	],
	[
		'a draft that cannot be understood, beside what can',
		{ ratelimit: 'plenty', 'ratelimit-remaining': '3', 'ratelimit-reset': '2' },
		[{ remaining: 3, resetMs: 2_000 }],
	],
])('%s', (_, headers, expected) => {
	expect(headerLimits(headers, LONGEST_MS)).toEqual(expected);
});

test.each([{}, { 'x-rate-limit-remaining': '-1' }, { 'x-rate-limit-remaining': '0.0' }])(
	'a refusal with %j says that nothing is left',
	(remaining) => {
		const headers = { ...remaining, 'x-rate-limit-reset': '12' };
		expect(headerLimits(headers, LONGEST_MS, true)).toEqual([{ remaining: 0, resetMs: 12_000 }]);
	},
);

test('no header makes the limiter wait longer than its window, or leaves more free than without it', () => {
	const window = { max: 10, windowMs: 60_000 };
	const names = ['ratelimit', 'date', ...['', 'x-'].flatMap(namesOf)];
	const value = fc.oneof(
		fc.string(),
		fc.integer().map(String),
		fc.double().map(String),
		fc.bigInt().map(String),
		fc.constantFrom('"a";r=0;t=9e9', 'limit=1, remaining=0, reset=99999999999', 'Infinity', '-0'),
		fc.tuple(fc.nat(9), fc.double({ min: 0 })).map(([left, reset]) => `"a";r=${left};t=${reset}`),
	);
	const headers = fc.dictionary(fc.constantFrom(...names), value);
	fc.assert(
		fc.property(headers, fc.boolean(), (some, isRefused) => {
			const use = new OtherClients();
			const said = headerLimits(some, LONGEST_MS, isRefused);
			use.applyHeaderLimits(
				[window],
				said.map(({ remaining: left, resetMs }) => ({ left, resetMs })),
			);
			const waitMs = use.waitMs([window]);
			expect(waitMs >= 0 && waitMs <= window.windowMs).toBe(true);
			expect(use.roomIn(window)).toBe(window.max);
		}),
		{ numRuns: 2_000 },
	);
});

function namesOf(prefix: string): string[] {
	return ['limit', 'remaining', 'reset'].flatMap((name) => [
		`${prefix}ratelimit-${name}`,
		`${prefix}rate-limit-${name}`,
	]);
}

test.each<[string, Record<string, unknown>]>([
	['nothing', {}],
	['an empty header', { ratelimit: '' }],
	['a text', { ratelimit: 'plenty' }],
	['no reset', { 'x-ratelimit-remaining': '5' }],
	['no remaining', { 'x-ratelimit-reset': '5' }],
	['a negative number', { 'x-ratelimit-remaining': '-1', 'x-ratelimit-reset': '5' }],
	['a fraction', { 'x-ratelimit-remaining': '1.5', 'x-ratelimit-reset': '5' }],
	['more left than there is', { ratelimit: 'limit=10, remaining=11, reset=5' }],
	['a moment that is past', { ratelimit: `"a";r=1;t=${NOW / 1000 - 5}` }],
	['reset at once', { ratelimit: '"a";r=1;t=0' }],
	['a huge number', { ratelimit: `"a";r=${'9'.repeat(30)};t=5` }],
	['a list', { 'x-ratelimit-remaining': ['1', '2'], 'x-ratelimit-reset': '5' }],
	['a reset in words', { 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': 'soon' }],
	['no limit at all', { 'x-rate-limit-remaining': '0', 'x-rate-limit-reset': '1e3' }],
	['half a header', { ratelimit: '"a;r=;t==,,;' }],
])('ignores %s', (_, headers) => {
	expect(headerLimits(headers, LONGEST_MS)).toEqual([]);
});

test.each<[string, string, unknown[]]>([
	[
		'the draft',
		'"burst";q=10;w=1, "minute";q=100;w=60',
		[
			[10, 1],
			[100, 60],
		],
	],
	[
		'the older draft',
		'10;w=1, 50;w=60;comment="x"',
		[
			[10, 1],
			[50, 60],
		],
	],
	['a policy without a window', '"a";q=10', []],
	['nonsense', ';;;,=', []],
])('policies: %s', (_, header, expected) => {
	const policies = headerPolicies({ 'ratelimit-policy': header });
	expect(policies.map(({ max, windowSeconds }) => [max, windowSeconds])).toEqual(expected);
});
