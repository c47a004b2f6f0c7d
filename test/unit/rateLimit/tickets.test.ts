/** Room that is promised to those who wait for it elsewhere, in logical time. */
import { WaitTooLongError } from '../../../nodes/BusinessData/rateLimit';
import { fullestWindow } from '../../support/countingService';
import { HOUR, LimiterBench, SEND } from '../../support/limiterBench';
import { passTime } from '../../support/logicalTime';
import { LuaRedis } from '../../support/luaRedis';

const MINUTE = 60_000;
const WINDOW = 10 * MINUTE;
/** What a slot is held longer than its window, and a little for the limiter itself. */
const MARGIN = 3_000;
/** A ticket for any request. */
const GENERAL = { scope: undefined };

/** The wait is as many windows as named. */
function expectWindows(waitMs: number, windows: number): void {
	expect(waitMs).toBeGreaterThanOrEqual(windows * WINDOW);
	expect(waitMs).toBeLessThan(windows * WINDOW + MARGIN);
}

describe.each(['memory', 'Redis, by two processes in turn'])('counting in %s', (store) => {
	let benches: LimiterBench[];
	let redis: LuaRedis;
	let calls = 0;
	/** The process whose turn it is. */
	const bench = () => benches[calls++ % benches.length] as LimiterBench;

	beforeEach(async () => {
		redis = await LuaRedis.load();
		jest.useFakeTimers();
		const onRedis = () => [LimiterBench.on(redis), LimiterBench.on(redis)];
		benches = store === 'memory' ? [new LimiterBench()] : onRedis();
	});

	afterEach(() => jest.useRealTimers());

	const send = async (count: number) =>
		await passTime(bench().requests(count, { scope: SEND }), HOUR);

	/** Fills the only general window, which is as long as that of the sends. */
	const fillGeneral = async () => {
		const window = [{ max: 3, windowMs: WINDOW }];
		for (const one of benches) one.limits = { general: window, scopes: { [SEND]: window } };
		await passTime(bench().requests(3), HOUR);
	};

	test('there is room at once as long as nothing was sent', async () => {
		expect(await bench().promise('a')).toBe(0);
	});

	test('executions that wait for the same room get it one after the other', async () => {
		await send(3);
		expectWindows(await bench().promise('a'), 1);
		expectWindows(await bench().promise('b'), 2);
		expectWindows(await bench().promise('c'), 3);
		const names = ['d', 'e', 'f', 'g'];
		const atOnce = names.map(async (name) => await bench().promise(name));
		const waits = (await Promise.all(atOnce)).sort((a, b) => a - b);
		for (const [index, waitMs] of waits.entries()) expectWindows(waitMs, 4 + index);
	});

	test('smaller ones share a window', async () => {
		await send(3);
		expectWindows(await bench().promise('a', { count: 2 }), 1);
		expectWindows(await bench().promise('b', { count: 1 }), 1);
		expectWindows(await bench().promise('c', { count: 1 }), 2);
	});

	test('all that were asked for have room at once', async () => {
		await send(1);
		await jest.advanceTimersByTimeAsync(5 * MINUTE);
		await send(2);
		const [one, three] = [
			await bench().promise('a', { count: 1 }),
			await bench().promise('b', { count: 3 }),
		];
		expect(one).toBeLessThan(5 * MINUTE + MARGIN);
		// The one that was promised before takes its place 5 minutes from now.
		expect(three).toBeGreaterThanOrEqual(15 * MINUTE);
		expect(three).toBeLessThan(15 * MINUTE + 2 * MARGIN);
	});

	test('what goes out uses the room that was promised, so nothing is counted twice', async () => {
		await send(3);
		await jest.advanceTimersByTimeAsync(await bench().promise('a'));
		await send(3);
		expectWindows(await bench().promise('b'), 1);
	});

	test('each execution in a row of many sends in its window', async () => {
		const startedAt = performance.now();
		const execution = async (name: string) => {
			const waitMs = await bench().promise(name);
			await new Promise((resolve) => setTimeout(resolve, waitMs));
			await bench().requests(3, { scope: SEND, run: name });
			return performance.now() - startedAt;
		};
		const ends = await passTime(Promise.all(['a', 'b', 'c', 'd'].map(execution)), HOUR);
		for (const [index, end] of ends.entries()) expectWindows(end, index);
		const counted = benches.flatMap(({ service }) => service.counted);
		expect(fullestWindow(counted, WINDOW)).toBe(3);
	});

	test('another ticket of the same name takes the place of the first', async () => {
		await send(3);
		await bench().promise('a');
		expectWindows(await bench().promise('a'), 1);
		expectWindows(await bench().promise('b'), 2);
	});

	test('one whose room was not used keeps its place, one that was used does not', async () => {
		await bench().promise('a');
		expectWindows(await bench().promise('b'), 1);
		// All that a had to send was sent before.
		expect(await bench().promise('a')).toBe(0);
		await send(3);
		expectWindows(await bench().promise('a'), 2);
	});

	test.each([
		['as much as is left keeps its place', 2, 0],
		['more than is left loses it', 3, 2],
	])('of one whose room was used in part, %s', async (_, count, windows) => {
		await bench().promise('a');
		expectWindows(await bench().promise('b'), 1);
		await send(1);
		expectWindows(await bench().promise('a', { count }), windows);
	});

	test('two that wait for the same slots from the same moment on get them one after the other', async () => {
		await fillGeneral();
		const waits = [await bench().promise('a', GENERAL), await bench().promise('b', GENERAL)];
		expectWindows(waits[1] ?? 0, 2);
		await jest.advanceTimersByTimeAsync((waits[1] ?? 0) - 1);
		// Both have to wait for it.
		await send(1);
		for (const name of ['a', 'b']) await bench().promise(name, GENERAL);
		const again = [await bench().promise('a', GENERAL), await bench().promise('b', GENERAL)];
		expect(Math.abs((again[0] ?? 0) - (again[1] ?? 0))).toBeGreaterThan(WINDOW / 2);
	});

	test('two that wake late, with moments close to each other, get the room one after the other', async () => {
		await fillGeneral();
		expectWindows(await bench().promise('a', GENERAL), 1);
		expectWindows(await bench().promise('b', GENERAL), 2);
		await jest.advanceTimersByTimeAsync(WINDOW + 1_000);
		// A send uses no general ticket, but a slot: a has to wait as long as b.
		await send(1);
		expectWindows(await bench().promise('a', GENERAL), 1);
		await jest.advanceTimersByTimeAsync(WINDOW + 5_000);
		expect(await bench().promise('b', GENERAL)).toBe(0);
		await jest.advanceTimersByTimeAsync(100);
		expect(await bench().promise('a', GENERAL)).toBeGreaterThan(WINDOW / 2);
	});

	test('a ticket lapses by itself, and then the limiter is dropped', async () => {
		await bench().promise('gone');
		expectWindows(await bench().promise('a'), 1);
		await bench().withdraw('a');
		await jest.advanceTimersByTimeAsync(89_000);
		// What Redis keeps, no process has to.
		expect(benches.every(({ isIdle }) => isIdle)).toBe(store !== 'memory');
		await jest.advanceTimersByTimeAsync(2_000);
		expect(benches.every(({ isIdle }) => isIdle)).toBe(true);
		expect(await bench().promise('a')).toBe(0);
		await jest.advanceTimersByTimeAsync(WINDOW);
		expect(redis.data.copy().size).toBe(0);
	});

	test('a ticket that is withdrawn makes nobody wait', async () => {
		await send(3);
		await bench().promise('a');
		await bench().withdraw('a');
		expectWindows(await bench().promise('b'), 1);
	});

	test('a ticket reserves nothing', async () => {
		await bench().promise('a');
		const startedAt = performance.now();
		await send(3);
		expect(performance.now() - startedAt).toBeLessThan(MARGIN);
	});

	test('those who wait at the limiter go first', async () => {
		const [own] = benches as [LimiterBench];
		await passTime(own.requests(3, { scope: SEND }), HOUR);
		const waiting = own.requests(4, { scope: SEND });
		await jest.advanceTimersByTimeAsync(100);
		// Three after a window and one after two, which leaves no room for three until the third.
		expectWindows(await own.promise('a'), 3);
		await passTime(waiting, HOUR);
	});

	test('a wait that is too long is an error with its time, and nothing is promised', async () => {
		await send(3);
		const error: unknown = await bench()
			.promise('a', { maxWaitMs: MINUTE })
			.catch((reason: unknown) => reason);
		expect(error).toBeInstanceOf(WaitTooLongError);
		expectWindows((error as WaitTooLongError).retryAfterMs, 1);
		expectWindows(await bench().promise('b'), 1);
	});

	test('of general room, each window has as much as it can have at once', async () => {
		await passTime(bench().requests(60), HOUR);
		const startedAt = performance.now();
		const waitMs = await bench().promise('a', { scope: undefined, count: 50 });
		// 40 are free at once, ten more when the first ten are over. No second has room for more than ten.
		expect(startedAt + waitMs).toBeLessThan(MINUTE + MARGIN);
	});

	test('a pause after a refusal is counted', async () => {
		const [own] = benches as [LimiterBench];
		(await passTime(own.acquire({ scope: SEND }), HOUR)).refused(400_000);
		expect(await own.promise('a', { count: 1 })).toBeGreaterThanOrEqual(399_000);
	});

	test('the outlook tells when the next and the last of so many go', async () => {
		await send(3);
		const { nextMs, lastMs } = await bench().estimate(7);
		expectWindows(nextMs, 1);
		expectWindows(lastMs, 3);
	});
});
