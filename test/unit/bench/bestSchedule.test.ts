import { bestMakespan, bestSchedule } from '../../../bench/bestSchedule';
import { EXAMPLE_LIMITS } from '../../support/exampleLimits';
import { inMs } from '../../support/scaledLimits';

const WINDOWS = EXAMPLE_LIMITS.general.map(inMs);

test.each([
	[0, 0],
	[10, 0],
	[11, 1_000],
	[30, 2_000],
	[31, 10_000],
	[100, 30_000],
	[101, 60_000],
	[130, 62_000],
	[300, 150_000],
])('%i requests take %i ms at best', (count, expected) => {
	expect(bestMakespan(count, WINDOWS)).toBe(expected);
});

test('the schedule fills the windows, and never exceeds one', () => {
	const times = bestSchedule(300, WINDOWS);
	for (const { max, windowMs } of WINDOWS) {
		const gaps = times.slice(max).map((time, index) => time - (times[index] ?? 0));
		expect(Math.min(...gaps)).toBe(windowMs);
	}
});
