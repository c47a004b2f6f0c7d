// How long requests wait: up to Max Wait, under header limits, and after refusals.
import { type Permit, WaitTooLongError } from '../../../nodes/BusinessData/rateLimit';
import { HOUR, LimiterBench, SEND, type SlotRequest } from '../../support/limiterBench';
import { expectBetween, passTime, timeOf } from '../../support/logicalTime';
import { useLuaRedis } from '../../support/luaRedis';

describe.each(['memory', 'Redis'])('counting in %s', (store) => {
	let bench: LimiterBench;

	useLuaRedis((redis) => {
		bench = store === 'memory' ? new LimiterBench() : LimiterBench.on(redis);
	});

	const acquire = async (changes?: Partial<SlotRequest>) => await passTime(bench.acquire(changes));

	/** The wait according to the error of a request, which fails at once. */
	async function retryAfterOf(changes: Partial<SlotRequest>): Promise<number> {
		let error: unknown;
		const failed = bench.acquire(changes).catch((reason: unknown) => (error = reason));
		expect(await timeOf(failed)).toBeLessThan(100);
		expect(error).toBeInstanceOf(WaitTooLongError);
		return (error as WaitTooLongError).retryAfterMs;
	}

	describe('with Max Wait', () => {
		test.each([
			['the window', 3, SEND, 60_000, 590_000, 602_000],
			['the requests ahead', 230, undefined, 100_000, 129_000, 132_000],
		])(
			'a request fails at once if the wait is longer because of %s',
			async (_, count, endpoint, maxWaitMs, least, limit) => {
				const others = bench.requests(count, { endpoint });
				await jest.advanceTimersByTimeAsync(100);
				expectBetween(await retryAfterOf({ endpoint, maxWaitMs }), least, limit);
				await passTime(others);
			},
		);

		test('all requests of a higher priority count as ahead, and none of a lower one', async () => {
			bench.limits = { general: [{ max: 1, windowMs: 10_000 }], endpoints: {} };
			await passTime(bench.request());
			const startedAt = performance.now();
			const pollOf = async (run: string) => await bench.request({ run, priority: 8 });
			const polls = Promise.all(['a', 'b', 'c'].map(pollOf));
			const retries = bench.requests(2, { run: 'retries', priority: 3 });
			await jest.advanceTimersByTimeAsync(10);
			const request = { run: 'reads', priority: 5 };
			expect(await retryAfterOf({ ...request, maxWaitMs: 29_000 })).toBeGreaterThan(29_500);
			const readAt = await passTime(bench.request({ ...request, maxWaitMs: 32_000 }));
			expect(readAt - startedAt).toBeLessThan(32_000);
			await passTime(Promise.all([polls, retries]));
		});

		test('a request fails after that time, although the estimate was shorter', async () => {
			bench.limits = { general: [{ max: 1, windowMs: 1_000 }], endpoints: {} };
			const slow = bench.request({}, 30_000);
			await jest.advanceTimersByTimeAsync(10);
			const late = expect(bench.acquire({ maxWaitMs: 5_000 })).rejects;
			const waitMs = await timeOf(late.toBeInstanceOf(WaitTooLongError));
			// With the limit store, it fails as soon as that is certain, a window earlier.
			expectBetween(waitMs, store === 'memory' ? 5_000 : 4_000, 5_100);
			await passTime(slow);
		});
	});

	describe('header limits', () => {
		test('are lifted at once by a later response', async () => {
			const first = await acquire();
			const second = await acquire();
			const end = (permit: Permit) => {
				permit.applyHeaderLimits([{ remaining: 1, resetMs: 55_000, max: 100 }]);
				permit.letThrough();
			};
			// The one request that is left may be the one under way.
			end(first);
			const waiting = bench.request();
			await jest.advanceTimersByTimeAsync(200);
			expect(bench.sentRuns).toEqual([]);
			end(second);
			await jest.advanceTimersByTimeAsync(200);
			expect(bench.sentRuns).toHaveLength(1);
			await waiting;
		});

		test('apply until the reset if there are no other limits', async () => {
			bench.limits = { general: [], endpoints: {} };
			const permit = await acquire();
			permit.applyHeaderLimits([{ remaining: 0, resetMs: 30_000 }]);
			permit.letThrough();
			expect(await timeOf(bench.request())).toBeGreaterThanOrEqual(30_000);
			expect(bench.isIdle).toBe(true);
			await jest.advanceTimersByTimeAsync(10);
			expect(jest.getTimerCount()).toBe(0);
			(await acquire()).refused(30_000);
			expect(bench.isIdle).toBe(false);
			expect(await timeOf(bench.request())).toBeGreaterThanOrEqual(30_000);
		});
	});

	describe('after a refusal', () => {
		test('of a send, another send that waits does not delay reads', async () => {
			bench.limits = {
				general: [{ max: 2, windowMs: 1_000 }],
				endpoints: { [SEND]: [{ max: 20, windowMs: 600_000 }] },
			};
			const first = await acquire({ endpoint: SEND });
			await passTime(bench.request());
			const second = bench.request({ endpoint: SEND, run: 'b' });
			await jest.advanceTimersByTimeAsync(10);
			first.refused(400_000);
			const startedAt = performance.now();
			expect(await timeOf(bench.request({ run: 'c' }))).toBeLessThan(5_000);
			expect((await passTime(second)) - startedAt).toBeGreaterThanOrEqual(400_000);
		});

		test('the endpoint pauses in full, and the key for its longest window at most', async () => {
			(await acquire({ endpoint: SEND })).refused(400_000);
			const readMs = await timeOf(bench.request());
			expectBetween(readMs, 60_000, 61_000);
			expectBetween(readMs + (await timeOf(bench.request({ endpoint: SEND }))), 400_000, 601_000);
		});

		test.each([
			['refusal', (permit: Permit) => permit.refused(2 * HOUR)],
			['response', (permit: Permit) => permit.pause(2 * HOUR)],
		])('a pause by a %s beyond any window fails all until less is left', async (_, pause) => {
			const other = await acquire();
			pause(await acquire());
			const startedAt = performance.now();
			other.letThrough();
			await jest.advanceTimersByTimeAsync(HOUR);
			for (const endpoint of [undefined, SEND]) {
				const failed = expect(bench.acquire({ endpoint })).rejects;
				await failed.toMatchObject({ isAskedFor: true, retryAfterMs: HOUR });
			}
			// A ticket has the end of the pause.
			expect(await bench.ticket('a', { count: 1, endpoint: undefined })).toBe(HOUR);
			await bench.ticket('a', { count: 0, endpoint: undefined });
			await jest.advanceTimersByTimeAsync(HOUR - 59_000);
			const sentAt = await passTime(bench.request());
			expectBetween(sentAt - startedAt, 2 * HOUR, 2 * HOUR + 61_000);
		});

		test('only one request goes out until it is let through', async () => {
			const permits = await passTime(
				Promise.all(Array.from({ length: 5 }, async () => await bench.acquire())),
			);
			permits.forEach((permit) => permit.refused(0));
			const sent: number[] = [];
			const waiting = Array.from({ length: 5 }, async () => {
				const permit = await bench.acquire({ run: 'other' });
				sent.push(performance.now());
				return permit;
			});
			const [first, ...others] = waiting as [Promise<Permit>];
			await passTime(first);
			await jest.advanceTimersByTimeAsync(30_000);
			expect(sent).toHaveLength(1);
			(await first).letThrough();
			for (const next of others as Array<Promise<Permit>>) (await passTime(next)).letThrough();
			expect(sent).toHaveLength(5);
		});

		test.each([
			[0, 30_000],
			[0, Infinity],
			[1, 30_000],
			[1, Infinity],
		])('or two, after %i requests, the next goes soon, Max Wait %s', async (before, maxWaitMs) => {
			await passTime(bench.requests(before));
			for (let count = 0; count < 2; count++) (await acquire()).refused(1_000);
			expect(await timeOf(bench.request({ maxWaitMs }))).toBeLessThan(10_000);
		});

		test('the next request goes once the estimate of other clients has faded', async () => {
			await passTime(bench.requests(80));
			(await acquire()).refused(0);
			// The requests sent and the estimate of other clients leave no room until some of the estimate has faded.
			expect(await timeOf(bench.request())).toBeLessThan(30_000);
		});

		test('a request that hangs delays the next only while other clients are known', async () => {
			(await acquire()).refused(0);
			const refusedAt = performance.now();
			const hanging = await acquire();
			const sentAt = await passTime(bench.request({ run: 'other' }));
			expect(sentAt - refusedAt).toBeLessThanOrEqual(60_100);
			hanging.unused();
		});

		test('the status reports the estimated use of other clients until it has faded', async () => {
			const others = async () => (await bench.status()).get('general/60s');
			expect(await others()).toMatchObject({ usedByOthers: 0, remaining: 100 });
			await passTime(bench.requests(30));
			(await acquire()).refused(0);
			const { usedByOthers = 0, remaining = 0 } = (await others()) ?? {};
			expect(usedByOthers).toBeGreaterThanOrEqual(12);
			expect(remaining).toBeLessThan(69);
			expect(bench.isIdle).toBe(false);
			await jest.advanceTimersByTimeAsync(121_000);
			expect(await others()).toMatchObject({ usedByOthers: 0, remaining: 100 });
			expect(bench.isIdle).toBe(true);
			await jest.advanceTimersByTimeAsync(10);
			expect(jest.getTimerCount()).toBe(0);
		});
	});
});
