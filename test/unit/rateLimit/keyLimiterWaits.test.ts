import { WaitTooLongError } from '../../../nodes/BusinessData/rateLimit';
import { HOUR, LimiterBench, SEND } from '../../support/limiterBench';
import { passTime } from '../../support/logicalTime';

let bench: LimiterBench;

beforeEach(() => {
	jest.useFakeTimers();
	bench = new LimiterBench();
});

afterEach(() => jest.useRealTimers());

describe('with a longest wait', () => {
	test('fails at once when the wait would be longer, and says how long', async () => {
		await passTime(bench.requests(3, { scope: SEND }), HOUR);
		const startedAt = performance.now();
		const error: unknown = await passTime(
			bench.acquire({ scope: SEND, maxWaitMs: 60_000 }).catch((reason: unknown) => reason),
			HOUR,
		);
		expect(error).toBeInstanceOf(WaitTooLongError);
		const { retryAfterMs } = error as WaitTooLongError;
		expect(retryAfterMs).toBeGreaterThan(590_000);
		expect(retryAfterMs).toBeLessThan(602_000);
		expect(performance.now() - startedAt).toBeLessThan(100);
	});

	test('counts those that stand in line before it', async () => {
		const waiting = bench.requests(230);
		await jest.advanceTimersByTimeAsync(100);
		const error: unknown = await bench
			.acquire({ maxWaitMs: 100_000 })
			.catch((reason: unknown) => reason);
		expect(error).toBeInstanceOf(WaitTooLongError);
		expect((error as WaitTooLongError).retryAfterMs).toBeGreaterThan(129_000);
		expect((error as WaitTooLongError).retryAfterMs).toBeLessThan(132_000);
		await passTime(waiting, HOUR);
	});

	test('waits when the wait is short enough', async () => {
		await passTime(bench.requests(3, { scope: SEND }), HOUR);
		await passTime(bench.request({ scope: SEND, maxWaitMs: 700_000 }), HOUR);
		expect(bench.service.counted).toHaveLength(4);
	});

	test('fails when the time has passed, although it looked short enough', async () => {
		bench.limits = { general: [{ max: 1, windowMs: 1_000 }], scopes: {} };
		const slow = bench.request({}, 30_000);
		await jest.advanceTimersByTimeAsync(10);
		const startedAt = performance.now();
		const late = bench.acquire({ maxWaitMs: 5_000 });
		await expect(passTime(late, HOUR)).rejects.toBeInstanceOf(WaitTooLongError);
		expect(performance.now() - startedAt).toBeGreaterThanOrEqual(5_000);
		expect(performance.now() - startedAt).toBeLessThan(5_100);
		await passTime(slow, HOUR);
	});
});

describe('after a refusal', () => {
	test('pauses every queued request of the key', async () => {
		const permit = await passTime(bench.acquire(), HOUR);
		expect(permit.refused()).toBe(0);
		bench.limiter.pause(undefined, 7_000, 7_000);
		const startedAt = performance.now();
		const sent = await passTime(bench.requests(3, { run: 'other' }), HOUR);
		expect(Math.min(...sent) - startedAt).toBeGreaterThanOrEqual(7_000);
		expect(Math.max(...sent) - startedAt).toBeLessThan(8_000);
	});

	test('pauses a scope in full, and the key for its longest general window at most', async () => {
		bench.limiter.pause(SEND, 400_000, 60_000);
		const startedAt = performance.now();
		const [read = 0] = await passTime(bench.requests(1), HOUR);
		expect(read - startedAt).toBeGreaterThanOrEqual(60_000);
		expect(read - startedAt).toBeLessThan(61_000);
		const [sent = 0] = await passTime(bench.requests(1, { scope: SEND }), HOUR);
		expect(sent - startedAt).toBeGreaterThanOrEqual(400_000);
	});

	test('counts refusals in a row, those under way together as one', async () => {
		const acquire = async () => await passTime(bench.acquire(), HOUR);
		const [first, second] = [await acquire(), await acquire()];
		expect(first.refused()).toBe(0);
		bench.limiter.pause(undefined, 1_000, 1_000);
		expect(second.refused()).toBe(0);
		const third = await acquire();
		expect(third.refused()).toBe(1);
		bench.limiter.pause(undefined, 1_000, 1_000);
		(await acquire()).letThrough();
		expect((await acquire()).refused()).toBe(0);
	});
});
