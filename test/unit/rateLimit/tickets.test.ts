/** Tickets for executions that wait for room outside the limiter, in logical time. */
import { WaitTooLongError } from '../../../nodes/BusinessData/rateLimit';
import { Tickets } from '../../../nodes/BusinessData/rateLimit/tickets';
import { fullestWindow } from '../../support/countedRequests';
import { LimiterBench, SEND } from '../../support/limiterBench';
import { after, passTime } from '../../support/logicalTime';
import { type LuaRedis, useLuaRedis } from '../../support/luaRedis';

const MINUTE = 60_000;
const WINDOW = 10 * MINUTE;
/** How much longer than its window a slot is held, and a little for the limiter itself. */
const MARGIN = 3_000;
/** For a ticket under the general limits. */
const GENERAL = { endpoint: undefined };

/** The wait takes the given number of windows. */
function expectWindows(waitMs: number, windows: number): void {
	expect(waitMs).toBeGreaterThanOrEqual(windows * WINDOW);
	expect(waitMs).toBeLessThan(windows * WINDOW + MARGIN);
}

test('a ticket can be used from 2 s before its time, and lapses 90 s after it', async () => {
	jest.useFakeTimers();
	const tickets = new Tickets();
	const now = performance.now();
	expect([tickets.lapsedInMs, tickets.before('a', 2)]).toEqual([0, []]);
	tickets.issue('late', 1, now + 5_000);
	tickets.issue('early', 1, now + 2_001);
	tickets.use();
	expect(tickets.before('a', 2)).toEqual([now + 2_001, now + 5_000]);
	await jest.advanceTimersByTimeAsync(1);
	tickets.use();
	expect(tickets.before('a', 2)).toEqual([now + 5_000]);
	await jest.advanceTimersByTimeAsync(94_998);
	expect([tickets.lapsedInMs, tickets.before('a', 2)]).toEqual([1, [now + 5_000]]);
	await jest.advanceTimersByTimeAsync(1);
	expect([tickets.lapsedInMs, tickets.before('a', 2)]).toEqual([0, []]);
	jest.useRealTimers();
});

