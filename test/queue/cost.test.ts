// The cost of the shared limit store: commands per request and memory in Redis are asserted, time is only reported.

import { setTimeout as pause } from 'node:timers/promises';

import type { Redis } from 'ioredis';

import { KeyLimiter } from '../../nodes/BusinessData/rateLimit/keyLimiter';
import { limitStoreOf, type RedisLimitStore } from '../../nodes/BusinessData/rateLimit';
import { connectionTo, type RedisConnection } from '../../nodes/BusinessData/redis';
import { abortController } from '../../nodes/BusinessData/async';
import { DOCUMENTED_LIMITS } from '../../sandbox/limits';
import { RedisServer } from '../support/redisServer';
import { LimitStoreRequest, limitsOf } from '../support/limitStoreRequest';
import { report } from '../support/report';
import { waitUntil } from '../support/waitUntil';

const REQUESTS = 2_000;
const KEYS = 10_000;
/** How often (ms) a process checks that Redis still has its slots. */
const HEARTBEAT_MS = 800;
const HELD = 100;
const HELD_MS = 12_000;
const MEASURED_MS = 8_000;
const KEYS_AT_A_TIME = 100;
const signal = abortController().signal;

let server: RedisServer;
let redis: Redis;
let connection: RedisConnection;

// Each test has its own Redis, because a process enters its slots again where they were lost.
beforeEach(async () => {
	// Writing to disk would cost memory that the tests do not mean to measure.
	server = await RedisServer.start(['--appendonly', 'no', '--save', '']);
	redis = server.client();
	connection = connectionTo(server.address());
});
afterEach(async () => {
	await redis.quit();
	await server.dispose();
});

async function figure(section: string, pattern: RegExp): Promise<number> {
	return Number(pattern.exec(await redis.info(section))?.[1] ?? 0);
}
const usedMemory = async () => await figure('memory', /used_memory:(\d+)/);
/** The number of scripts that Redis has run. */
async function limitStoreCommands(): Promise<number> {
	const info = await redis.info('commandstats');
	const calls = [...info.matchAll(/cmdstat_eval\w*:calls=(\d+)/g)];
	return calls.reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Resolves with a figure once it no longer changes. */
async function settled(read: () => Promise<number>): Promise<number> {
	for (let last = await read(); ;) {
		await pause(200);
		const now = await read();
		if (now === last) return now;
		last = now;
	}
}

/** The documented windows, with a maximum that is never reached. */
const limits = {
	general: DOCUMENTED_LIMITS.general.map(({ windowSeconds }) => ({
		max: 1_000_000,
		windowMs: windowSeconds * 1000,
	})),
	endpoints: {},
};

/** How long (ms) each of many consecutive requests waits for its permit, shortest first. */
async function passTimes(
	sharedLimitStore?: RedisLimitStore,
	requests = REQUESTS,
): Promise<number[]> {
	const limiter = new KeyLimiter(() => undefined);
	const times: number[] = [];
	for (let count = 0; count < requests; count++) {
		const startedAt = performance.now();
		const permit = await limiter.acquire({
			run: 'run',
			priority: 5,
			maxWaitMs: Infinity,
			limits,
			limitStore: sharedLimitStore,
			inFlightMs: 1_000,
			signal,
		});
		times.push(performance.now() - startedAt);
		permit.letThrough();
	}
	return times.sort((a, b) => a - b);
}

const percentile = (sorted: number[], part: number) =>
	sorted[Math.floor(sorted.length * part)] ?? 0;

test('held slots cost one command per heartbeat, however many they are', async () => {
	const limitStore = limitStoreOf(connection, 'held');
	const general = limitsOf('general', [{ max: HELD, windowMs: HELD_MS }]);
	const own = limitsOf('send', [{ max: 3, windowMs: HELD_MS }]);
	for (let count = 0; count < HELD; count++) {
		const shared = new LimitStoreRequest(limitStore, ...(count < 3 ? [own] : []), general);
		// A new server admits no request at first.
		await waitUntil(async () => await shared.take());
		shared.permit.letThrough();
	}
	const processorMs = async () => {
		const { user, system } = process.cpuUsage();
		const ofRedis = await figure('cpu', /used_cpu_user:([\d.]+)/);
		return { node: (user + system) / 1000, redis: 1000 * ofRedis };
	};
	await pause(1_000);
	await redis.config('RESETSTAT');
	const before = await processorMs();
	const startedAt = performance.now();
	await pause(MEASURED_MS);
	const beats = (performance.now() - startedAt) / HEARTBEAT_MS;
	const after = await processorMs();
	const commands = await limitStoreCommands();
	const node = after.node - before.node;
	const inRedis = after.redis - before.redis;
	report(
		`${HELD} held slots, ${MEASURED_MS / 1000} s: ${commands} commands, ${node.toFixed(0)} ms of processor time, ` +
			`${inRedis.toFixed(0)} ms in Redis`,
	);
	expect(Math.abs(commands - beats)).toBeLessThanOrEqual(2);
});

test('a request costs two Redis commands', async () => {
	const inMemory = await passTimes();
	// The first use of a script also uploads it.
	const limitStore = limitStoreOf(connection, 'a-key');
	await passTimes(limitStore, 1);
	await settled(limitStoreCommands);
	await redis.config('RESETSTAT');
	const startedAt = performance.now();
	const withRedis = await passTimes(limitStore);
	const beats = (performance.now() - startedAt) / HEARTBEAT_MS;
	const commands = await settled(limitStoreCommands);
	const median = percentile(withRedis, 0.5);
	const p99 = percentile(withRedis, 0.99);
	report(
		`${REQUESTS} requests: ${commands / REQUESTS} commands each, median ${median.toFixed(2)} ms, ` +
			`99th percentile ${p99.toFixed(2)} ms (counted in memory: ` +
			`${percentile(inMemory, 0.5).toFixed(2)} ms and ${percentile(inMemory, 0.99).toFixed(2)} ms)`,
	);
	// A request that a busy machine delays by 0.1 s needs further commands.
	expect(commands).toBeGreaterThanOrEqual(2 * REQUESTS);
	expect(commands).toBeLessThan(2.02 * REQUESTS + beats + 1);
});

test('Redis frees the memory of idle keys', async () => {
	const windows = [300, 600, 900].map((windowMs) => ({ max: 10, windowMs }));
	const use = async (key: number) => {
		const general = limitsOf('general', windows);
		const shared = new LimitStoreRequest(limitStoreOf(connection, `key-${key}`), general);
		await waitUntil(async () => await shared.take());
		shared.permit.letThrough();
	};
	await use(0);
	await settled(async () => await redis.dbsize());
	const atStart = await settled(usedMemory);
	let highest = 0;
	for (let first = 1; first <= KEYS; first += KEYS_AT_A_TIME) {
		await Promise.all(
			Array.from({ length: KEYS_AT_A_TIME }, async (_, index) => await use(first + index)),
		);
		highest = Math.max(highest, await usedMemory());
	}
	expect(highest).toBeGreaterThan(atStart);
	const deadline = performance.now() + 30_000;
	while ((await redis.dbsize()) > 0 && performance.now() < deadline) await pause(100);
	expect(await redis.dbsize()).toBe(0);
	const atEnd = await settled(usedMemory);
	const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(2)} MB`;
	report(
		`Memory of Redis: ${megabytes(atStart)}, with ${KEYS} keys in turn up to ${megabytes(highest)}, ` +
			`when all are idle ${megabytes(atEnd)}, no key left`,
	);
	expect(atEnd).toBeLessThan(atStart + 0.25 * 2 ** 20);
});
