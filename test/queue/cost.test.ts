// The cost of the shared limit store, in commands per request. `npm run growth` measures times and memory.

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
/** How often (ms) a process checks that Redis still has its slots. */
const HEARTBEAT_MS = 800;
const HELD = 100;
const HELD_MS = 12_000;
const MEASURED_MS = 8_000;
const signal = abortController().signal;

let server: RedisServer;
let redis: Redis;
let connection: RedisConnection;

// Each test has its own Redis, because a process enters its slots again where they were lost.
beforeEach(async () => {
	server = await RedisServer.start();
	redis = server.client();
	connection = connectionTo(server.address());
});
afterEach(async () => {
	await redis.quit();
	await server.dispose();
});

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

/** Sends so many requests, one after the other. */
async function send(requests: number, limitStore: RedisLimitStore): Promise<void> {
	const limiter = new KeyLimiter(() => undefined);
	const asked = { run: 'run', priority: 5, maxWaitMs: Infinity, inFlightMs: 1_000, signal };
	for (let count = 0; count < requests; count++) {
		(await limiter.acquire({ ...asked, limits, limitStore })).letThrough();
	}
}

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
	await pause(1_000);
	await redis.config('RESETSTAT');
	const startedAt = performance.now();
	await pause(MEASURED_MS);
	const beats = (performance.now() - startedAt) / HEARTBEAT_MS;
	const commands = await limitStoreCommands();
	report(`${HELD} held slots, ${MEASURED_MS / 1000} s: ${commands} commands`);
	expect(Math.abs(commands - beats)).toBeLessThanOrEqual(2);
});

test('a request costs two Redis commands', async () => {
	// The first use of a script also uploads it.
	const limitStore = limitStoreOf(connection, 'a-key');
	await send(1, limitStore);
	await settled(limitStoreCommands);
	await redis.config('RESETSTAT');
	const startedAt = performance.now();
	await send(REQUESTS, limitStore);
	const beats = (performance.now() - startedAt) / HEARTBEAT_MS;
	const commands = await settled(limitStoreCommands);
	report(`${REQUESTS} requests: ${commands / REQUESTS} commands each`);
	// A request that a busy machine delays by 0.1 s needs further commands.
	expect(commands).toBeGreaterThanOrEqual(2 * REQUESTS);
	expect(commands).toBeLessThan(2.02 * REQUESTS + beats + 1);
});