describe.each(['memory', 'Redis, by two processes in turn'])('counting in %s', (store) => {
	let benches: LimiterBench[];
	let redis: LuaRedis;
	let calls = 0;
	/** The process whose turn it is. */
	const bench = () => benches[calls++ % benches.length] as LimiterBench;

	useLuaRedis((one) => {
		redis = one;
		const onRedis = () => [LimiterBench.on(redis), LimiterBench.on(redis)];
		benches = store === 'memory' ? [new LimiterBench()] : onRedis();
	});

	const send = async (count: number) => await passTime(bench().requests(count, { endpoint: SEND }));

	/** Fills the only general window, which is as long as that of the sends. */
	const fillGeneral = async () => {
		const window = [{ max: 3, windowMs: WINDOW }];
		for (const one of benches) one.limits = { general: window, endpoints: { [SEND]: window } };
		await passTime(bench().requests(3));
	};

	test('tickets share a window if their requests fit in it', async () => {
		await send(3);
		expectWindows(await bench().ticket('a', { count: 2 }), 1);
		expectWindows(await bench().ticket('b', { count: 1 }), 1);
		expectWindows(await bench().ticket('c', { count: 1 }), 2);
	});

	test('a ticket gives the time at which all its requests have room', async () => {
		await send(1);
		await jest.advanceTimersByTimeAsync(5 * MINUTE);
		await send(2);
		const one = await bench().ticket('a', { count: 1 });
		const three = await bench().ticket('b', { count: 3 });
		expect(one).toBeLessThan(5 * MINUTE + MARGIN);
		// The earlier ticket takes its place 5 minutes from now.
		expect(three).toBeGreaterThanOrEqual(15 * MINUTE);
		expect(three).toBeLessThan(15 * MINUTE + 2 * MARGIN);
	});

	test('requests that go out use the room of a ticket, so that nothing counts twice', async () => {
		await send(3);
		await jest.advanceTimersByTimeAsync(await bench().ticket('a'));
		await send(3);
		expectWindows(await bench().ticket('b'), 1);
	});

	test('each of several executions sends in a window of its own', async () => {
		const startedAt = performance.now();
		const execution = async (name: string) => {
			const waitMs = await bench().ticket(name);
			await new Promise((resolve) => setTimeout(resolve, waitMs));
			await bench().requests(3, { endpoint: SEND, run: name });
			return performance.now() - startedAt;
		};
		const ends = await passTime(Promise.all(['a', 'b', 'c', 'd'].map(execution)));
		for (const [index, end] of ends.entries()) expectWindows(end, index);
		const counted = benches.flatMap((one) => one.counted);
		expect(fullestWindow(counted, WINDOW)).toBe(3);
	});

	test('a ticket replaces one of the same name, and one for no requests delays nobody', async () => {
		await send(3);
		await bench().ticket('a');
		expectWindows(await bench().ticket('a'), 1);
		expectWindows(await bench().ticket('b'), 2);
		await bench().ticket('a', { count: 0 });
		expectWindows(await bench().ticket('b'), 1);
		await jest.advanceTimersByTimeAsync(WINDOW + MARGIN);
		await bench().ticket('b', { count: 0 });
		expect(await bench().ticket('a')).toBe(0);
	});

	test('a ticket keeps its place until its room is used', async () => {
		await bench().ticket('a');
		expectWindows(await bench().ticket('b'), 1);
		expect(await bench().ticket('a')).toBe(0);
		await send(3);
		expectWindows(await bench().ticket('a'), 2);
	});

	test('a ticket renewed for fewer requests leaves the rest to others', async () => {
		await bench().ticket('a');
		expect(await bench().ticket('a', { count: 1 })).toBe(0);
		expect(await bench().ticket('b', { count: 2 })).toBe(0);
	});

	test.each([
		['as much as is left, keeps its place', 2, 0],
		['more than is left, loses it', 3, 2],
	])('a ticket used in part, renewed for %s', async (_, count, windows) => {
		await bench().ticket('a');
		expectWindows(await bench().ticket('b'), 1);
		await send(1);
		expectWindows(await bench().ticket('a', { count }), windows);
	});

	test('two tickets for the same slots at the same time get them one after the other', async () => {
		await fillGeneral();
		const waits = [await bench().ticket('a', GENERAL), await bench().ticket('b', GENERAL)];
		expectWindows(waits[1] ?? 0, 2);
		await jest.advanceTimersByTimeAsync((waits[1] ?? 0) - 1);
		// Both have to wait for its slot.
		await send(1);
		for (const name of ['a', 'b']) await bench().ticket(name, GENERAL);
		const again = [await bench().ticket('a', GENERAL), await bench().ticket('b', GENERAL)];
		expect(Math.abs((again[0] ?? 0) - (again[1] ?? 0))).toBeGreaterThan(WINDOW / 2);
	});

	test('two tickets close to each other that are used late get room one after the other', async () => {
		await fillGeneral();
		expectWindows(await bench().ticket('a', GENERAL), 1);
		expectWindows(await bench().ticket('b', GENERAL), 2);
		await jest.advanceTimersByTimeAsync(WINDOW + 1_000);
		// A send uses no general ticket, but a slot: a has to wait as long as b.
		await send(1);
		expectWindows(await bench().ticket('a', GENERAL), 1);
		await jest.advanceTimersByTimeAsync(WINDOW + 5_000);
		expect(await bench().ticket('b', GENERAL)).toBe(0);
		await jest.advanceTimersByTimeAsync(100);
		expect(await bench().ticket('a', GENERAL)).toBeGreaterThan(WINDOW / 2);
	});

	test('a ticket lapses by itself, and the limiter is dropped', async () => {
		await bench().ticket('gone');
		expectWindows(await bench().ticket('a'), 1);
		await bench().ticket('a', { count: 0 });
		await jest.advanceTimersByTimeAsync(89_000);
		// With Redis, no process has to keep the ticket.
		expect(benches.every(({ isIdle }) => isIdle)).toBe(store !== 'memory');
		await jest.advanceTimersByTimeAsync(2_000);
		expect(benches.every(({ isIdle }) => isIdle)).toBe(true);
		expect(await bench().ticket('a')).toBe(0);
		await jest.advanceTimersByTimeAsync(WINDOW);
		expect(redis.data.copy().size).toBe(0);
	});

	test('a ticket has room at once before anything is sent, and reserves none of it', async () => {
		expect(await bench().ticket('a')).toBe(0);
		const startedAt = performance.now();
		await send(3);
		expect(performance.now() - startedAt).toBeLessThan(MARGIN);
	});

	test('a ticket comes after the requests that wait at the limiter', async () => {
		const [own] = benches as [LimiterBench];
		await passTime(own.requests(3, { endpoint: SEND }));
		const waiting = own.requests(4, { endpoint: SEND });
		await jest.advanceTimersByTimeAsync(100);
		// Three go after one window and one after two, which leaves no room for three until the third.
		expectWindows(await own.ticket('a'), 3);
		await passTime(waiting);
	});

	test('a ticket whose wait is too long is not issued, and the error has the wait', async () => {
		await send(3);
		const error: unknown = await bench()
			.ticket('a', { maxWaitMs: MINUTE })
			.catch((reason: unknown) => reason);
		expect(error).toBeInstanceOf(WaitTooLongError);
		expectWindows((error as WaitTooLongError).retryAfterMs, 1);
		expectWindows(await bench().ticket('b'), 1);
	});

	test('a ticket for general room needs no more in a window than it can have at once', async () => {
		await passTime(bench().requests(60));
		const startedAt = performance.now();
		const waitMs = await bench().ticket('a', { endpoint: undefined, count: 50 });
		// 40 are free at once, ten more when the first ten are over. No second has room for more than ten.
		expect(startedAt + waitMs).toBeLessThan(MINUTE + MARGIN);
	});

	test('the estimate gives the time of the next and the last request', async () => {
		expect(await bench().estimate(3)).toEqual({ nextMs: 0, lastMs: 0 });
		expectWindows((await bench().estimate(4)).lastMs, 1);
		await send(3);
		const { nextMs, lastMs } = await bench().estimate(7);
		expectWindows(nextMs, 1);
		expectWindows(lastMs, 3);
	});
});

