/**
 * A real Redis with a password, and the limit store in it: emptied before each test, gone after the last one. Tests
 * that harm nobody run on the server that REDIS_URL names instead, with keys of their own that expire.
 */
import { randomUUID } from 'node:crypto';

import { Redis } from 'ioredis';

import { type Limit, limitStoreOf, type RedisLimitStore } from '../../nodes/BusinessData/rateLimit';
import type { RedisRequest } from '../../nodes/BusinessData/rateLimit/redis/redisRequest';
import { Scope, type Stage, Stages } from '../../nodes/BusinessData/rateLimit/scope';
import { connectionTo, type RedisAddress } from '../../nodes/BusinessData/redis';
import { RedisServer } from './redisServer';

export const PASSWORD = 'a-password-of-redis';

export interface LimitStoreBench {
	/** Not for harmless tests: it may be another's. */
	server: RedisServer;
	/** A connection of the test's own. */
	redis: Redis;
	address: RedisAddress;
	/** Of the key of this test. */
	limitStore: RedisLimitStore;
	identity: string;
}

/** So that no other run has the same keys. */
const RUN = randomUUID().slice(0, 8);
let lastKey = 0;
const identity = () => `key-${RUN}-${lastKey}`;

/** @param url such as `redis://user:password@localhost:6379/0`, or `rediss:` for TLS */
function addressOf(url: string): RedisAddress {
	const { hostname, port, username, password, pathname, protocol } = new URL(url);
	return {
		topology: 'standalone',
		nodes: [{ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port === '' ? 6379 : port) }],
		user: decodeURIComponent(username),
		password: decodeURIComponent(password),
		database: Number(pathname.slice(1)),
		tls: protocol === 'rediss:',
	};
}

/**
 * Starts it for the tests of a file. Use what it returns in tests only.
 * @param isHarmless whether they only use keys of their own
 */
export function useLimitStoreBench({ isHarmless = false } = {}): LimitStoreBench {
	const url = isHarmless ? process.env.REDIS_URL : undefined;
	const bench = {} as LimitStoreBench;
	let server: RedisServer | undefined;
	beforeAll(async () => {
		if (url === undefined) server = await RedisServer.start(['--requirepass', PASSWORD]);
		const known = url ?? `redis://:${PASSWORD}@127.0.0.1:${server?.port}`;
		const address = addressOf(known);
		const redis = new Redis(known, { retryStrategy: () => 50 });
		redis.on('error', () => undefined);
		Object.assign(bench, { server, redis, address });
	});
	beforeEach(async () => {
		if (server !== undefined) await bench.redis.flushall();
		// A key of its own: a process that held slots would notice that they are lost.
		lastKey++;
		bench.identity = identity();
		bench.limitStore = limitStoreOf(connectionTo(bench.address), bench.identity);
	});
	afterAll(async () => {
		await bench.redis.quit();
		await server?.dispose();
	});
	return bench;
}

/** Windows of a process that knows of no others. */
export function stageOf(scope: string, limits: Limit[]): Stage {
	return new Scope(scope, scope, () => undefined).under(limits);
}

/** One window of two slots. */
export const GENERAL_STAGE = stageOf('general', [{ max: 2, windowMs: 300 }]);

/** A request of its own to the limit store. */
export function limitStoreRequest(
	limitStore: RedisLimitStore,
	{ general = GENERAL_STAGE, scope }: { general?: Stage; scope?: Stage } = {},
): RedisRequest {
	return limitStore.request(new Stages(scope, general), 400);
}
