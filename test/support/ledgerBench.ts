/**
 * A real Redis with a password, and the ledger in it: emptied before each test, gone after the last one. Tests
 * that harm nobody run on the server that REDIS_URL names instead, with keys of their own that expire.
 */
import { randomUUID } from 'node:crypto';

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
	/** Not for harmless tests: it may be another's. */
	server: RedisServer;
	/** A connection of the test's own. */
	redis: Redis;
	address: StandaloneAddress;
	ledger: RedisLedger;
	/** Of the key of this test. */
	identity: string;
}

/** So that no other run has the same keys. */
const RUN = randomUUID().slice(0, 8);
let lastKey = 0;
const identity = () => `key-${RUN}-${lastKey}`;

/** @param url such as `redis://user:password@localhost:6379/0`, or `rediss:` for TLS */
function addressOf(url: string): StandaloneAddress {
	const { hostname, port, username, password, pathname, protocol } = new URL(url);
	return {
		host: hostname.replace(/^\[|\]$/g, ''),
		port: Number(port === '' ? 6379 : port),
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
export function useLedgerBench({ isHarmless = false } = {}): LedgerBench {
	const url = isHarmless ? process.env.REDIS_URL : undefined;
	const bench = {} as LedgerBench;
	let server: RedisServer | undefined;
	beforeAll(async () => {
		if (url === undefined) server = await RedisServer.start(['--requirepass', PASSWORD]);
		const known = url ?? `redis://:${PASSWORD}@127.0.0.1:${server?.port}`;
		const address = addressOf(known);
		const redis = new Redis(known, { retryStrategy: () => 50 });
		redis.on('error', () => undefined);
		Object.assign(bench, {
			server,
			redis,
			address,
			ledger: new RedisLedger(connectionTo(address)),
		});
	});
	beforeEach(async () => {
		if (server !== undefined) await bench.redis.flushall();
		// A key of its own: a process that held slots would notice that they are lost.
		lastKey++;
		bench.identity = identity();
	});
	afterAll(async () => {
		await bench.redis.quit();
		await server?.dispose();
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
		identity: identity(),
		scope: undefined,
		general: stageOf('general', WINDOWS),
		inFlightMs: 400,
		...changes,
	});
}

export const pause = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));