describe('over a slow connection to Redis', () => {
	let redis: LuaRedis;
	useLuaRedis((one) => (redis = one));
	const slow = async (run: () => unknown) => {
		await after(50);
		const reply = run();
		await after(50);
		return reply;
	};

	test.each([
		['before', 0, 'a'],
		['right after', 100, 'b'],
		['after', 200, 'b'],
	] as const)(
		'only one of two tickets gets the room, if used %s the time of the other',
		async (_, laterMs, first) => {
			const window = [{ max: 3, windowMs: WINDOW }];
			const fast = LimiterBench.on(redis);
			const a = LimiterBench.on(redis, slow);
			const b = LimiterBench.on(redis, slow);
			for (const one of [fast, a, b])
				one.limits = { general: window, endpoints: { [SEND]: window } };
			await passTime(fast.requests(3));
			const waitMs = await passTime(a.ticket('a', GENERAL));
			await passTime(b.ticket('b', GENERAL));
			await jest.advanceTimersByTimeAsync(waitMs + laterMs - 300);
			// A send uses no general ticket, but a slot: a has to wait about as long as b.
			await passTime(fast.requests(1, { endpoint: SEND }));
			await passTime(a.ticket('a', GENERAL));
			await jest.advanceTimersByTimeAsync(WINDOW + 5_000);
			const waits = {
				b: await passTime(b.ticket('b', GENERAL)),
				a: await passTime(a.ticket('a', GENERAL)),
			};
			expect(waits[first]).toBe(0);
			expect(Math.max(waits.a, waits.b)).toBeGreaterThan(WINDOW / 2);
		},
	);
});
