/**
 * Requests arrive at any time, take any time and may be canceled, in one process or in two that count in Redis: no
 * window of the service, wherever it begins, exceeds its limit, and no slot leaks.
 */
import * as fc from 'fast-check';

import type { Limits } from '../../../nodes/BusinessData/rateLimit';
import { abortController } from '../../../nodes/BusinessData/async';
import { type CountedRequest, exceededLimits } from '../../support/countedRequests';
import { LimiterBench, SEND } from '../../support/limiterBench';
import { after, passTime } from '../../support/logicalTime';
import { LuaRedis } from '../../support/luaRedis';
import { inMs } from '../../support/scaledLimits';

const table = {
	general: [
		{ max: 3, windowSeconds: 1 },
		{ max: 7, windowSeconds: 10 },
		{ max: 20, windowSeconds: 60 },
	],
	endpoints: { [SEND]: { max: 2, windowSeconds: 100 } },
};
const limits: Limits = {
	general: table.general.map(inMs),
	endpoints: { [SEND]: [inMs(table.endpoints[SEND])] },
};
const DAY = 24 * 3_600_000;

type End = 'answered' | 'lost' | 'notSent' | 'refused';

interface Arrival {
	atMs: number;
	process: number;
	run: string;
	endpoint: string | undefined;
	beforeMs: number;
	afterMs: number;
	/** When the wait is canceled, counted from the arrival; undefined for never. */
	cancelAfterMs: number | undefined;
	end: End;
}

const arrival: fc.Arbitrary<Arrival> = fc.record({
	atMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 90_000 })),
	process: fc.integer({ min: 0, max: 1 }),
	run: fc.constantFrom('a', 'b', 'c'),
	endpoint: fc.constantFrom(SEND, undefined),
	beforeMs: fc.integer({ min: 0, max: 900 }),
	afterMs: fc.integer({ min: 0, max: 900 }),
	cancelAfterMs: fc.option(fc.integer({ min: 0, max: 30_000 }), { nil: undefined }),
	end: fc.constantFrom<End[]>('answered', 'answered', 'answered', 'lost', 'notSent', 'refused'),
});

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('no limit is exceeded, and no slot leaks', async () => {
	const manyArrivals = fc.array(arrival, { minLength: 1, maxLength: 60 });
	const play = async (arrivals: Arrival[], isShared: boolean) => {
		const redis = await LuaRedis.load();
		const benches = isShared
			? [LimiterBench.on(redis), LimiterBench.on(redis)]
			: [new LimiterBench()];
		const counted: CountedRequest[] = [];
		const requests = arrivals.map(async (one) => {
			const bench = benches[one.process % benches.length] as LimiterBench;
			return await playOne(bench, counted, one);
		});
		const results = await passTime(Promise.all(requests), DAY);
		expect(exceededLimits(counted, table)).toEqual([]);
		// Every request that was not canceled went out.
		for (const [index, result] of results.entries()) {
			if (result === 'canceled') expect(arrivals[index]?.cancelAfterMs).toBeDefined();
		}
		await jest.advanceTimersByTimeAsync(300_000);
		expect(benches.map(({ isIdle }) => isIdle)).not.toContain(false);
		expect(redis.data.copy().size).toBe(0);
	};
	await fc.assert(fc.asyncProperty(manyArrivals, fc.boolean(), play), { numRuns: 60 });
});

async function playOne(
	bench: LimiterBench,
	counted: CountedRequest[],
	{ atMs, run, endpoint, beforeMs, afterMs, cancelAfterMs, end }: Arrival,
): Promise<'sent' | 'canceled'> {
	await after(atMs);
	const stop = abortController();
	const cancel = () => stop.abort(new Error('canceled'));
	const timer = cancelAfterMs === undefined ? undefined : setTimeout(cancel, cancelAfterMs);
	const request = { run, limits, endpoint, signal: stop.signal };
	const permit = await bench.acquire(request).catch(() => undefined);
	clearTimeout(timer);
	if (permit === undefined) return 'canceled';
	if (end === 'notSent') {
		permit.unused();
		return 'sent';
	}
	// The client gives up at once; the service counts the request up to `beforeMs` later.
	if (end === 'lost') permit.ended(beforeMs);
	await after(beforeMs);
	counted.push({ at: performance.now(), endpoint });
	await after(afterMs);
	if (end === 'refused') permit.refused(afterMs);
	else permit.letThrough();
	return 'sent';
}
