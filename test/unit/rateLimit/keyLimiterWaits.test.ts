import { type Permit, WaitTooLongError } from '../../../nodes/BusinessData/rateLimit';
import { HOUR, LimiterBench, SEND, type SlotRequest } from '../../support/limiterBench';
import { passTime } from '../../support/logicalTime';
import { LuaRedis } from '../../support/luaRedis';

describe.each(['memory', 'Redis'])('counting in %s', (store) => {
	let bench: LimiterBench;

	beforeEach(async () => {
		const redis = await LuaRedis.load();
		jest.useFakeTimers();
		bench = store === 'memory' ? new LimiterBench() : LimiterBench.on(redis);
	});

	afterEach(() => jest.useRealTimers());

	/** How long the wait would be, by the error of a request. */
	async function retryAfterOf(changes: Partial<SlotRequest>): Promise<number> {
		const failed = bench.acquire(changes).catch((reason: unknown) => reason);
		const error = await passTime(failed, HOUR);
		expect(error).toBeInstanceOf(WaitTooLongError);
		return (error as WaitTooLongError).retryAfterMs;
	}

	describe('with a longest wait', () => {
		test('fails at once when the wait would be longer, and says how long', async () => {
			await passTime(bench.requests(3, { endpoint: SEND }), HOUR);
			const startedAt = performance.now();
			const retryAfterMs = await retryAfterOf({ endpoint: SEND, maxWaitMs: 60_000 });
			expect(retryAfterMs).toBeGreaterThan(590_000);
			expect(retryAfterMs).toBeLessThan(602_000);
			expect(performance.now() - startedAt).toBeLessThan(100);
		});

		test('counts those that stand in line before it', async () => {
			const waiting = bench.requests(230);
			await jest.advanceTimersByTimeAsync(100);
			const retryAfterMs = await retryAfterOf({ maxWaitMs: 100_000 });
			expect(retryAfterMs).toBeGreaterThan(129_000);
			expect(retryAfterMs).toBeLessThan(132_000);
			await passTime(waiting, HOUR);
		});

		test('counts those of a higher priority in full, and none of a lower one', async () => {
			bench.limits = { general: [{ max: 1, windowMs: 10_000 }], endpoints: {} };
			await passTime(bench.requests(1), HOUR);
			const startedAt = performance.now();
			const pollOf = async (run: string) => await bench.requests(1, { run, priority: 8 });
			const polls = Promise.all(['a', 'b', 'c'].map(pollOf));
			const retries = bench.requests(2, { run: 'retries', priority: 3 });
			await jest.advanceTimersByTimeAsync(10);
			const request = { run: 'reads', priority: 5 };
			expect(await retryAfterOf({ ...request, maxWaitMs: 29_000 })).toBeGreaterThan(29_500);
			const [read = 0] = await passTime(bench.requests(1, { ...request, maxWaitMs: 32_000 }), HOUR);
			expect(read - startedAt).toBeLessThan(32_000);
			await passTime(Promise.all([polls, retries]), HOUR);
		});

		test('fails when the time has passed, although it looked short enough', async () => {
			bench.limits = { general: [{ max: 1, windowMs: 1_000 }], endpoints: {} };
			const slow = bench.request({}, 30_000);
			await jest.advanceTimersByTimeAsync(10);
			const startedAt = performance.now();
			const late = bench.acquire({ maxWaitMs: 5_000 });
			await expect(passTime(late, HOUR)).rejects.toBeInstanceOf(WaitTooLongError);
			// The limit store says when that becomes certain, a window before.
			const leastMs = store === 'memory' ? 5_000 : 4_000;
			expect(performance.now() - startedAt).toBeGreaterThanOrEqual(leastMs);
			expect(performance.now() - startedAt).toBeLessThan(5_100);
			await passTime(slow, HOUR);
		});
	});

	describe('what a service says is left', () => {
		test('of a limit, a later response lifts at once', async () => {
			const acquiring = Promise.all([bench.acquire(), bench.acquire()]);
			const [first, second] = await passTime(acquiring, HOUR);
			const end = (permit: Permit) => {
				permit.applyHeaderLimits([{ remaining: 1, resetMs: 55_000, max: 100 }]);
				permit.letThrough();
			};
			// The one that is left may be the one under way.
			end(first);
			const waiting = bench.request();
			await jest.advanceTimersByTimeAsync(200);
			expect(bench.sentRuns).toEqual([]);
			end(second);
			await jest.advanceTimersByTimeAsync(200);
			expect(bench.sentRuns).toHaveLength(1);
			await waiting;
		});

		test('without limits, is kept until the reset', async () => {
			bench.limits = { general: [], endpoints: {} };
			const permit = await passTime(bench.acquire(), HOUR);
			const startedAt = performance.now();
			permit.applyHeaderLimits([{ remaining: 0, resetMs: 30_000 }]);
			permit.letThrough();
			const [sent = 0] = await passTime(bench.requests(1), HOUR);
			expect(sent - startedAt).toBeGreaterThanOrEqual(30_000);
			expect(bench.isIdle).toBe(true);
			await jest.advanceTimersByTimeAsync(10);
			expect(jest.getTimerCount()).toBe(0);
		});
	});

	describe('after a refusal', () => {
		test('of a send, no other one that waits for general room holds up the reads', async () => {
			bench.limits = {
				general: [{ max: 2, windowMs: 1_000 }],
				endpoints: { [SEND]: [{ max: 20, windowMs: 600_000 }] },
			};
			const first = await passTime(bench.acquire({ endpoint: SEND }), HOUR);
			await passTime(bench.requests(1), HOUR);
			const second = bench.request({ endpoint: SEND, run: 'b' });
			await jest.advanceTimersByTimeAsync(10);
			first.refused(400_000);
			const startedAt = performance.now();
			const [read = 0] = await passTime(bench.requests(1, { run: 'c' }), HOUR);
			expect(read - startedAt).toBeLessThan(5_000);
			expect((await passTime(second, HOUR)) - startedAt).toBeGreaterThanOrEqual(400_000);
		});

		test('pauses an endpoint in full, and the key for its longest general window at most', async () => {
			const permit = await passTime(bench.acquire({ endpoint: SEND }), HOUR);
			permit.refused(400_000);
			const startedAt = performance.now();
			const [read = 0] = await passTime(bench.requests(1), HOUR);
			expect(read - startedAt).toBeGreaterThanOrEqual(60_000);
			expect(read - startedAt).toBeLessThan(61_000);
			const [sent = 0] = await passTime(bench.requests(1, { endpoint: SEND }), HOUR);
			expect(sent - startedAt).toBeGreaterThanOrEqual(400_000);
			expect(sent - startedAt).toBeLessThan(601_000);
		});

		test.each([
			['a refusal', (permit: Permit) => permit.refused(2 * HOUR)],
			['a response', (permit: Permit) => permit.pause(2 * HOUR)],
		])(
			'the pause of %s that is longer than any window fails all at once, until the rest is shorter',
			async (_, pause) => {
				const other = await passTime(bench.acquire(), HOUR);
				pause(await passTime(bench.acquire(), HOUR));
				const startedAt = performance.now();
				other.letThrough();
				await jest.advanceTimersByTimeAsync(HOUR);
				for (const endpoint of [undefined, SEND]) {
					const failed = expect(bench.acquire({ endpoint })).rejects;
					await failed.toMatchObject({ isRequested: true, retryAfterMs: HOUR });
				}
				// Who waits for room elsewhere is told when it is over.
				expect(await bench.ticket('a', { count: 1, endpoint: undefined })).toBe(HOUR);
				await bench.ticket('a', { count: 0, endpoint: undefined });
				await jest.advanceTimersByTimeAsync(HOUR - 59_000);
				const [sent = 0] = await passTime(bench.requests(1), HOUR);
				expect(sent - startedAt).toBeGreaterThanOrEqual(2 * HOUR);
				expect(sent - startedAt).toBeLessThan(2 * HOUR + 61_000);
			},
		);

		test('tries again with one request, not with all', async () => {
			const permits = await Promise.all(
				Array.from({ length: 5 }, async () => await passTime(bench.acquire(), HOUR)),
			);
			permits.forEach((permit) => permit.refused(0));
			const sent: number[] = [];
			const waiting = Array.from({ length: 5 }, async () => {
				const permit = await bench.acquire({ run: 'other' });
				sent.push(performance.now());
				return permit;
			});
			const [first] = waiting;
			await passTime(first as Promise<unknown>, HOUR);
			await jest.advanceTimersByTimeAsync(30_000);
			expect(sent).toHaveLength(1);
			(await first)?.letThrough();
			for (const next of waiting.slice(1)) (await passTime(next, HOUR)).letThrough();
			expect(sent).toHaveLength(5);
		});

		test.each([
			[0, 30_000],
			[0, Infinity],
			[1, 30_000],
			[1, Infinity],
		])('or two, %i after others, goes on soon, with Max Wait %s', async (before, maxWaitMs) => {
			await passTime(bench.requests(before), HOUR);
			for (let count = 0; count < 2; count++) {
				(await passTime(bench.acquire(), HOUR)).refused(1_000);
			}
			const refusedAt = performance.now();
			const [sent = 0] = await passTime(bench.requests(1, { maxWaitMs }), HOUR);
			expect(sent - refusedAt).toBeLessThan(10_000);
		});

		test('lets the next one go as soon as enough of others is forgotten', async () => {
			await passTime(bench.requests(80), HOUR);
			const permit = await passTime(bench.acquire(), HOUR);
			const refusedAt = performance.now();
			permit.refused(0);
			// Beside what others seem to use, those that went out leave no room before some of it is forgotten.
			const [sent = 0] = await passTime(bench.requests(1), HOUR);
			expect(sent - refusedAt).toBeLessThan(30_000);
		});

		test('one that hangs holds up the next no longer than others are remembered', async () => {
			(await passTime(bench.acquire(), HOUR)).refused(0);
			const refusedAt = performance.now();
			const hanging = await passTime(bench.acquire(), HOUR);
			const [sent = 0] = await passTime(bench.requests(1, { run: 'other' }), HOUR);
			expect(sent - refusedAt).toBeLessThanOrEqual(60_100);
			hanging.unused();
		});

		test('tells what others seem to use, and forgets it', async () => {
			const others = async () => (await bench.status()).get('general/60s');
			expect(await others()).toMatchObject({ usedByOthers: 0, remaining: 100 });
			await passTime(bench.requests(30), HOUR);
			(await passTime(bench.acquire(), HOUR)).refused(0);
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
