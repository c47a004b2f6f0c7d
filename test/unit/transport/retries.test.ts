// A 429 is retried for as long as waiting can help.
import { holdMsOf, type Permit } from '../../../nodes/BusinessData/rateLimit';
import { ENDPOINTS } from '../../../nodes/BusinessData/transport/endpoints';
import { Retries } from '../../../nodes/BusinessData/transport/retries';

const WINDOW_MS = 60_000;
const HELD_MS = holdMsOf(WINDOW_MS);
const request = {
	endpoint: ENDPOINTS.getContacts,
	query: [],
	headers: {},
	timeoutMs: 1_000,
	maxWaitMs: Infinity,
};
const response = { statusCode: 429, headers: {}, body: Buffer.alloc(0), mayHaveActed: false };

let now = 0;

beforeEach(() => {
	now = 1_000_000;
	jest.spyOn(performance, 'now').mockImplementation(() => now);
	jest.spyOn(Math, 'random').mockReturnValue(0.999);
});
afterEach(() => jest.restoreAllMocks());

/** Repeats until it gives up. Returns how long (ms) that took. */
function givesUpAfter(lastLetThroughAt: () => number): number {
	const retries = new Retries(request, WINDOW_MS);
	const startedAt = now;
	for (let retry = 0; retry < 100_000; retry++) {
		const permit = { lastLetThroughAt: lastLetThroughAt() } as Permit;
		const delayMs = retries.after({ kind: 'refused', response, permit });
		if (delayMs === undefined) return now - startedAt;
		// It waits at the limiter.
		now += 10;
	}
	throw new Error('It never gives up');
}

test('gives up when the longest window has passed and nothing was let through', () => {
	expect(givesUpAfter(() => -Infinity)).toBe(HELD_MS);
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
	const retries = new Retries(request, WINDOW_MS);
	const permit = { lastLetThroughAt: now } as Permit;
	const asking = (seconds: number) => ({
		...response,
		headers: { 'retry-after': String(seconds) },
	});
	expect(retries.after({ kind: 'refused', response: asking(60), permit })).toBe(0);
	expect(retries.after({ kind: 'refused', response: asking(61), permit })).toBeUndefined();
});

describe('after a failure', () => {
	const send = { ...request, endpoint: ENDPOINTS.sendTransaction };
	const failed = { isTransient: true, isNotSent: false, isTimeout: false };
	/** The pauses (s) before each retry, by a random figure of 0.5. */
	const pauses = (of: typeof request, facts: object, headers?: Record<string, string>) => {
		jest.spyOn(Math, 'random').mockReturnValue(0.5);
		const retries = new Retries(of, WINDOW_MS);
		const outcome = { kind: 'failed', ...failed, ...facts } as const;
		const all = [1, 2, 3, 4].map(() =>
			retries.after({
				...outcome,
				response: headers && { ...response, statusCode: 503, headers },
			} as unknown as Parameters<Retries['after']>[0]),
		);
		return all.filter((ms) => ms !== undefined).map((ms) => ms / 1_000);
	};
	const BACKOFF = [0.5, 1, 2];

	test.each([
		['a read that may have arrived', request, {}, undefined, BACKOFF],
		['a read that timed out', request, { isTimeout: true }, undefined, BACKOFF],
		['a read, for good', request, { isTransient: false }, undefined, []],
		['a read, with too long a pause asked for', request, {}, { 'retry-after': '61' }, []],
		['a read, with a pause asked for', request, {}, { 'retry-after': '7' }, [7, 7, 7]],
		[
			'a read, with a pause shorter than the backoff',
			request,
			{},
			{ 'retry-after': '1' },
			[1, 1, 2],
		],
		['a send that may have arrived', send, {}, undefined, []],
		['a send that was not sent', send, { isNotSent: true }, undefined, BACKOFF],
		[
			'a send that was not sent, for good',
			send,
			{ isNotSent: true, isTransient: false },
			undefined,
			[],
		],
		[
			'a send without a connection in time',
			send,
			{ isNotSent: true, isTimeout: true },
			undefined,
			[],
		],
	])('of %s', (_, of, facts, headers, expected) => {
		expect(pauses(of as typeof request, facts, headers)).toEqual(expected);
	});
});

test.each([
	[429, 1_000, '1', false],
	[429, 1_000, '2', true],
	[429, 60_000, '60', false],
	[503, 1_000, '60', false],
	[503, 1_000, '60.1', true],
	[503, 120_000, '120', false],
	[503, 120_000, '122', true],
])(
	'a %i where a window lasts %i ms and %s s are asked for: too long is %s',
	(statusCode, windowMs, asked, is) => {
		const asking = { ...response, statusCode, headers: { 'retry-after': asked } };
		expect(new Retries(request, windowMs).isPauseTooLong(asking)).toBe(is);
	},
);
