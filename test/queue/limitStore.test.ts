// The limit store in a real Redis: its keys expire. While Redis fails, requests wait or end in a clear error, and no
// held slot is forgotten. test/unit/rateLimit tests the decisions of the scripts in logical time.

import type { Redis } from 'ioredis';

import { KeyLimiter } from '../../nodes/BusinessData/rateLimit/keyLimiter';
import {
	connectionTo,
	type RedisAddress,
	RedisConnection,
	RedisError,
} from '../../nodes/BusinessData/redis';
import { abortController } from '../../nodes/BusinessData/async';
import { limitStoreOf, type RedisLimitStore } from '../../nodes/BusinessData/rateLimit';
import { GENERAL, limitsOf, LimitStoreRequest } from '../support/limitStoreRequest';
import { RedisServer } from '../support/redisServer';
import { waitUntil } from '../support/waitUntil';

const signal = abortController().signal;
const limits = { general: [{ max: 4, windowMs: 100 }], endpoints: {} };
const asked = { run: 'run', priority: 5, maxWaitMs: Infinity, inFlightMs: 0, limits, signal };
const PASSWORD = 'a-password-of-redis';
let address: RedisAddress;
let server: RedisServer;
/** A separate connection for the test itself. */
let redis: Redis;
let lastKey = 0;
let identity: string;
let limitStore: RedisLimitStore;

beforeAll(async () => {
	server = await RedisServer.start(['--requirepass', PASSWORD]);
	redis = server.client(PASSWORD);
	address = server.address(PASSWORD);
});
beforeEach(async () => {
	await redis.flushall();
	// Each test has its own API key: with a shared one, the process would notice that its slots are lost.
	identity = `key-${++lastKey}`;
	limitStore = limitStoreOf(connectionTo(address), identity);
});
afterAll(async () => {
	await redis.quit();
	await server.dispose();
});

const keysInRedis = async () => await redis.keys(`*{${identity}}*`);

test('the keys of a limiter share a hash tag, and expire after the longest hold', async () => {
	const own = limitsOf('send', [{ max: 1, windowMs: 600 }]);
	const request = new LimitStoreRequest(limitStore, own, GENERAL);
	let takenAt = 0;
	// A server that has just started grants no slot at first.
	await waitUntil(async () => {
		takenAt = performance.now();
		return await request.take();
	});
	const keys = await keysInRedis();
	expect(keys).toHaveLength(3);
	for (const key of keys) {
		expect(key).toMatch(/^n8n-nodes-business-data:1:\{key-[\w-]+\}:(slots:|state$)/);
		// The state always lasts for 2.5 s. A TTL of -1 means that the key does not expire.
		const ttl = await redis.pttl(key);
		expect(ttl).not.toBe(-1);
		expect(performance.now() - takenAt + ttl).toBeGreaterThanOrEqual(600);
		expect(ttl).toBeLessThanOrEqual(key.endsWith('state') ? 2_500 : 1_100);
	}
	request.permit.letThrough();
	await waitUntil(async () => (await keysInRedis()).length === 0);
});

test('tickets are visible to all processes, and expire', async () => {
	const read = async () => {
		const [use] = await limitStore.read([GENERAL]);
		if (use === undefined) throw new Error('nothing was read');
		return use;
	};
	const moment = performance.now() + 5_000;
	expect(await limitStore.issueTickets(await read(), 'a', 2, moment)).toBe(true);
	const issued = (await read()).tickets.before('other', 2);
	expect(issued.map((at) => Math.abs(at - moment) < 1_000)).toEqual([true, true]);
	const [key = ''] = (await keysInRedis()).filter((one) => one.includes('tickets'));
	const ttl = await redis.pttl(key);
	expect(ttl).toBeGreaterThan(90_000);
	expect(ttl).toBeLessThanOrEqual(95_000);
});

test.each([
	['without memory', ['CONFIG', 'SET', 'maxmemory', '1'], /OOM/, 'maxmemory'],
	['that is a replica', ['REPLICAOF', '127.0.0.1', '1'], /READONLY/, 'the primary'],
	['with too few replicas', ['CONFIG', 'SET', 'min-replicas-to-write', '1'], /NOREPLICAS/, 'is up'],
])(
	'a Redis %s causes a clear error, grants no slot, and works again after the fault',
	async (_, [name = '', ...words], cause, advice) => {
		// A connection of its own, because commands of other tests may still fail on the shared one.
		const own = limitStoreOf(new RedisConnection(address), identity);
		const limiter = new KeyLimiter(() => undefined);
		const request = { ...asked, limitStore: own };
		await redis.call(name, ...words);
		try {
			const error: unknown = await limiter
				.acquire({ ...request, maxWaitMs: 3_000 })
				.catch((reason: unknown) => reason);
			expect(error).toBeInstanceOf(RedisError);
			expect((error as RedisError).message).toMatch(cause);
			expect((error as RedisError).description).toContain(advice);
			// Previous tests may still be releasing slots.
			expect(await keysInRedis()).toEqual([]);
		} finally {
			await redis.config('SET', 'maxmemory', '0');
			await redis.config('SET', 'min-replicas-to-write', '0');
			await redis.replicaof('NO', 'ONE');
		}
		(await limiter.acquire(request)).letThrough();
	},
);

test('after FLUSHALL, a process without slots still waits for the slots of another process', async () => {
	const processes = [1, 2].map(() => {
		const ofProcess = limitStoreOf(new RedisConnection(address), identity);
		const limiter = new KeyLimiter(() => undefined);
		const request = {
			...asked,
			limits: { general: [{ max: 2, windowMs: 2_000 }], endpoints: {} },
			limitStore: ofProcess,
		};
		return {
			send: async () => (await limiter.acquire(request)).letThrough(),
			look: async () => await limiter.estimate(request, 1),
		};
	});
	const [one, other] = processes;
	await one?.send();
	await one?.send();
	const sentAt = performance.now();
	await other?.look();
	await redis.flushall();
	await other?.send();
	expect(performance.now() - sentAt).toBeGreaterThanOrEqual(2_000);
});
