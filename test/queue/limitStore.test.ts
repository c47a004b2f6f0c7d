// The limit store in a real Redis: one count over all processes, by the clock of Redis, in keys that expire. What the
// scripts decide, test/unit/rateLimit proves in logical time.

import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';

import { limitStoreOf, type Limits } from '../../nodes/BusinessData/rateLimit';
import { KeyLimiter } from '../../nodes/BusinessData/rateLimit/keyLimiter';
import { RedisConnection } from '../../nodes/BusinessData/redis';
import { abortController } from '../../nodes/BusinessData/async';
import { CountingService } from '../support/countingService';
import {
	GENERAL,
	limitsOf,
	LimitStoreRequest,
	useLimitStoreBench,
} from '../support/limitStoreBench';

const { signal } = abortController();
const SEND = 'send';
const WINDOW_MS = 1_500;
const general = [
	{ max: 4, windowMs: 100 },
	{ max: 12, windowMs: 1_000 },
];
const limits: Limits = { general, endpoints: { [SEND]: [{ max: 3, windowMs: WINDOW_MS }] } };

const bench = useLimitStoreBench();

/** A process of its own, as far as the limit store can tell: it has a connection and windows of its own. */
class Process {
	readonly limitStore = limitStoreOf(new RedisConnection(bench.address), bench.identity);

	readonly limiter = new KeyLimiter(() => undefined);

	constructor(private readonly service = new CountingService()) {}

	async request(endpoint?: string): Promise<void> {
		const { limitStore } = this;
		const request = {
			run: 'run',
			priority: 5,
			maxWaitMs: Infinity,
			inFlightMs: 1_000,
			limitStore,
			signal,
		};
		const permit = await this.limiter.acquire({ ...request, limits, endpoint });
		this.service.counted.push(performance.now());
		await pause(Math.random() * 20);
		permit.letThrough();
	}

	async ticket(holder: string): Promise<number> {
		const request = { holder, count: 3, maxWaitMs: Infinity, endpoint: SEND };
		return await this.limiter.issueTickets({ ...request, limits, limitStore: this.limitStore });
	}
}

test('processes whose clocks differ by minutes keep the limits together', async () => {
	const skewMs = new AsyncLocalStorage<number>();
	const wallClock = jest.spyOn(Date, 'now');
	wallClock.mockImplementation(
		() => performance.timeOrigin + performance.now() + (skewMs.getStore() ?? 0),
	);
	try {
		const service = new CountingService();
		const processes = [-300_000, 0, 600_000].map(async (skew) => {
			await skewMs.run(skew, async () => {
				const process = new Process(service);
				await Promise.all(Array.from({ length: 8 }, async () => await process.request()));
			});
		});
		await Promise.all(processes);
		for (const { max, windowMs } of general) {
			expect(service.fullestWindow(windowMs)).toBeLessThanOrEqual(max);
		}
	} finally {
		wallClock.mockRestore();
	}
});

test('what one process sends and is promised, another waits for', async () => {
	const [one, other] = [new Process(), new Process()];
	for (let count = 0; count < 3; count++) await one.request(SEND);
	await pause(50);
	const status = await other.limiter.status({ limits, limitStore: other.limitStore });
	expect(status.find(({ limit }) => limit === 'send/1.5s')).toMatchObject({
		...{ used: 3, remaining: 0, queued: 0 },
	});
	for (const [index, process] of [one, other, one].entries()) {
		const waitMs = await process.ticket(`execution ${index}`);
		expect(waitMs).toBeGreaterThan((index + 0.7) * WINDOW_MS);
		expect(waitMs).toBeLessThan((index + 1.3) * WINDOW_MS);
	}
	// It lapses by itself.
	const [key = ''] = await bench.redis.keys(`*${bench.identity}*tickets*`);
	const ttl = await bench.redis.pttl(key);
	expect(ttl).toBeGreaterThan(80_000);
	expect(ttl).toBeLessThanOrEqual(90_000 + 4 * WINDOW_MS);
});

test('keys share a hash tag, and expire by themselves after the longest hold', async () => {
	const own = limitsOf(SEND, [{ max: 1, windowMs: 600 }]);
	const request = new LimitStoreRequest(bench.limitStore, own, GENERAL);
	const keysInRedis = async () => await bench.redis.keys(`*{${bench.identity}}*`);
	await request.take();
	const keys = await keysInRedis();
	expect(keys).toHaveLength(3);
	for (const key of keys) {
		expect(key).toMatch(/^n8n-nodes-business-data:1:\{key-[\w-]+\}:(slots:|state$)/);
	}
	request.permit.letThrough();
	await pause(800);
	expect(await keysInRedis()).toHaveLength(2);
	// The state lasts for 2.5 s, whatever else.
	await pause(1_900);
	expect(await keysInRedis()).toHaveLength(0);
});
