// Rate-limit headers, in all forms that services use, and what is ignored.

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

/** The headers of a limit. */
const named = (prefix: string, remaining: string, reset: string, limit?: string) => ({
	[`${prefix}-remaining`]: remaining,
	[`${prefix}-reset`]: reset,
	...(limit === undefined ? {} : { [`${prefix}-limit`]: limit }),
});
const left = (remaining: number, resetMs: number, max?: number) => ({ remaining, resetMs, max });
const hourly = named('x-ratelimit', '4990', String(NOW + 3_600_000));
const minutely = named('x-ratelimit-minutely', '55', String(NOW + 7_000));
const anHourAhead = { date: new Date(NOW + 3_600_000).toUTCString() };

/** Headers that say nothing of a limit. */
const WITHOUT: Array<Record<string, unknown>> = [
	{},
	{ ratelimit: '' },
	{ ratelimit: 'plenty' },
	{ 'x-ratelimit-remaining': '5' },
	{ 'x-ratelimit-reset': '5' },
	named('x-ratelimit', '-1', '5'),
	named('x-ratelimit', '1.5', '5'),
	{ ratelimit: 'limit=10, remaining=11, reset=5' },
	{ ratelimit: `"a";r=1;t=${NOW / 1000 - 5}` },
	{ ratelimit: '"a";r=1;t=0' },
	{ ratelimit: `"a";r=${'9'.repeat(30)};t=5` },
	{ 'x-ratelimit-remaining': ['1', '2'], 'x-ratelimit-reset': '5' },
	named('x-rate-limit', '0', 'soon'),
	named('x-rate-limit', '0', '1e3'),
	{ ratelimit: '"a;r=;t==,,;' },
];

test.each<[Record<string, unknown>, unknown[]]>([
	...WITHOUT.map((headers): [Record<string, unknown>, never[]] => [headers, []]),
	[{ ratelimit: '"default";r=50;t=30' }, [left(50, 30_000)]],
	[{ ratelimit: '"burst";r=0;t=1, "minute";r=12;t=40' }, [left(0, 1_000), left(12, 40_000)]],
	[{ ratelimit: 'limit=100, remaining=5, reset=7' }, [left(5, 7_000, 100)]],
	[
		{ 'x-ratelimit-policy': 'default;q=400;w=60', 'x-ratelimit': 'default;r=0;t=45' },
		[left(0, 45_000, 400)],
	],
	[named('ratelimit', '3', '2', '30, 30;w=10'), [left(3, 2_000, 30)]],
	[named('x-ratelimit', '0', '1', '10'), [left(0, 1_000, 10)]],
	[named('x-ratelimit', '1', String(NOW / 1000 + 20)), [left(1, 20_000)]],
	[{ ...named('x-ratelimit', '1', String(NOW + 3_600_500)), ...anHourAhead }, [left(1, 500)]],
	[named('x-rate-limit', '3', '58.37'), [left(3, 58_370)]],
	// No window is that many seconds long, so these are milliseconds.
	[named('rate-limit', '3', '5500', '60'), [left(3, 5_500, 60)]],
	[named('x-ratelimit', '0', '2026-03-01T12:00:20Z'), [left(0, 20_000)]],
	[named('x-ratelimit', '0', new Date(NOW + 20_000).toUTCString()), [left(0, 20_000)]],
	[named('x-ratelimit', '0', '20s'), [left(0, 20_000)]],
	[{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset-after': '1.5' }, [left(0, 1_500)]],
	[{ ...hourly, ...minutely }, [left(4_990, 3_600_000), left(55, 7_000)]],
	[{ ratelimit: 'plenty', ...named('ratelimit', '3', '2') }, [left(3, 2_000)]],
])('limits are read from the headers %j', (headers, expected) => {
	expect(headerLimits(headers, LONGEST_MS)).toEqual(expected);
});

test.each([{}, { 'x-rate-limit-remaining': '-1' }, { 'x-rate-limit-remaining': '0.0' }])(
	'a refusal with %j means that nothing is left',
	(remaining) => {
		const headers = { ...remaining, 'x-rate-limit-reset': '12' };
		expect(headerLimits(headers, LONGEST_MS, true)).toEqual([left(0, 12_000)]);
	},
);

test('no header makes a request wait longer than its window, or gives it more room', () => {
	const window = { max: 10, windowMs: 60_000 };
	const prefixes = ['ratelimit', 'rate-limit', 'x-ratelimit', 'x-rate-limit'];
	const names = prefixes.flatMap((prefix) => Object.keys(named(prefix, '', '', '')));
	const value = fc.oneof(
		fc.string(),
		fc.integer().map(String),
		fc.double().map(String),
		fc.bigInt().map(String),
		fc.constantFrom('"a";r=0;t=9e9', 'limit=1, remaining=0, reset=99999999999', 'Infinity', '-0'),
		fc.tuple(fc.nat(9), fc.double({ min: 0 })).map(([left, reset]) => `"a";r=${left};t=${reset}`),
	);
	const headers = fc.dictionary(fc.constantFrom('ratelimit', 'date', ...names), value);
	fc.assert(
		fc.property(headers, fc.boolean(), (some, isRefused) => {
			const others = new OtherClients();
			const said = headerLimits(some, LONGEST_MS, isRefused);
			const rooms = said.map(({ remaining, resetMs }) => ({ left: remaining, resetMs }));
			others.applyHeaderLimits([window], rooms, 0);
			const waitMs = others.waitMs([window]);
			expect(waitMs >= 0 && waitMs <= window.windowMs).toBe(true);
			expect(others.roomIn(window)).toBe(window.max);
		}),
		{ numRuns: 2_000 },
	);
});

test.each([
	['"burst";q=10;w=1, "minute";q=100;w=60', '10 per 1, 100 per 60'],
	['10;w=1, 50;w=60;comment="x"', '10 per 1, 50 per 60'],
	['"bytes";q=65535;qu="content-bytes";w=10, "a";q=5;w=1;qu="requests"', '5 per 1'],
	['"a";q=10', ''],
	[';;;,=', ''],
])('the RateLimit-Policy %s gives %j', (header, expected) => {
	const policies = headerPolicies({ 'ratelimit-policy': header });
	const shown = policies.map(({ max, windowSeconds }) => `${max} per ${windowSeconds}`);
	expect(shown.join(', ')).toBe(expected);
});
