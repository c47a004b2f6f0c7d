// Several processes that count in one Redis, in logical time: each has a connection and windows of its own.

import { type Limits, limitStoreOf } from '../../../nodes/BusinessData/rateLimit';
import { fullestWindow } from '../../support/countedRequests';
import { LimitStoreRequest } from '../../support/limitStoreRequest';
import { HOUR, LimiterBench, SEND } from '../../support/limiterBench';
import { after, expectBetween, passTime, timeOf } from '../../support/logicalTime';
import { type LuaRedis, useLuaRedis } from '../../support/luaRedis';

let redis: LuaRedis;
let one: LimiterBench;
let other: LimiterBench;

const newProcess = (limits?: Limits) =>
	Object.assign(LimiterBench.on(redis), limits === undefined ? {} : { limits });
const pass = async (ms: number) => await jest.advanceTimersByTimeAsync(ms);
const request = async (bench: LimiterBench, endpoint?: string) =>
	await passTime(bench.request({ endpoint }));
const refuse = async (bench: LimiterBench, afterMs = 0, endpoint?: string) =>
	(await passTime(bench.acquire({ endpoint }))).refused(afterMs);
/** The use of other clients that a process estimates. */
const usedByOthers = async (bench: LimiterBench, limit = 'general/60s') =>
	(await bench.status()).get(limit)?.usedByOthers ?? 0;

useLuaRedis((shared) => {
	redis = shared;
	one = newProcess();
	other = newProcess();
});

describe('processes that share a limit', () => {
	test('each get their share if all send one request after the other', async () => {
		const general = [{ max: 4, windowMs: 1_000 }];
		const processes = [1, 2, 3].map(() => newProcess({ general, endpoints: {} }));
		const order: number[] = [];
		const all = processes.map(async (process, index) => {
			for (let count = 0; count < 12; count++) {
				await process.request({}, 20);
				order.push(index);
			}
		});
		await passTime(Promise.all(all));
		const counted = processes.flatMap((process) => process.counted);
		expect(fullestWindow(counted, 1_000)).toBe(4);
		// Halfway through, no process has had more than half as much again as its share.
		for (const index of processes.keys()) {
			const turns = order.slice(0, 18).filter((name) => name === index).length;
			expectBetween(turns, 3, 10);
		}
	});

	test('each get their turn to send, even one that is busy with reads', async () => {
		const general = [{ max: 3, windowMs: 3_000 }];
		const limits = { general, endpoints: { [SEND]: [{ max: 1, windowMs: 400 }] } };
		const names = ['busy', 'b', 'c'];
		const processes = names.map(() => newProcess(limits));
		const order: string[] = [];
		let isOver = false;
		const sends = processes.map(async (process, index) => {
			for (let count = 0; count < 3; count++) {
				await process.request({ endpoint: SEND, run: 'sends' }, 10);
				order.push(names[index] ?? '');
			}
		});
		// Runs of reads that use all room, in one process.
		const reads = Array.from({ length: 8 }, async (_, index) => {
			while (!isOver) await processes[0]?.request({ run: `run ${index}` }, 10);
		});
		await passTime(Promise.all(sends));
		isOver = true;
		await passTime(Promise.all(reads));
		// Between two sends of a process, the others have one turn each, and perhaps one that had begun.
		for (const name of names) {
			const turns = order.flatMap((sender, index) => (sender === name ? [index] : []));
			const gaps = turns.map((turn, index) => turn - (turns[index - 1] ?? -1) - 1);
			expect({ order, isFair: Math.max(...gaps) <= names.length }).toEqual({ order, isFair: true });
		}
		const counted = processes.flatMap((process) => process.counted);
		expect(fullestWindow(counted, 3_000)).toBe(3);
	});
});

test('a request that waits in one process goes before the tickets of another', async () => {
	await passTime(one.requests(3, { endpoint: SEND }));
	const waiting = other.request({ endpoint: SEND });
	await pass(100);
	// One request goes after the first window, so three have room after the second.
	expectBetween(await one.ticket('a'), 1_200_000, 1_203_000);
	await passTime(waiting);
});

