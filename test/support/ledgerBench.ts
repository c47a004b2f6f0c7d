/** A real Redis with a password, and the ledger in it: emptied before each test, gone after the last one. */
import { Redis } from 'ioredis';

import type { Ledger } from '../../nodes/BusinessData/rateLimit';
import type {
	LedgerRequest,
	LedgerStage,
	LedgerWindow,
	SharedRequest,
} from '../../nodes/BusinessData/rateLimit/ledger';
import { connectionTo, type StandaloneAddress } from '../../nodes/BusinessData/redis';
import { RedisLedger } from '../../nodes/BusinessData/rateLimit/redis/redisLedger';
import { RedisServer } from './redisServer';

export const PASSWORD = 'a-password-of-redis';

export interface LedgerBench {
	server: RedisServer;
	/** A connection of the test's own. */
	redis: Redis;
	address: StandaloneAddress;
	ledger: RedisLedger;
	/** Of the key of this test. */
	identity: string;
}

let lastKey = 0;

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
	beforeEach(async () => {
		await bench.redis.flushall();
		// A key of its own: a process that held slots would notice that they are lost.
		bench.identity = `key-${++lastKey}`;
	});
	afterAll(async () => {
		await bench.redis.quit();
		await bench.server.dispose();
	});
	return bench;
}

/** A window of the ledger. */
export function ledgerWindow(name: string, max: number, ms: number): LedgerWindow {
	return { name, max, room: max, windowMs: ms, holdMs: ms };
}

/** Windows that nobody else uses. */
export function stageOf(name: string, windows: LedgerWindow[]): LedgerStage {
	const foreign = { state: '', adopt: () => undefined, everyMs: () => 0 };
	return { name, windows, foreign };
}

export const WINDOWS = [ledgerWindow('general/1s', 2, 300)];

/** A request of its own to the ledger, in a window of two slots. */
export function ledgerRequest(ledger: Ledger, changes: Partial<LedgerRequest> = {}): SharedRequest {
	return ledger.request({
		identity: `key-${lastKey}`,
		scope: undefined,
		general: stageOf('general', WINDOWS),
		inFlightMs: 400,
		...changes,
	});
}

export const pause = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));
