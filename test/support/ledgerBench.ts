/** A real Redis with a password, and the ledger in it: emptied before each test, gone after the last one. */
import { Redis } from 'ioredis';

import type { LedgerRequest } from '../../nodes/BusinessData/rateLimit/ledger';
import { connectionTo, type RedisAddress } from '../../nodes/BusinessData/redis/connection';
import { RedisLedger } from '../../nodes/BusinessData/rateLimit/redis/redisLedger';
import { RedisServer } from './redisServer';

export const PASSWORD = 'a-password-of-redis';

export interface LedgerBench {
	server: RedisServer;
	/** A connection of the test's own. */
	redis: Redis;
	address: RedisAddress;
	ledger: RedisLedger;
}

/** Starts it for the tests of a file. Use what it returns in tests only. */
export function useLedgerBench(): LedgerBench {
	const bench = {} as LedgerBench;
	beforeAll(async () => {
		const server = await RedisServer.start(['--requirepass', PASSWORD]);
		const { port } = server;
		const redis = new Redis({ port, password: PASSWORD, retryStrategy: () => 50 });
		redis.on('error', () => undefined);
		const address = {
			host: '127.0.0.1',
			port,
			user: '',
			password: PASSWORD,
			database: 0,
			tls: false,
		};
		Object.assign(bench, {
			server,
			redis,
			address,
			ledger: new RedisLedger(connectionTo(address)),
		});
	});
	beforeEach(async () => await bench.redis.flushall());
	afterAll(async () => {
		await bench.redis.quit();
		await bench.server.dispose();
	});
	return bench;
}

let lastId = 0;

/** A request of its own to the ledger, in a window of two slots. */
export function ledgerRequest(changes: Partial<LedgerRequest> = {}): LedgerRequest {
	return {
		id: `request-${++lastId}`,
		identity: 'key',
		scope: undefined,
		scopeWindows: [],
		generalWindows: [{ name: 'general/1s', max: 2, windowMs: 300, holdMs: 300 }],
		inFlightMs: 400,
		...changes,
	};
}

export const pause = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));
