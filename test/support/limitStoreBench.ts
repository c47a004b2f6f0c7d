/**
 * A real Redis with a password, and the limit store in it: emptied before each test, gone after the last one. Tests
 * that harm nobody run on the server that REDIS_URL names instead, with keys of their own that expire.
 */
import { randomUUID } from 'node:crypto';

import { Redis } from 'ioredis';

import {
	type Limits,
	limitStoreOf,
	type RedisLimitStore,
} from '../../nodes/BusinessData/rateLimit';
import {
	type AppliedLimits,
	EndpointLimiter,
} from '../../nodes/BusinessData/rateLimit/endpointLimiter';
import { Permit } from '../../nodes/BusinessData/rateLimit/permit';
import { Queue } from '../../nodes/BusinessData/rateLimit/queue';
import { abortController } from '../../nodes/BusinessData/async';
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

/** The limits of a process that knows of no other clients. */
export function limitsOf(endpoint: string, limits: Limits['general']): AppliedLimits {
	return new EndpointLimiter(endpoint, () => undefined).under(limits, endpoint);
}

/** One window of two slots. */
export const GENERAL = limitsOf('general', [{ max: 2, windowMs: 300 }]);

/** A request that asks the limit store by itself, without a queue. */
export class LimitStoreRequest {
	readonly permit: Permit;

	constructor(
		private readonly limitStore: RedisLimitStore,
		...countedBy: AppliedLimits[]
	) {
		const [own = GENERAL, ...others] = countedBy;
		const limits = { general: [], endpoints: {} };
		const asked = { run: 'run', priority: 5, maxWaitMs: Infinity, inFlightMs: 400, limits };
		const { signal } = abortController();
		this.permit = new Permit(
			{ ...asked, limitStore, signal },
			new Queue('queue', own, others[0] ?? own),
			[own, ...others],
			() => undefined,
		);
	}

	/** Whether it has its slots now, which are held in this process as well. */
	async take(): Promise<boolean> {
		const { isTaken } = await this.limitStore.take(this.permit, abortController().signal);
		if (isTaken) this.permit.grant();
		return isTaken;
	}
}
