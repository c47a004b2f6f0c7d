// When a request is retried: after a 429 as long as waiting can help, otherwise only if a retry does no harm.
import { holdMsOf, type Permit } from '../../../nodes/BusinessData/rateLimit';
import type { FailedAttempt } from '../../../nodes/BusinessData/transport/attempt';
import { RequestError } from '../../../nodes/BusinessData/transport/requestError';
import { Retries } from '../../../nodes/BusinessData/transport/retries';
import { read, requestOf, send } from './examples';

const WINDOW_MS = 60_000;
const HELD_MS = holdMsOf(WINDOW_MS);
const error = new RequestError('', { outcome: 'refused', description: '' });
const permitOf = (lastLetThroughAt: number) => ({ lastLetThroughAt }) as Permit;

let now = 0;

beforeEach(() => {
	now = 1_000_000;
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	jest.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => jest.restoreAllMocks());

/** How long (ms) until it gives up, if all attempts are refused. */
function givesUpAfter(lastLetThroughAt: () => number): number {
	const retries = new Retries(read, WINDOW_MS);
	const startedAt = now;
	for (let retry = 0; retry < 100_000; retry++) {
		const delayMs = retries.after({ error, retry: 'afterRefusal' }, permitOf(lastLetThroughAt()));
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

const idempotent = requestOf('POST', '/txndata/sendTxn', { isIdempotent: true });
const BACKOFF = [0.5, 1, 2];

test.each<[string, typeof read, FailedAttempt['retry'], number | undefined, number[]]>([
	['a read with backoff if a retry has to be harmless', read, 'ifHarmless', undefined, BACKOFF],
	['a read with backoff if a retry is always allowed', read, 'always', undefined, BACKOFF],
	['no read if a retry is never allowed', read, 'never', undefined, []],
	['a read after the pause asked for', read, 'ifHarmless', 7_000, [7, 7, 7]],
	['a read with backoff if the pause asked for is shorter', read, 'ifHarmless', 1_000, [1, 1, 2]],
	['no send if a retry has to be harmless', send, 'ifHarmless', undefined, []],
	['a send with backoff if a retry is always allowed', send, 'always', undefined, BACKOFF],
	['no send if a retry is never allowed', send, 'never', undefined, []],
	['an idempotent send with backoff', idempotent, 'ifHarmless', undefined, BACKOFF],
])('retries %s', (_, request, retry, askedMs, expected) => {
	const retries = new Retries(request, WINDOW_MS);
	const all = [1, 2, 3, 4].map(() => retries.after({ error, retry, askedMs }, permitOf(0)));
	expect(all.flatMap((ms) => (ms === undefined ? [] : [ms / 1_000]))).toEqual(expected);
});
