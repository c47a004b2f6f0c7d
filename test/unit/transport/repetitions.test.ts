// A 429 is repeated for as long as waiting can cure it.
import { holdMsOf, type Permit } from '../../../nodes/BusinessData/rateLimit';
import { ENDPOINTS } from '../../../nodes/BusinessData/transport/endpoints';
import { Repetitions } from '../../../nodes/BusinessData/transport/repetitions';

const WINDOW_MS = 60_000;
const HELD_MS = holdMsOf(WINDOW_MS);
const request = {
	endpoint: ENDPOINTS.getContacts,
	query: [],
	headers: {},
	timeoutMs: 1_000,
	maxWaitMs: Infinity,
};
const answer = { statusCode: 429, headers: {}, body: Buffer.alloc(0), mayHaveActed: false };

let now = 0;

beforeEach(() => {
	now = 1_000_000;
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	jest.spyOn(Math, 'random').mockReturnValue(0.999);
});
afterEach(() => jest.restoreAllMocks());

/** Repeats until it gives up. Returns how long (ms) that took. */
function givesUpAfter(lastLetThroughAt: () => number): number {
	const repetitions = new Repetitions(request, WINDOW_MS);
	const startedAt = now;
	for (let repetition = 0; repetition < 100_000; repetition++) {
		const permit = { lastLetThroughAt: lastLetThroughAt() } as Permit;
		const delayMs = repetitions.after({ kind: 'refused', answer, permit });
		if (delayMs === undefined) return now - startedAt;
		// It waits at the limiter.
		now += 10;
	}
	throw new Error('It never gives up');
}

test('gives up when the longest window has passed and nothing was let through', () => {
	expect(givesUpAfter(() => -Infinity)).toBeCloseTo(HELD_MS, -2);
});

test('goes on while others with the same limits are let through', () => {
	const startedAt = now;
	const lastAt = startedAt + 2.5 * HELD_MS;
	expect(givesUpAfter(() => Math.min(now, lastAt))).toBeCloseTo(3.5 * HELD_MS, -2);
});

test('gives up in the end, however many others are let through', () => {
	expect(givesUpAfter(() => now)).toBeCloseTo(10 * HELD_MS, -2);
});

test('gives up at once when the service asks for longer than any window lasts', () => {
	const repetitions = new Repetitions(request, WINDOW_MS);
	const permit = { lastLetThroughAt: now } as Permit;
	const asking = (seconds: number) => ({ ...answer, headers: { 'retry-after': String(seconds) } });
	expect(repetitions.after({ kind: 'refused', answer: asking(60), permit })).toBe(0);
	expect(repetitions.after({ kind: 'refused', answer: asking(61), permit })).toBeUndefined();
});
