/** How long to wait before a retry: what the service asks for, and what chance decides. */
import fc from 'fast-check';

import {
	askedWaitMs,
	backoffMs,
	retryAfterMs,
} from '../../../nodes/BusinessData/transport/backoff';

const DAY = 24 * 3_600_000;
const LONGEST = 366 * DAY;
const NOW = Date.parse('2026-03-01T12:00:00Z');
const inSeconds = (seconds: number) => new Date(NOW + seconds * 1000).toUTCString();

describe('Retry-After', () => {
	beforeEach(() => jest.useFakeTimers({ now: NOW }));
	afterEach(() => jest.useRealTimers());

	const retryAfter = (value: unknown, date?: unknown) =>
		retryAfterMs({ 'retry-after': value, ...(date === undefined ? {} : { date }) });

	test.each([
		['0', 0],
		['7', 7_000],
		[' 120 ', 120_000],
		['1.5', 1_500],
		['0.25', 250],
		['86400', DAY],
		['86401', DAY + 1_000],
		['99999999999999999999', LONGEST],
		['9'.repeat(400), LONGEST],
		[String(NOW / 1000 + 30), 30_000],
		[String(NOW + 30_500), 30_500],
	])('of %s seconds', (value, expected) => {
		expect(retryAfter(value)).toBe(expected);
	});

	test('as a date counts from now', () => {
		expect(retryAfter(inSeconds(90))).toBe(90_000);
	});

	test("as a date counts from the response's own clock where it tells the time", () => {
		// The service's clock is an hour ahead.
		expect(retryAfter(inSeconds(3_690), inSeconds(3_600))).toBe(90_000);
		// And an hour behind: by our clock the date is long past.
		expect(retryAfter(inSeconds(-3_510), inSeconds(-3_600))).toBe(90_000);
	});

	test.each(['nonsense', '', 42, undefined])('as a date ignores a Date header %j', (date) => {
		expect(retryAfter(inSeconds(90), date)).toBe(90_000);
	});

	test.each([
		['past', inSeconds(-90), 0],
		['now', inSeconds(0), 0],
		['in a year', inSeconds(365 * 24 * 3_600), 365 * DAY],
		['of the year 9999', 'Fri, 31 Dec 9999 23:59:59 GMT', LONGEST],
		['in the older form', 'Sunday, 01-Mar-26 12:01:30 GMT', 90_000],
		['in ISO 8601', '2026-03-01T12:01:30.000Z', 90_000],
		['in ISO 8601 with its zone', '2026-03-01 13:01:30+01:00', 90_000],
	])('as a date %s', (_, value, expected) => {
		expect(retryAfter(value)).toBe(expected);
	});

	test.each<[Record<string, string>, number | undefined]>([
		[{ 'retry-after-ms': '1500' }, 1_500],
		[{ 'x-retry-after': '2' }, 2_000],
		[{ 'x-ratelimit-retry-after-seconds': '3' }, 3_000],
		[{ 'retry-after': 'soon', 'x-ms-retry-after-ms': '40' }, 40],
		[{ 'x-retry-after': '9', 'retry-after': '4' }, 4_000],
		[{ 'retry-after': '120s' }, 120_000],
		[{ 'retry-after': '5 minutes' }, 300_000],
		[{ 'retry-after': '"30"' }, 30_000],
		[{ 'retry-after-ms': '1.5s' }, 1_500],
		[{ 'x-retry-after': '-1', 'x-no-retry-afterwards': '5' }, undefined],
	])('in the headers %j is %s ms', (headers, expected) => {
		expect(retryAfterMs(headers)).toBe(expected);
	});

	const words = [
		'',
		'  ',
		'soon',
		'5 attempts',
		'2026-03-01T12:01:30',
		'1e3',
		'1,000',
		'NaN',
		`On ${inSeconds(90)}`,
	];
	test.each([...words, `x${inSeconds(90)}`, undefined, 120, ['5']])(
		'that is %j asks for nothing',
		(value) => {
			expect(retryAfter(value)).toBeUndefined();
		},
	);

	test('never asks for a negative time', () => {
		expect(retryAfter('-5') ?? 0).toBe(0);
	});
});