describe('slots in Redis', () => {
	const limitStore = () => limitStoreOf(redis.connection(), 'key');

	test('of a process that died come free after its window and timeout, not before', async () => {
		for (let count = 0; count < 2; count++) await new LimitStoreRequest(limitStore()).take();
		const waiting = new LimitStoreRequest(limitStore());
		// The window is 300 ms, the timeout 400 ms.
		await pass(690);
		expect(await waiting.take()).toBe(false);
		await pass(1_000);
		expect(await waiting.take()).toBe(true);
	});

	test('that requests wait for are kept for the first in line, until it gives up', async () => {
		const [holder, last, first, second] = [1, 2, 3, 4].map(
			() => new LimitStoreRequest(limitStore()),
		) as [LimitStoreRequest, LimitStoreRequest, LimitStoreRequest, LimitStoreRequest];
		for (const taker of [holder, last]) await taker.take();
		expect(await first.take()).toBe(false);
		holder.permit.unused();
		await pass(1);
		expect(await second.take()).toBe(false);
		first.permit.unused();
		await pass(1);
		expect(await second.take()).toBe(true);
	});
});

test('a refusal while Redis gives slots delays the request, and leaves the slots to others', async () => {
	const general = [1_000, 10_000].map((windowMs) => ({ max: windowMs / 500, windowMs }));
	const limits = { general, endpoints: {} };
	const slow = LimiterBench.on(redis, async (run) => {
		const reply = run();
		await after(50);
		return reply;
	});
	const refused = await passTime(Object.assign(slow, { limits }).acquire());
	const startedAt = performance.now();
	const waiting = slow.request();
	const used = async () => (await newProcess(limits).status()).get('general/1s')?.used;
	await pass(25);
	expect(await used()).toBe(2);
	refused.refused(5_000);
	await pass(200);
	expect(await used()).toBe(1);
	expectBetween((await passTime(waiting)) - startedAt, 5_000, 5_200);
});

test('a pause that the service asks for applies to all processes, even beyond all windows', async () => {
	await refuse(one, 4 * HOUR);
	await expect(passTime(other.acquire())).rejects.toMatchObject({ isAskedFor: true });
	// No slot is held any more.
	await pass(3 * HOUR);
	const late = newProcess();
	await expect(passTime(late.acquire())).rejects.toMatchObject({ isAskedFor: true });
	await pass(HOUR - 1_000);
	expect(await timeOf(late.request())).toBeGreaterThan(900);
});

describe('the estimate of other clients', () => {
	test.each([
		['is shared with another', 0, true],
		['is shared with one that starts later', 40_000, true],
		['gets no younger in another', 40_000, false],
	])('%s', async (_, beginsAfterMs, isKnown) => {
		await passTime(one.requests(30));
		await refuse(one);
		const learnedAt = performance.now();
		await pass(beginsAfterMs);
		await request(other);
		await pass(learnedAt + (isKnown ? 50_000 : 61_000) - performance.now());
		expect((await usedByOthers(other)) > 0).toBe(isKnown);
		if (isKnown) expect(await usedByOthers(other)).toBeCloseTo(await usedByOthers(one), -1);
	});

	test('of an endpoint reaches processes that have sent something else', async () => {
		const endpoints = { [SEND]: [{ max: 10, windowMs: 60_000 }] };
		one.limits = other.limits = { general: [{ max: 30, windowMs: 60_000 }], endpoints };
		await request(other, SEND);
		await refuse(one, 0, SEND);
		// The snapshot comes with a read, which is not counted by the endpoint.
		await request(other);
		await request(other, SEND);
		const learned = await usedByOthers(one, `${SEND}/60s`);
		expect(learned).toBeGreaterThan(0);
		expect(await usedByOthers(other, `${SEND}/60s`)).toBe(learned);
	});

	test('of an endpoint does not replace that for all requests', async () => {
		const third = newProcess();
		const sending = await passTime(one.acquire({ endpoint: SEND }));
		await passTime(other.requests(9));
		await refuse(other);
		const learned = await usedByOthers(other);
		expect(learned).toBeGreaterThanOrEqual(5);
		// It went out before the other process learned.
		sending.refused(0);
		for (const process of [other, third, one]) await request(process);
		// Some of it has faded meanwhile.
		for (const process of [one, other, third]) {
			expect(await usedByOthers(process)).toBeGreaterThanOrEqual(learned / 2);
		}
	});

	test('reaches processes that learned before Redis lost its data', async () => {
		await refuse(one);
		// The estimate has faded, and no slot is held.
		await pass(130_000);
		redis.data.clear();
		await passTime(other.requests(9));
		await refuse(other);
		await request(one);
		expect(await usedByOthers(one)).toBeGreaterThanOrEqual(5);
	});
});
