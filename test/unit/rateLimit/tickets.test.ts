/** Tickets for room, of those who wait for it elsewhere, in logical time. */
import { WaitTooLongError } from '../../../nodes/BusinessData/rateLimit';
import { Tickets } from '../../../nodes/BusinessData/rateLimit/tickets';
import { fullestWindow } from '../../support/countedRequests';
import { LimiterBench, SEND } from '../../support/limiterBench';
import { after, passTime } from '../../support/logicalTime';
import { type LuaRedis, useLuaRedis } from '../../support/luaRedis';

const MINUTE = 60_000;
const WINDOW = 10 * MINUTE;
/** What a slot is held longer than its window, and a little for the limiter itself. */
const MARGIN = 3_000;
/** A ticket for any request. */
const GENERAL = { endpoint: undefined };

/** The wait is as many windows as named. */
function expectWindows(waitMs: number, windows: number): void {
	expect(waitMs).toBeGreaterThanOrEqual(windows * WINDOW);
	expect(waitMs).toBeLessThan(windows * WINDOW + MARGIN);
}

test('tickets are used from 2 s before their time on, and lapse 90 s after it', async () => {
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

	test('smaller ones share a window', async () => {
		await send(3);
		expectWindows(await bench().ticket('a', { count: 2 }), 1);
		expectWindows(await bench().ticket('b', { count: 1 }), 1);
		expectWindows(await bench().ticket('c', { count: 1 }), 2);
	});

	test('all that were asked for have room at once', async () => {
		await send(1);
		await jest.advanceTimersByTimeAsync(5 * MINUTE);
		await send(2);
		const one = await bench().ticket('a', { count: 1 });
		const three = await bench().ticket('b', { count: 3 });
		expect(one).toBeLessThan(5 * MINUTE + MARGIN);
		// The ticket of before takes its place 5 minutes from now.
		expect(three).toBeGreaterThanOrEqual(15 * MINUTE);
		expect(three).toBeLessThan(15 * MINUTE + 2 * MARGIN);
	});

	test('what goes out uses the room of a ticket, so nothing is counted twice', async () => {
		await send(3);
		await jest.advanceTimersByTimeAsync(await bench().ticket('a'));
		await send(3);
		expectWindows(await bench().ticket('b'), 1);
	});

	test('each execution in a row of many sends in its window', async () => {
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

	test('another ticket of the same name takes the place of the first, and none makes nobody wait', async () => {
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

	test('one whose room was not used keeps its place, one that was used does not', async () => {
		await bench().ticket('a');
		expectWindows(await bench().ticket('b'), 1);
		// All that a had to send was sent before.
		expect(await bench().ticket('a')).toBe(0);
		await send(3);
		expectWindows(await bench().ticket('a'), 2);
	});

	test('one that needs less than before leaves the rest to others', async () => {
		await bench().ticket('a');
		expect(await bench().ticket('a', { count: 1 })).toBe(0);
		expect(await bench().ticket('b', { count: 2 })).toBe(0);
	});

	test.each([
		['as much as is left keeps its place', 2, 0],
		['more than is left loses it', 3, 2],
	])('of one whose room was used in part, %s', async (_, count, windows) => {
		await bench().ticket('a');
		expectWindows(await bench().ticket('b'), 1);
		await send(1);
		expectWindows(await bench().ticket('a', { count }), windows);
	});

	test('two that wait for the same slots from the same moment on get them one after the other', async () => {
		await fillGeneral();
		const waits = [await bench().ticket('a', GENERAL), await bench().ticket('b', GENERAL)];
		expectWindows(waits[1] ?? 0, 2);
		await jest.advanceTimersByTimeAsync((waits[1] ?? 0) - 1);
		// Both have to wait for it.
		await send(1);
		for (const name of ['a', 'b']) await bench().ticket(name, GENERAL);
		const again = [await bench().ticket('a', GENERAL), await bench().ticket('b', GENERAL)];
		expect(Math.abs((again[0] ?? 0) - (again[1] ?? 0))).toBeGreaterThan(WINDOW / 2);
	});

	test('two that wake late, with moments close to each other, get the room one after the other', async () => {
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

	test('a ticket lapses by itself, and then the limiter is dropped', async () => {
		await bench().ticket('gone');
		expectWindows(await bench().ticket('a'), 1);
		await bench().ticket('a', { count: 0 });
		await jest.advanceTimersByTimeAsync(89_000);
		// What Redis keeps, no process has to.
		expect(benches.every(({ isIdle }) => isIdle)).toBe(store !== 'memory');
		await jest.advanceTimersByTimeAsync(2_000);
		expect(benches.every(({ isIdle }) => isIdle)).toBe(true);
		expect(await bench().ticket('a')).toBe(0);
		await jest.advanceTimersByTimeAsync(WINDOW);
		expect(redis.data.copy().size).toBe(0);
	});

	test('as long as nothing was sent there is room at once, and a ticket reserves none of it', async () => {
		expect(await bench().ticket('a')).toBe(0);
		const startedAt = performance.now();
		await send(3);
		expect(performance.now() - startedAt).toBeLessThan(MARGIN);
	});

	test('those who wait at the limiter go first', async () => {
		const [own] = benches as [LimiterBench];
		await passTime(own.requests(3, { endpoint: SEND }));
		const waiting = own.requests(4, { endpoint: SEND });
		await jest.advanceTimersByTimeAsync(100);
		// Three after a window and one after two, which leaves no room for three until the third.
		expectWindows(await own.ticket('a'), 3);
		await passTime(waiting);
	});

	test('a wait that is too long is an error with its time, and no ticket is issued', async () => {
		await send(3);
		const error: unknown = await bench()
			.ticket('a', { maxWaitMs: MINUTE })
			.catch((reason: unknown) => reason);
		expect(error).toBeInstanceOf(WaitTooLongError);
		expectWindows((error as WaitTooLongError).retryAfterMs, 1);
		expectWindows(await bench().ticket('b'), 1);
	});

	test('of general room, each window has as much as it can have at once', async () => {
		await passTime(bench().requests(60));
		const startedAt = performance.now();
		const waitMs = await bench().ticket('a', { endpoint: undefined, count: 50 });
		// 40 are free at once, ten more when the first ten are over. No second has room for more than ten.
		expect(startedAt + waitMs).toBeLessThan(MINUTE + MARGIN);
	});

	test('the estimate tells when the next and the last of so many go', async () => {
		expect(await bench().estimate(3)).toEqual({ nextMs: 0, lastMs: 0 });
		expectWindows((await bench().estimate(4)).lastMs, 1);
		await send(3);
		const { nextMs, lastMs } = await bench().estimate(7);
		expectWindows(nextMs, 1);
		expectWindows(lastMs, 3);
	});
});

describe('on a slow way to Redis', () => {
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
		'one gets the room, with a ticket %s that of the other',
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
