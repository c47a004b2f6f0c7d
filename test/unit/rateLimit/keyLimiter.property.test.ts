/**
 * Whatever arrives when, takes however long and is canceled: no window is ever over its limit, neither
 * for a service that counts in sliding windows nor for one that counts in fixed windows of any phase.
 */
import * as fc from 'fast-check';

import type { Limits } from '../../../nodes/BusinessData/rateLimit';
import { KeyLimiter } from '../../../nodes/BusinessData/rateLimit/keyLimiter';
import { abortController } from '../../../nodes/BusinessData/waiting';
import { CountingService } from '../../support/countingService';
import { after, passTime } from '../../support/logicalTime';

const general = [
	{ max: 3, windowMs: 1_000 },
	{ max: 7, windowMs: 10_000 },
	{ max: 20, windowMs: 60_000 },
];
const scope = { max: 2, windowMs: 100_000 };
const limits: Limits = { general, scopes: { send: [scope] } };
const DAY = 24 * 3_600_000;
const PHASES = 8;

type End = 'answered' | 'lost' | 'notSent' | 'refused';

interface Arrival {
	atMs: number;
	run: string;
	isSend: boolean;
	beforeMs: number;
	afterMs: number;
	/** When the wait is canceled, counted from the arrival; undefined for never. */
	cancelAfterMs: number | undefined;
	end: End;
}

const arrival: fc.Arbitrary<Arrival> = fc.record({
	atMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 90_000 })),
	run: fc.constantFrom('a', 'b', 'c'),
	isSend: fc.boolean(),
	beforeMs: fc.integer({ min: 0, max: 900 }),
	afterMs: fc.integer({ min: 0, max: 900 }),
	cancelAfterMs: fc.option(fc.integer({ min: 0, max: 30_000 }), { nil: undefined }),
	end: fc.constantFrom<End[]>('answered', 'answered', 'answered', 'lost', 'notSent', 'refused'),
});

describe('KeyLimiter', () => {
	beforeEach(() => jest.useFakeTimers());
	afterEach(() => jest.useRealTimers());

	test('never exceeds a limit and leaks no slot', async () => {
		await fc.assert(
			fc.asyncProperty(fc.array(arrival, { minLength: 1, maxLength: 60 }), async (arrivals) => {
				let isIdle: boolean | undefined;
				const limiter = new KeyLimiter((isNow) => (isIdle = isNow));
				const all = new CountingService();
				const sends = new CountingService();
				const outcomes = arrivals.map(async (one) => await play(limiter, all, sends, one));
				const results = await passTime(Promise.all(outcomes), DAY);

				for (const { max, windowMs } of general) expectWithin(all, max, windowMs);
				expectWithin(sends, scope.max, scope.windowMs);
				// Each one that was not canceled went out.
				for (const [index, result] of results.entries()) {
					if (result === 'canceled') expect(arrivals[index]?.cancelAfterMs).toBeDefined();
				}
				await jest.advanceTimersByTimeAsync(300_000);
				expect(isIdle).toBe(true);
			}),
			{ numRuns: 60 },
		);
	}, 120_000);
});

async function play(
	limiter: KeyLimiter,
	all: CountingService,
	sends: CountingService,
	{ atMs, run, isSend, beforeMs, afterMs, cancelAfterMs, end }: Arrival,
): Promise<'sent' | 'canceled'> {
	await after(atMs);
	const stop = abortController();
	const timer =
		cancelAfterMs === undefined
			? undefined
			: setTimeout(() => stop.abort(new Error('canceled')), cancelAfterMs);
	const request = { run, limits, scope: isSend ? 'send' : undefined, signal: stop.signal };
	const permit = await limiter.acquire(request).catch(() => undefined);
	clearTimeout(timer);
	if (permit === undefined) return 'canceled';
	if (end === 'notSent') {
		permit.unused();
		return 'sent';
	}
	if (end === 'lost') {
		// The client gives up at once; the service counts the request up to `beforeMs` later.
		permit.lost(beforeMs);
		await Promise.all([all.request(beforeMs, 0), isSend ? sends.request(beforeMs, 0) : undefined]);
		return 'sent';
	}
	await Promise.all([
		all.request(beforeMs, afterMs),
		isSend ? sends.request(beforeMs, afterMs) : undefined,
	]);
	if (end === 'refused') {
		permit.refused(afterMs);
	} else {
		permit.letThrough();
	}
	return 'sent';
}

function expectWithin(service: CountingService, max: number, windowMs: number): void {
	expect(service.fullestWindow(windowMs)).toBeLessThanOrEqual(max);
	for (let phase = 0; phase < PHASES; phase++) {
		const offset = (windowMs / PHASES) * phase;
		expect(service.fullestFixedWindow(windowMs, offset)).toBeLessThanOrEqual(max);
	}
}
