// A Redis that loses data, or whose clock is set, while processes hold slots, in logical time.

import type { Limits } from '../../../nodes/BusinessData/rateLimit';
import { fullestWindow } from '../../support/countedRequests';
import { HOUR, LimiterBench, SEND } from '../../support/limiterBench';
import { after, expectBetween, passTime } from '../../support/logicalTime';
import { type LuaRedis, type Sender, useLuaRedis } from '../../support/luaRedis';

const limits: Limits = {
	general: [
		{ max: 4, windowMs: 1_000 },
		{ max: 12, windowMs: 10_000 },
	],
	endpoints: { [SEND]: [{ max: 3, windowMs: 60_000 }] },
};
const narrow: Limits = {
	general: [{ max: 1, windowMs: 1_000 }],
	endpoints: { [SEND]: [{ max: 1, windowMs: 60_000 }] },
};

let redis: LuaRedis;
let beganAt: number;
/** The number of commands since it was last reset. */
let commands = 0;

useLuaRedis((one) => {
	redis = one;
	beganAt = performance.now();
	commands = 0;
});

const atOnce: Sender = async (run) => await Promise.resolve(run());

/** A process that shares nothing with the others but Redis. */
function newProcess(under = limits, way = atOnce): LimiterBench {
	const counting: Sender = async (run, script) => {
		commands++;
		return await way(run, script);
	};
	return Object.assign(LimiterBench.on(redis, counting), { limits: under });
}

const seconds = () => (performance.now() - beganAt) / 1000;
const keyOf = (part: string) =>
	[...redis.data.copy().keys()].find((key) => key.includes(part)) ?? '';
const evict = (part: string) => redis.data.delete(keyOf(part));

type Loss = [what: string, strike: (before: ReturnType<LuaRedis['data']['copy']>) => unknown];

const losses: Loss[] = [
	['is emptied', () => redis.data.clear()],
	['evicts the slots of the endpoint', () => evict(`slots:${SEND}`)],
	['evicts the general slots', () => evict('slots:general')],
	['evicts its state', () => evict('state')],
	['loses its latest writes', (before) => redis.data.restore(before)],
	['has its clock set forward by an hour', () => redis.setClock(HOUR)],
	['has its clock set forward by 2 s', () => redis.setClock(2_000)],
	['has its clock set back by an hour', () => redis.setClock(-HOUR)],
	['has its clock set back by 5 s', () => redis.setClock(-5_000)],
];

describe('while slots are held', () => {
	test.each(losses)('a Redis that %s twice has all slots within a second', async (_, strike) => {
		const one = newProcess();
		const send = async () => await passTime(one.request({ endpoint: SEND }));
		await send();
		const before = redis.data.copy();
		await send();
		await send();
		await jest.advanceTimersByTimeAsync(12_000);
		const readAt = seconds();
		await passTime(one.requests(12));
		for (let time = 0; time < 2; time++) {
			strike(before);
			await jest.advanceTimersByTimeAsync(1_000);
		}

		const other = newProcess();
		const sent = other.request({ endpoint: SEND });
		const read = other.request({ run: 'b' });
		await passTime(read);
		expectBetween(seconds(), readAt + 10, readAt + 13);
		await passTime(sent);
		expectBetween(seconds(), 60, 63);
	});

	test.each(losses)(
		'a Redis that %s before the newest request ends regains the others',
		async (_, strike) => {
			const one = newProcess();
			const before = redis.data.copy();
			for (const latencyMs of [0, 0, 500]) {
				const sending = one.request({ endpoint: SEND }, latencyMs);
				await jest.advanceTimersByTimeAsync(100);
				if (latencyMs > 0) strike(before);
				await passTime(sending);
			}
			await jest.advanceTimersByTimeAsync(1_000);
			await passTime(newProcess().request({ endpoint: SEND }));
			expectBetween(seconds(), 60, 63);
		},
	);

	test('a process sends a command per 0.8 s, and none once nothing is held', async () => {
		const one = newProcess();
		await passTime(one.request({ endpoint: SEND }, 300));
		await jest.advanceTimersByTimeAsync(10);
		// One takes the slots, the other says when the service has counted the request.
		expect(commands).toBe(2);
		commands = 0;
		await jest.advanceTimersByTimeAsync(50_000);
		expect(commands).toBeLessThanOrEqual(64);
		await jest.advanceTimersByTimeAsync(20_000);
		commands = 0;
		await jest.advanceTimersByTimeAsync(HOUR);
		expect(commands).toBe(0);
		expect(jest.getTimerCount()).toBe(0);
		// Expired slots do not count as lost.
		const idleUntil = seconds();
		await passTime(one.request());
		expectBetween(seconds(), idleUntil, idleUntil + 0.1);
	});
});