describe('the wait in the body of a 429', () => {
	beforeEach(() => jest.useFakeTimers({ now: NOW }));
	afterEach(() => jest.useRealTimers());

	const asked = (body: string, headers = {}, statusCode = 429) =>
		askedWaitMs({ statusCode, headers, body: Buffer.from(body) });

	test.each<[string, number | undefined]>([
		['{"message":"You are calling too often. Try again in 55 seconds."}', 55_000],
		['<error>Rate limit exceeded, retry after 1.5 s</error>', 1_500],
		['Please wait 2 minutes and 5 seconds before the next request', 125_000],
		['Retry-After: 7', 7_000],
		['Limit resets in 300ms', 300],
		['{"retry_after":3}', 3_000],
		['{"error":{"retryAfterSeconds":"4"}}', 4_000],
		['{"retryAfterMs":2500}', 2_500],
		['{"retry_in":"6s"}', 6_000],
		['{"retryDelay":"3.5s"}', 3_500],
		['{"wait_seconds": 8}', 8_000],
		['<retryAfter>12</retryAfter>', 12_000],
		[`{"rate_limit_reset":${NOW / 1000 + 9}}`, 9_000],
		['Available again at 2026-03-01T12:00:40Z', 40_000],
		['{"reset_at":"2026-03-01T12:00:40+00:00"}', 40_000],
		['The daily limit is used up: try again in 14 hours', 14 * 3_600_000],
		['You sent 101 requests in 60 seconds. Retry later.', undefined],
		['At most 100 requests per 60 seconds, wait and retry', undefined],
		['{"code":429,"message":"Bitte versuchen Sie es in 30 Sekunden erneut."}', 30_000],
		['<p>Trop de requêtes (429). Réessayez dans 2 minutes.</p>', 120_000],
		['Espere 1.5 segundos', 1_500],
		['Riprova tra 40 secondi', 40_000],
		['Försök igen om 12 sekunder', 12_000],
		['Probeer het over 5 sec. opnieuw', 5_000],
		['Spróbuj ponownie za 7 s.', 7_000],
		['Nächster Versuch: 250 ms', 250],
		['Maximal 25 Anfragen in 5 Sekunden', undefined],
		['Une requête par 10 minutes', undefined],
		['The window is 15 minutes', undefined],
		['Mandant 17 gesperrt', undefined],
		['{"window":"15 min","limit":100}', undefined],
		['Fehler 429: noch 90 Sekunden', 90_000],
		['3 Min. bitte warten', 180_000],
		['-5 Sekunden', undefined],
		['{"retry":true,"limit":100,"max_retries":3}', undefined],
		['{"retry_after":-3}', undefined],
		['{"retry_after":null,"code":42}', undefined],
		['{"retry_at":"2020-03-01T12:00:40Z"}', undefined],
		[`Try again in ${'9'.repeat(400)} seconds`, undefined],
		['{"reset_at":"2026-99-99T99:99:99Z"}', undefined],
		['', undefined],
	])('%s', (body, expected) => {
		expect(asked(body)).toBe(expected);
	});

	test('is not asked where a header says it, nor of other responses', () => {
		expect(asked('Try again in 55 seconds', { 'retry-after': '2' })).toBe(2_000);
		expect(asked('Try again in 55 seconds', { 'retry-after': 'soon' })).toBe(55_000);
		expect(asked('Try again in 55 seconds', {}, 400)).toBeUndefined();
	});

	test('is a bounded time, whatever the body', () => {
		const words = [
			'try again in ',
			'"retry_after":',
			'wait',
			'9e99',
			'1'.repeat(30),
			' ms',
			' days',
		];
		const body = fc.array(
			fc.oneof(fc.string(), fc.constantFrom(...words), fc.double().map(String)),
		);
		fc.assert(
			fc.property(body, (parts) => {
				const ms = asked(parts.join('')) ?? 0;
				expect(ms >= 0 && ms <= LONGEST).toBe(true);
			}),
			{ numRuns: 2_000 },
		);
	});

	test('is looked for in a text of any size in no time', () => {
		const startedAt = performance.now();
		asked('try again 1 m 1 s, '.repeat(100_000));
		asked(`retry after ${'1 s '.repeat(100_000)}`);
		asked('wait'.repeat(100_000));
		expect(performance.now() - startedAt).toBeLessThan(1_000);
	});
});

describe('backoff', () => {
	afterEach(() => jest.restoreAllMocks());

	const withChance = (chance: number, attempt: number, capMs?: number) => {
		jest.spyOn(Math, 'random').mockReturnValue(chance);
		return backoffMs(attempt, capMs);
	};

	test.each([
		[0, 1_000],
		[1, 2_000],
		[2, 4_000],
		[5, 32_000],
		[6, 60_000],
		[30, 60_000],
		[5_000, 60_000],
	])('of attempt %i is anything from 0 to %i ms', (attempt, most) => {
		expect(withChance(0, attempt)).toBe(0);
		expect(withChance(0.5, attempt)).toBe(most / 2);
		expect(withChance(1, attempt)).toBe(most);
	});

	test('grows up to the cap that is given', () => {
		expect(withChance(1, 9, 600_000)).toBe(512_000);
		expect(withChance(1, 10, 600_000)).toBe(600_000);
		expect(withChance(1, 5, 500)).toBe(500);
	});

	test('is spread over the whole time', () => {
		const times = Array.from({ length: 1_000 }, () => backoffMs(2));
		expect(Math.min(...times)).toBeGreaterThanOrEqual(0);
		expect(Math.max(...times)).toBeLessThan(4_000);
		for (let quarter = 0; quarter < 4; quarter++) {
			const inQuarter = times.filter((ms) => Math.floor(ms / 1_000) === quarter);
			expect(inQuarter.length).toBeGreaterThan(150);
		}
	});
});
