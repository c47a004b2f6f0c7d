/** How long to wait before a repetition: what the service asks for, and what chance decides. */
import { backoffMs, retryAfterMs } from '../../../nodes/BusinessData/transport/backoff';

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
	])('of %s seconds', (value, expected) => {
		expect(retryAfter(value)).toBe(expected);
	});

	test('as a date counts from now', () => {
		expect(retryAfter(inSeconds(90))).toBe(90_000);
	});

	test("as a date counts from the answer's own clock where it tells the time", () => {
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
	])('as a date %s', (_, value, expected) => {
		expect(retryAfter(value)).toBe(expected);
	});

	const words = [
		'',
		'  ',
		'soon',
		'5 minutes',
		'120s',
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
