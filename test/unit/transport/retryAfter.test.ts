/** How long the service asks to wait. */
import { execFileSync } from 'node:child_process';

import fc from 'fast-check';

import { askedWaitMs, retryAfterMs } from '../../../nodes/BusinessData/transport/retryAfter';
import { processorSeconds } from '../../support/processorTime';
import { responseOf } from './examples';

const modulePath = require.resolve('../../../nodes/BusinessData/transport/retryAfter');
const DAY = 24 * 3_600_000;
const LONGEST = 366 * DAY;
const NOW = Date.parse('2026-03-01T12:00:00Z');
const inSeconds = (seconds: number) => new Date(NOW + seconds * 1000).toUTCString();

beforeEach(() => jest.useFakeTimers({ now: NOW }));
afterEach(() => jest.useRealTimers());

describe('Retry-After', () => {
	const retryAfter = (value: unknown, date?: unknown) =>
		retryAfterMs({ 'retry-after': value, ...(date === undefined ? {} : { date }) });

	const none = (value: unknown): [unknown, undefined] => [value, undefined];
	test.each<[unknown, number | undefined]>([
		['0', 0],
		[' 120 ', 120_000],
		['0.25', 250],
		['99999999999999999999', LONGEST],
		['9'.repeat(400), LONGEST],
		[String(NOW / 1000 + 30), 30_000],
		[String(NOW + 30_500), 30_500],
		[inSeconds(-90), 0],
		[inSeconds(0), 0],
		[inSeconds(365 * 24 * 3_600), 365 * DAY],
		['Fri, 31 Dec 9999 23:59:59 GMT', LONGEST],
		['Sunday, 01-Mar-26 12:01:30 GMT', 90_000],
		['2026-03-01T12:01:30.000Z', 90_000],
		['2026-03-01 13:01:30+01:00', 90_000],
		['120s', 120_000],
		['5 minutes', 300_000],
		['2 h', 7_200_000],
		['1day', DAY],
		['1m30s', 90_000],
		['"30"', 30_000],
		...['', '  ', 'soon', '5 attempts', '2026-03-01T12:01:30', '1e3', '1,000', 'NaN', '-5'].map(
			none,
		),
		...[`x${inSeconds(90)}`, `On ${inSeconds(90)}`, undefined, 120, ['5']].map(none),
	])('of %j is %s ms', (value, expected) => {
		expect(retryAfter(value)).toBe(expected);
	});

	test('as an asctime date is in UTC, in any time zone', () => {
		const headers = { 'retry-after': 'Sun Mar  1 12:01:30 2026', date: inSeconds(0) };
		// A process keeps the time zone that it began with.
		const script = `process.stdout.write(String(require(${JSON.stringify(modulePath)}).retryAfterMs(${JSON.stringify(headers)})))`;
		const env = { ...process.env, TZ: 'America/New_York' };
		expect(execFileSync(process.execPath, ['-e', script], { env }).toString()).toBe('90000');
	});

	test('as a date is relative to the Date header, if there is one', () => {
		// The service's clock is an hour ahead, and an hour behind: by our clock the date is long past.
		expect(retryAfter(inSeconds(3_690), inSeconds(3_600))).toBe(90_000);
		expect(retryAfter(inSeconds(-3_510), inSeconds(-3_600))).toBe(90_000);
		for (const date of ['nonsense', '', 42, undefined]) {
			expect(retryAfter(inSeconds(90), date)).toBe(90_000);
		}
	});

	test.each<[Record<string, string>, number | undefined]>([
		[{ 'retry-after-ms': '1500' }, 1_500],
		[{ 'x-retry-after': '2' }, 2_000],
		[{ 'x-ratelimit-retry-after-seconds': '3' }, 3_000],
		[{ 'retry-after': 'soon', 'x-ms-retry-after-ms': '40' }, 40],
		[{ 'x-retry-after': '9', 'retry-after': '4' }, 4_000],
		[{ 'retry-after-ms': '1.5s' }, 1_500],
		[{ 'x-retry-after': '-1', 'x-no-retry-afterwards': '5' }, undefined],
	])('in the headers %j is %s ms', (headers, expected) => {
		expect(retryAfterMs(headers)).toBe(expected);
	});

	test('of 100,000 digits is read within seconds', () => {
		const digits = '1'.repeat(100_000);
		const seconds = processorSeconds(() => expect(retryAfter(digits)).toBeUndefined());
		expect(seconds).toBeLessThan(5);
	});
});

describe('the wait in the body of a 429', () => {
	const asked = (body: string, headers = {}, statusCode = 429) =>
		askedWaitMs(responseOf(body, { statusCode, headers }));

	test.each<[string, number | undefined]>([
		['{"message":"You are calling too often. Try again in 55 seconds."}', 55_000],
		['<error>Rate limit exceeded, retry after 1.5 s</error>', 1_500],
		['Please wait 2 minutes before the next request', 120_000],
		['Expected available in 12 seconds', 12_000],
		['Try again in 1 minute and 30 seconds', 90_000],
		['Retry after 1h, 2m 3.5s.', 3_723_500],
		['{"retry_after":"1m30s"}', 90_000],
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
		['{"reset_at":"soon","message":"Wait 3 s"}', 3_000],
		['The daily limit is used up: try again in 14 hours', 14 * 3_600_000],
		['You sent 101 requests in 60 seconds. Retry later.', undefined],
		['At most 100 requests per 60 seconds, wait and retry', undefined],
		['The window is 15 minutes', undefined],
		['{"retry":true,"limit":100,"max_retries":3}', undefined],
		['{"retry_after":-3}', undefined],
		['{"retry_after":null,"code":42}', undefined],
		['{"retry_at":"2020-03-01T12:00:40Z"}', undefined],
		[`Try again in ${'9'.repeat(400)} seconds`, undefined],
		['{"reset_at":"2026-99-99T99:99:99Z"}', undefined],
		['', undefined],
	])('in %s is %s ms', (body, expected) => {
		expect(asked(body)).toBe(expected);
	});

	test('is ignored if a header has one, and in other responses', () => {
		expect(asked('Try again in 55 seconds', { 'retry-after': '2' })).toBe(2_000);
		expect(asked('Try again in 55 seconds', { 'retry-after': 'soon' })).toBe(55_000);
		expect(asked('Try again in 55 seconds', {}, 400)).toBeUndefined();
	});

	test('is bounded, whatever the body', () => {
		const words = ['try again in ', '"retry_after":', 'wait', '9e99', '1'.repeat(30), ' ms'];
		const part = fc.oneof(fc.string(), fc.constantFrom(...words), fc.double().map(String));
		fc.assert(
			fc.property(fc.array(part), (parts) => {
				const ms = asked(parts.join('')) ?? 0;
				expect(ms >= 0 && ms <= LONGEST).toBe(true);
			}),
			{ numRuns: 2_000 },
		);
	});

	test('is searched for in a long text within seconds', () => {
		const seconds = processorSeconds(() => {
			for (const text of ['try again 1 m 1 s, ', 'retry after 1 s ', 'wait', 'reset_'])
				asked(text.repeat(100_000));
		});
		expect(seconds).toBeLessThan(5);
	});
});
