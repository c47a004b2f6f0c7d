import { bestMakespan } from '../../../bench/bestSchedule';
import { abortController } from '../../../nodes/BusinessData/rateLimit/abort';
import { KeyLimiter, type SlotRequest } from '../../../nodes/BusinessData/rateLimit/keyLimiter';
import type { Limits } from '../../../nodes/BusinessData/rateLimit/limits';
import { WaitTooLongError } from '../../../nodes/BusinessData/rateLimit/waitTooLongError';
import { CountingService } from '../../support/countingService';
import { passTime } from '../../support/logicalTime';

const general = [
	{ max: 10, windowMs: 1_000 },
	{ max: 30, windowMs: 10_000 },
	{ max: 100, windowMs: 60_000 },
];
const SEND = 'POST /txndata/sendTxn';
const send = { max: 3, windowMs: 600_000 };
const limits: Limits = { general, scopes: { [SEND]: [send] } };

const HOUR = 3_600_000;
const never = abortController().signal;

function slotRequest(changes: Partial<SlotRequest> = {}): SlotRequest {
	return { batch: 'a', signal: never, ...changes };
}

describe('KeyLimiter', () => {
	let limiter: KeyLimiter;
	let service: CountingService;
	/** The batch of each request, in the order in which they went out. */
	let sentBatches: string[];
	const onIdle = jest.fn();

	beforeEach(() => {
		jest.useFakeTimers();
		onIdle.mockClear();
		limiter = new KeyLimiter('key', limits, onIdle);
		service = new CountingService();
		sentBatches = [];
	});

	afterEach(() => jest.useRealTimers());

	/** One request: takes its slots, is counted, and gives them back. Returns when it went out (ms). */
	async function request(changes: Partial<SlotRequest> = {}, latencyMs = 0): Promise<number> {
		const permit = await limiter.acquire(slotRequest(changes));
		sentBatches.push(changes.batch ?? 'a');
		const sentAt = performance.now();
		await service.request(latencyMs / 2, latencyMs / 2);
		permit.letThrough();
		return sentAt;
	}

	const requests = async (count: number, changes?: Partial<SlotRequest>, latencyMs = 0) =>
		await Promise.all(Array.from({ length: count }, async () => await request(changes, latencyMs)));

	test('130 requests take at most 2 % longer than the best possible schedule', async () => {
		const startedAt = performance.now();
		await passTime(requests(130), HOUR);
		const best = bestMakespan(130, general);
		expect(best).toBe(62_000);
		const makespan = Math.max(...service.counted) - startedAt;
		expect(makespan).toBeGreaterThanOrEqual(best);
		expect(makespan).toBeLessThanOrEqual(best * 1.02);
		for (const { max, windowMs } of general) {
			expect(service.fullestWindow(windowMs)).toBeLessThanOrEqual(max);
		}
	});

	test('9 sends take at most 2 % longer than the best possible schedule', async () => {
		const startedAt = performance.now();
		await passTime(requests(9, { scope: SEND }), 3 * HOUR);
		const best = bestMakespan(9, [...general, send]);
		expect(best).toBe(1_200_000);
		const makespan = Math.max(...service.counted) - startedAt;
		expect(makespan).toBeGreaterThanOrEqual(best);
		expect(makespan).toBeLessThanOrEqual(best * 1.02);
		expect(service.fullestWindow(send.windowMs)).toBe(3);
	});

	test('holds a slot until its window has passed after the response', async () => {
		const narrow = { general: [{ max: 1, windowMs: 1_000 }], scopes: {} };
		limiter.changeLimits(narrow);
		const [first = 0, second = 0] = await passTime(requests(2, {}, 400), HOUR);
		expect(second - first).toBeGreaterThanOrEqual(1_400);
		expect(second - first).toBeLessThan(1_500);
	});

	test('a send that waits ten minutes holds up no read', async () => {
		const sends = requests(4, { scope: SEND });
		await jest.advanceTimersByTimeAsync(100);
		const startedAt = performance.now();
		const reads = await passTime(requests(5, { batch: 'b' }), HOUR);
		expect(Math.max(...reads) - startedAt).toBeLessThan(1_000);
		await passTime(sends, HOUR);
	});

	test('a single request passes a batch of 500', async () => {
		const stop = abortController();
		const batch = requests(500, { signal: stop.signal }).catch(() => 'stopped');
		await jest.advanceTimersByTimeAsync(70_000);
		const ahead = sentBatches.length;
		await passTime(request({ batch: 'single' }), HOUR);
		// At most the one in the gate and the one that was next in turn went before it.
		expect(sentBatches.indexOf('single') - ahead).toBeLessThanOrEqual(2);
		stop.abort(new Error('stop'));
		expect(await passTime(batch, HOUR)).toBe('stopped');
	});

	test('two batches take turns', async () => {
		const order: string[] = [];
		const run = async (batch: string) =>
			await Promise.all(
				Array.from({ length: 20 }, async () => {
					await request({ batch });
					order.push(batch);
				}),
			);
		await passTime(Promise.all([run('a'), run('b')]), HOUR);
		const firstHalf = order.slice(0, 20).filter((batch) => batch === 'a').length;
		expect(firstHalf).toBeGreaterThanOrEqual(9);
		expect(firstHalf).toBeLessThanOrEqual(11);
	});

	test('a repetition goes before others at the gate', async () => {
		limiter.changeLimits({ general: [{ max: 1, windowMs: 1_000 }], scopes: {} });
		const order: string[] = [];
		const run = async (batch: string, priority?: 3) => {
			await request({ batch, priority });
			order.push(batch);
		};
		const all = Promise.all([run('first'), run('a'), run('b'), run('again', 3)]);
		await passTime(all, HOUR);
		expect(order.indexOf('again')).toBeLessThan(order.indexOf('b'));
	});

	test('a canceled wait ends at once and takes no slot', async () => {
		limiter.changeLimits({ general: [{ max: 1, windowMs: 1_000 }], scopes: {} });
		await passTime(request(), HOUR);
		const stop = abortController();
		const canceled = Array.from(
			{ length: 50 },
			async (_, index) =>
				await limiter.acquire(slotRequest({ batch: `batch ${index % 5}`, signal: stop.signal })),
		);
		const results = Promise.allSettled(canceled);
		await jest.advanceTimersByTimeAsync(100);
		stop.abort(new Error('stopped'));
		const startedAt = performance.now();
		for (const result of await passTime(results, HOUR)) {
			expect(result).toMatchObject({ status: 'rejected', reason: { message: 'stopped' } });
		}
		expect(performance.now() - startedAt).toBeLessThan(10);
		const [next = 0] = await passTime(requests(1), HOUR);
		expect(next - startedAt).toBeLessThan(1_100);
	});

	test('a request that never reached the service gives its slot back at once', async () => {
		limiter.changeLimits({ general: [{ max: 1, windowMs: HOUR }], scopes: {} });
		const permit = await passTime(limiter.acquire(slotRequest()), HOUR);
		permit.unused();
		const startedAt = performance.now();
		await passTime(limiter.acquire(slotRequest()), HOUR);
		expect(performance.now() - startedAt).toBeLessThan(100);
	});

	test('a request without an answer holds its slot for longer', async () => {
		limiter.changeLimits({ general: [{ max: 1, windowMs: 1_000 }], scopes: {} });
		const permit = await passTime(limiter.acquire(slotRequest()), HOUR);
		permit.lost(5_000);
		permit.letThrough();
		const startedAt = performance.now();
		await passTime(limiter.acquire(slotRequest()), HOUR);
		expect(performance.now() - startedAt).toBeGreaterThanOrEqual(6_000);
	});

	describe('with a longest wait', () => {
		test('fails at once when the wait would be longer, and says how long', async () => {
			await passTime(requests(3, { scope: SEND }), HOUR);
			const startedAt = performance.now();
			const error: unknown = await passTime(
				limiter
					.acquire(slotRequest({ scope: SEND, maxWaitMs: 60_000 }))
					.catch((reason: unknown) => reason),
				HOUR,
			);
			expect(error).toBeInstanceOf(WaitTooLongError);
			const { retryAfterMs } = error as WaitTooLongError;
			expect(retryAfterMs).toBeGreaterThan(590_000);
			expect(retryAfterMs).toBeLessThan(602_000);
			expect(performance.now() - startedAt).toBeLessThan(100);
		});

		test('counts those that stand in line before it', async () => {
			const waiting = requests(230);
			await jest.advanceTimersByTimeAsync(100);
			const error: unknown = await limiter
				.acquire(slotRequest({ maxWaitMs: 100_000 }))
				.catch((reason: unknown) => reason);
			expect(error).toBeInstanceOf(WaitTooLongError);
			expect((error as WaitTooLongError).retryAfterMs).toBeGreaterThan(129_000);
			expect((error as WaitTooLongError).retryAfterMs).toBeLessThan(132_000);
			await passTime(waiting, HOUR);
		});

		test('waits when the wait is short enough', async () => {
			await passTime(requests(3, { scope: SEND }), HOUR);
			await passTime(request({ scope: SEND, maxWaitMs: 700_000 }), HOUR);
			expect(service.counted).toHaveLength(4);
		});

		test('fails when the time has passed, although it looked short enough', async () => {
			limiter.changeLimits({ general: [{ max: 1, windowMs: 1_000 }], scopes: {} });
			const slow = request({}, 30_000);
			await jest.advanceTimersByTimeAsync(10);
			const startedAt = performance.now();
			const late = limiter.acquire(slotRequest({ maxWaitMs: 5_000 }));
			await expect(passTime(late, HOUR)).rejects.toBeInstanceOf(WaitTooLongError);
			expect(performance.now() - startedAt).toBeGreaterThanOrEqual(5_000);
			expect(performance.now() - startedAt).toBeLessThan(5_100);
			await passTime(slow, HOUR);
		});
	});

	describe('after a refusal', () => {
		test('pauses every queued request of the key', async () => {
			const permit = await passTime(limiter.acquire(slotRequest()), HOUR);
			expect(permit.refused()).toBe(0);
			limiter.pause(undefined, 7_000);
			const startedAt = performance.now();
			const sent = await passTime(requests(3, { batch: 'other' }), HOUR);
			expect(Math.min(...sent) - startedAt).toBeGreaterThanOrEqual(7_000);
			expect(Math.max(...sent) - startedAt).toBeLessThan(8_000);
		});

		test('pauses a scope in full, and the key for its longest general window at most', async () => {
			limiter.pause(SEND, 400_000);
			const startedAt = performance.now();
			const [read = 0] = await passTime(requests(1), HOUR);
			expect(read - startedAt).toBeGreaterThanOrEqual(60_000);
			expect(read - startedAt).toBeLessThan(61_000);
			const [sent = 0] = await passTime(requests(1, { scope: SEND }), HOUR);
			expect(sent - startedAt).toBeGreaterThanOrEqual(400_000);
		});

		test('counts refusals in a row, those under way together as one', async () => {
			const acquire = async () => await passTime(limiter.acquire(slotRequest()), HOUR);
			const [first, second] = [await acquire(), await acquire()];
			expect(first.refused()).toBe(0);
			limiter.pause(undefined, 1_000);
			expect(second.refused()).toBe(0);
			const third = await acquire();
			expect(third.refused()).toBe(1);
			limiter.pause(undefined, 1_000);
			(await acquire()).letThrough();
			expect((await acquire()).refused()).toBe(0);
		});
	});

	test('says what a request waited for, and how long', async () => {
		await passTime(requests(30), HOUR);
		const permit = await passTime(limiter.acquire(slotRequest()), HOUR);
		expect(permit.waitedFor).toMatchObject({ name: 'general/10s', max: 30 });
		expect(permit.waitedMs).toBeGreaterThan(7_000);
		permit.unused();
	});

	test('a lower limit counts what is held already', async () => {
		await passTime(requests(5), HOUR);
		limiter.changeLimits({ general: [{ max: 5, windowMs: 60_000 }], scopes: {} });
		const startedAt = performance.now();
		await passTime(requests(1), HOUR);
		expect(performance.now() - startedAt).toBeGreaterThan(59_000);
	});

	test('a clock that is set back holds nothing up', async () => {
		await passTime(requests(2), HOUR);
		jest.setSystemTime(Date.now() - HOUR);
		const startedAt = performance.now();
		await passTime(requests(2), 2 * HOUR);
		expect(performance.now() - startedAt).toBeLessThan(1_000);
	});

	test('reports every window', async () => {
		const unanswered = await passTime(limiter.acquire(slotRequest({ scope: SEND })), HOUR);
		await passTime(requests(2, { scope: SEND }), HOUR);
		const waiting = requests(1, { scope: SEND });
		await jest.advanceTimersByTimeAsync(50);
		const status = await limiter.status();
		expect(
			status.map(({ limit, max, used, remaining, queued }) => [
				limit,
				max,
				used,
				remaining,
				queued,
			]),
		).toEqual([
			['general/60s', 100, 3, 97, 1],
			['general/10s', 30, 3, 27, 1],
			['general/1s', 10, 3, 7, 1],
			['POST /txndata/sendTxn/600s', 3, 3, 0, 1],
		]);
		expect(status[3]?.availableInMs).toBeGreaterThan(590_000);
		expect(status[0]?.availableInMs).toBe(0);
		unanswered.letThrough();
		await passTime(waiting, HOUR);
	});

	test('is idle only when nothing is queued or held any more', async () => {
		await passTime(request({ scope: SEND }), HOUR);
		await jest.advanceTimersByTimeAsync(599_000);
		expect(onIdle).not.toHaveBeenCalled();
		expect(limiter.isIdle()).toBe(false);
		await jest.advanceTimersByTimeAsync(2_000);
		expect(onIdle).toHaveBeenCalled();
		expect(limiter.isIdle()).toBe(true);
		expect(jest.getTimerCount()).toBe(0);
	});

	test('lets the time pass between turns', async () => {
		// A request of a line that is canceled while the one before it is under way leaves no gap.
		limiter.changeLimits({ general: [{ max: 1, windowMs: 1_000 }], scopes: {} });
		const stop = new AbortController();
		const first = request();
		const canceled = limiter.acquire(slotRequest({ signal: stop.signal })).catch(() => 'canceled');
		const third = request();
		stop.abort(new Error('stop'));
		expect(await passTime(canceled, HOUR)).toBe('canceled');
		await passTime(Promise.all([first, third]), HOUR);
		expect(service.counted).toHaveLength(2);
	});
});