test.each([30_000, 59_500])(
	'a Redis that is emptied after %d ms lets no process send before the others enter their slots',
	async (ms) => {
		const one = newProcess();
		const other = newProcess();
		await passTime(other.request());
		for (let count = 0; count < 3; count++) await passTime(one.request({ endpoint: SEND }));
		await jest.advanceTimersByTimeAsync(ms);
		redis.data.clear();
		await passTime(other.request({ endpoint: SEND }));
		expectBetween(seconds(), 60, 64);
	},
);

test.each<Loss>([
	[
		'restarted without data',
		() => {
			redis.data.clear();
			redis.data.startedAt = Date.now();
		},
	],
	['replaced by a replica without the latest writes', (before) => redis.data.restore(before)],
])('a Redis that was %s lets no process send before others enter slots', async (_, strike) => {
	const one = newProcess();
	await passTime(one.request({ endpoint: SEND }));
	const before = redis.data.copy();
	for (let count = 0; count < 2; count++) await passTime(one.request({ endpoint: SEND }));
	await jest.advanceTimersByTimeAsync(5_000);
	redis.data.starts++;
	strike(before);
	await passTime(newProcess().request({ endpoint: SEND }));
	expect(seconds()).toBeGreaterThanOrEqual(60);
});

test('a pause and the estimate of other clients survive the loss of all data in Redis', async () => {
	const other = newProcess();
	(await passTime(newProcess().acquire())).refused(5_000);
	await jest.advanceTimersByTimeAsync(1_000);
	redis.data.clear();
	await jest.advanceTimersByTimeAsync(1_000);
	await passTime(other.request());
	expect(seconds()).toBeGreaterThanOrEqual(5);
	expect((await other.status()).get('general/10s')?.usedByOthers).toBeGreaterThan(0);
});

describe('while processes send at full speed', () => {
	test.each(losses)('a Redis that %s exceeds limits by one per process', async (_, strike) => {
		const far: Sender = async (run) => {
			await after(5);
			const reply = run();
			await after(5);
			return reply;
		};
		const processes = [1, 2, 3].map(() => newProcess(limits, far));
		const all = processes.map(async (process) => await process.requests(16, {}, 300));
		await jest.advanceTimersByTimeAsync(10_500);
		const before = redis.data.copy();
		await jest.advanceTimersByTimeAsync(500);
		strike(before);
		await passTime(Promise.all(all));
		const counted = processes.flatMap((process) => process.counted);
		for (const { max, windowMs } of limits.general) {
			expect(fullestWindow(counted, windowMs)).toBeLessThanOrEqual(max + processes.length);
		}
		// The best possible is 31 s; no process sends for 2.5 s after a loss.
		expect(seconds()).toBeLessThan(37);
	});
});

test.each(['general', SEND])(
	'slots taken twice after a lost reply count once, even if Redis lost those of %s',
	async (endpoint) => {
		const twice: Sender = async (run) => {
			run();
			evict(`slots:${endpoint}`);
			return await Promise.resolve(run());
		};
		await passTime(newProcess(narrow, twice).acquire({ endpoint: SEND }));
		expect(seconds()).toBeLessThan(1);
		for (const set of ['general', SEND]) {
			expect(redis.data.run(['ZCARD', keyOf(`slots:${set}`)])).toBe(1);
		}
	},
);

test('the request that has waited longest goes next, even if the clock of Redis is set back', async () => {
	await passTime(newProcess(narrow).request({ endpoint: SEND }));
	const order: string[] = [];
	const wait = async (name: string) => {
		await newProcess(narrow).request({ endpoint: SEND });
		order.push(name);
	};
	const first = wait('first');
	await jest.advanceTimersByTimeAsync(5_000);
	redis.setClock(-HOUR);
	await jest.advanceTimersByTimeAsync(5_000);
	await passTime(Promise.all([first, wait('second')]));
	expect(order).toEqual(['first', 'second']);
});
