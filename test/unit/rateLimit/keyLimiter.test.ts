// What the limiter of a key guarantees, counting in memory and in Redis.

import { bestMakespan } from '../../../benchmark/bestSchedule';
import { type Limits, limitStoreOf } from '../../../nodes/BusinessData/rateLimit';
import type { RedisConnection } from '../../../nodes/BusinessData/redis';
import { abortController } from '../../../nodes/BusinessData/async';
import { exceededLimits, fullestWindow } from '../../support/countedRequests';
import { general, HOUR, LimiterBench, SEND, send } from '../../support/limiterBench';
import { expectBetween, passTime, timeOf } from '../../support/logicalTime';
import { useLuaRedis } from '../../support/luaRedis';

describe.each(['memory', 'Redis'])('counting in %s', (store) => {
	let bench: LimiterBench;

	useLuaRedis((redis) => {
		bench = store === 'memory' ? new LimiterBench() : LimiterBench.on(redis);
	});

	test.each([
		[130, 'reads', undefined, general, 62_000],
		[9, 'sends', SEND, [...general, send], 1_200_000],
	])(
		'%i %s take at most 2 %% longer than the best schedule, and exceed no limit',
		async (count, _, endpoint, limits, best) => {
			const startedAt = performance.now();
			await passTime(bench.requests(count, { endpoint }), 3 * HOUR);
			expect(bestMakespan(count, limits)).toBe(best);
			const makespan = Math.max(...bench.counted) - startedAt;
			expectBetween(makespan, best, best * 1.02);
			for (const { max, windowMs } of limits) {
				expect(fullestWindow(bench.counted, windowMs)).toBeLessThanOrEqual(max);
			}
		},
	);

	test('stays within the limits of a service whose clock loses 0.4 ms per second', async () => {
		const sends = bench.requests(7, { endpoint: SEND, run: 'sends' });
		await passTime(Promise.all([bench.requests(130), sends]));
		const counted = bench.counted.map((at, index) => ({
			at: at * (1 - 0.0004),
			endpoint: bench.sentRuns[index] === 'sends' ? SEND : undefined,
		}));
		expect(exceededLimits(counted)).toEqual([]);
	});

	test('a request without limits goes at once, even while Redis is down', async () => {
		const run = async () => await Promise.reject(new Error('Redis is down'));
		const connection = { run, failure: () => undefined } as unknown as RedisConnection;
		const limitStore = store === 'memory' ? undefined : limitStoreOf(connection, 'key');
		const limits = { general: [], endpoints: {} };
		const startedAt = performance.now();
		expect(await passTime(bench.request({ limits, limitStore }))).toBe(startedAt);
	});

	test('a send that waits for ten minutes delays no read', async () => {
		const sends = bench.requests(4, { endpoint: SEND });
		await jest.advanceTimersByTimeAsync(100);
		expect(await timeOf(bench.requests(5, { run: 'b' }))).toBeLessThan(1_000);
		await passTime(sends);
	});

	test('a single request overtakes a run of 500', async () => {
		const stop = abortController();
		const run = bench.requests(500, { signal: stop.signal }).catch(() => 'stopped');
		await jest.advanceTimersByTimeAsync(70_000);
		const ahead = bench.sentRuns.length;
		await passTime(bench.request({ run: 'single' }));
		// At most the request in the gate and the one next in turn went before it.
		expect(bench.sentRuns.indexOf('single') - ahead).toBeLessThanOrEqual(2);
		stop.abort(new Error('stop'));
		expect(await passTime(run)).toBe('stopped');
	});

	test('a canceled wait ends at once and takes no slot', async () => {
		bench.limits = { general: [{ max: 1, windowMs: 1_000 }], endpoints: {} };
		await passTime(bench.request());
		const stop = abortController();
		const canceled = Array.from(
			{ length: 50 },
			async (_, index) => await bench.acquire({ run: `run ${index % 5}`, signal: stop.signal }),
		);
		const results = Promise.allSettled(canceled);
		await jest.advanceTimersByTimeAsync(100);
		stop.abort(new Error('stopped'));
		const startedAt = performance.now();
		for (const result of await passTime(results)) {
			expect(result).toMatchObject({ status: 'rejected', reason: { message: 'stopped' } });
		}
		expect(performance.now() - startedAt).toBeLessThan(10);
		expect((await passTime(bench.request())) - startedAt).toBeLessThan(1_100);
	});

	test('each request keeps to the limits of its own run', async () => {
		const narrow: Limits = { general: [{ max: 2, windowMs: 60_000 }], endpoints: {} };
		const wide: Limits = { general: [{ max: 5, windowMs: 60_000 }], endpoints: {} };
		const startedAt = performance.now();
		const all = Promise.all([
			bench.requests(3, { run: 'old', limits: narrow }),
			bench.requests(4, { run: 'new', limits: wide }),
		]);
		const counts = (await passTime(all)).map(
			(times) => times.filter((sentAt) => sentAt - startedAt < 1_000).length,
		);
		// With one request of each run, two are out: the narrow limit is reached, the wide one is not.
		expect(counts).toEqual([1, 4]);
		expect(fullestWindow(bench.counted, 60_000)).toBe(5);
	});

	test.each([
		[2, HOUR],
		[0, HOUR],
		[2, 72 * HOUR],
	])('after %i requests, a clock set back by %i ms delays nothing', async (count, backMs) => {
		await passTime(bench.requests(count));
		await passTime(bench.estimate(1));
		await jest.advanceTimersByTimeAsync(10);
		jest.setSystemTime(Date.now() - backMs);
		expect(await timeOf(bench.requests(2, { endpoint: SEND }))).toBeLessThan(1_000);
	});

	test('a clock that is set back does not prolong a wait for a general window', async () => {
		await passTime(bench.requests(10));
		const waiting = bench.request({ endpoint: SEND });
		await jest.advanceTimersByTimeAsync(10);
		jest.setSystemTime(Date.now() - HOUR);
		expect(await timeOf(waiting)).toBeLessThan(2_000);
	});

	test('the status reports every window', async () => {
		const unanswered = await passTime(bench.acquire({ endpoint: SEND }));
		await passTime(bench.requests(2, { endpoint: SEND }));
		const waiting = bench.requests(1, { endpoint: SEND });
		await jest.advanceTimersByTimeAsync(50);
		const status = [...(await bench.status()).values()];
		expect(status).toMatchObject([
			{ limit: 'general/60s', max: 100, used: 3, remaining: 97, queued: 1, availableInMs: 0 },
			{ limit: 'general/10s', max: 30, used: 3, remaining: 27, queued: 1 },
			{ limit: 'general/1s', max: 10, used: 3, remaining: 7, queued: 1 },
			{ limit: `${SEND}/600s`, max: 3, used: 3, remaining: 0, queued: 1 },
		]);
		expect(status[3]?.availableInMs).toBeGreaterThan(590_000);
		unanswered.letThrough();
		await passTime(waiting);
	});

	test('the status reports when one more request can go, after all that wait', async () => {
		const waiting = bench.requests(7, { endpoint: SEND });
		await jest.advanceTimersByTimeAsync(100);
		const { availableInMs = 0 } = (await bench.status()).get(`${SEND}/600s`) ?? {};
		const waitMs = await timeOf(bench.request({ endpoint: SEND }));
		expectBetween(waitMs, availableInMs, availableInMs + 1_000);
		await waiting;
	});

	test('the status reports that a read can go at once while sends wait for their limit', async () => {
		const stop = abortController();
		const waiting = bench.requests(30, { endpoint: SEND, signal: stop.signal });
		const stopped = expect(waiting).rejects.toThrow('enough');
		await jest.advanceTimersByTimeAsync(2_000);
		const { queued, availableInMs } = (await bench.status()).get('general/1s') ?? {};
		expect([queued, availableInMs]).toEqual([27, 0]);
		expect(await timeOf(bench.request())).toBeLessThan(100);
		stop.abort(new Error('enough'));
		await stopped;
	});
});
