/** A real Redis with a password, and the limit store in it: emptied before each test, gone after the last one. */
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

const PASSWORD = 'a-password-of-redis';

export interface LimitStoreBench {
	server: RedisServer;
	/** A connection of the test's own. */
	redis: Redis;
	address: RedisAddress;
	/** Of the key of this test. */
	limitStore: RedisLimitStore;
	identity: string;
}

let lastKey = 0;

/** Starts it for the tests of a file. Use what it returns in tests only. */
export function useLimitStoreBench(): LimitStoreBench {
	const bench = {} as LimitStoreBench;
	beforeAll(async () => {
		const server = await RedisServer.start(['--requirepass', PASSWORD]);
		const { port } = server;
		const redis = new Redis({ port, password: PASSWORD, retryStrategy: () => 50 });
		redis.on('error', () => undefined);
		const nodes = [{ host: '127.0.0.1', port }];
		const access = { user: '', password: PASSWORD, tls: false };
		const address = { topology: 'standalone', nodes, ...access } as const;
		Object.assign(bench, { server, redis, address });
	});
	beforeEach(async () => {
		await bench.redis.flushall();
		// A key of its own: a process that held slots would notice that they are lost.
		bench.identity = `key-${++lastKey}`;
		bench.limitStore = limitStoreOf(connectionTo(bench.address), bench.identity);
	});
	afterAll(async () => {
		await bench.redis.quit();
		await bench.server.dispose();
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
