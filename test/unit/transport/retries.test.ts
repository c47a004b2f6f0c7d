// When a request is retried: after a 429 as long as waiting can help, otherwise three times.
import { holdMsOf, type Permit } from '../../../nodes/BusinessData/rateLimit';
import { RequestError } from '../../../nodes/BusinessData/transport/requestError';
import { Retries } from '../../../nodes/BusinessData/transport/retries';
import { responseOf } from './examples';

const WINDOW_MS = 60_000;
const HELD_MS = holdMsOf(WINDOW_MS);
const error = new RequestError('', { outcome: 'refused', description: '' });
const refusal = { error, response: responseOf('', { statusCode: 429 }), mayRetry: true };
const permitOf = (lastLetThroughAt: number) =>
	({ lastLetThroughAt, longestWindowMs: WINDOW_MS }) as Permit;

let now = 0;

beforeEach(() => {
	now = 1_000_000;
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	jest.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => jest.restoreAllMocks());

/** How long (ms) until it gives up, if all attempts are refused. */
function givesUpAfter(lastLetThroughAt: () => number): number {
	const retries = new Retries();
	const startedAt = now;
	for (let retry = 0; retry < 100_000; retry++) {
		const delayMs = retries.after(refusal, permitOf(lastLetThroughAt()));
		if (delayMs === undefined) return now - startedAt;
		// The time at the limiter.
		now += 10 + delayMs;
	}
	throw new Error('It never gives up');
}

test('gives up when the longest window has passed and nothing was let through', () => {
	expect(givesUpAfter(() => -Infinity)).toBe(HELD_MS);
});

test('goes on while others with the same limits are let through, but not forever', () => {
	const lastAt = now + 2.5 * HELD_MS;
	expect(givesUpAfter(() => Math.min(now, lastAt))).toBeCloseTo(3.5 * HELD_MS, -2);
	expect(givesUpAfter(() => now)).toBeCloseTo(10 * HELD_MS, -2);
});

test.each([
	[undefined, [500, 1_000, 2_000, undefined]],
	[7_000, [7_000, 7_000, 7_000, undefined]],
	[1_000, [1_000, 1_000, 2_000, undefined]],
])('retries with backoff, but not before the pause asked for (%s ms)', (askedMs, expected) => {
	const retries = new Retries();
	const all = expected.map(() => retries.after({ error, mayRetry: true, askedMs }, permitOf(0)));
	expect(all).toEqual(expected);
});
