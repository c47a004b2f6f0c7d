// Send Once in two processes on one Redis, step by step: what a process has seen before it waited may be wrong
// when it goes on. Processes, as far as Send Once can tell: each has a connection and shared state of its own.
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as pause } from 'node:timers/promises';

import { RedisConnection } from '../../nodes/BusinessData/redis';
import { RedisRecord } from '../../nodes/BusinessData/sendOnce/redisRecord';
import { SendOnce } from '../../nodes/BusinessData/sendOnce/sendOnce';
import { abortController, KeyedMutex } from '../../nodes/BusinessData/async';
import { useLimitStoreBench } from '../support/limitStoreBench';
import { untilTrue } from '../support/redisCommand';

const bench = useLimitStoreBench();
const STATE = Symbol.for('n8n-nodes-business-data/sendOnce/4');
const current = new AsyncLocalStorage<{ state: object }>();
const TRIES = 4;
const stop = abortController();

/** What n8n's store has on record, by row. */
const rows = new Map<string, string[]>();
const entriesOf = (row: object) => rows.get(JSON.stringify(row)) ?? [];
const mockService = {
	getProcessedDataCount: async (_: string, row: object) =>
		await Promise.resolve(entriesOf(row).length),
	checkProcessedAndRecord: async (entries: string[], _: string, row: object) => {
		const before = entriesOf(row);
		const processed = entries.filter((entry) => before.includes(entry));
		rows.set(JSON.stringify(row), [...new Set([...before, ...entries])]);
		return await Promise.resolve({ new: [], processed });
	},
	removeProcessed: async (entries: string[], _: string, row: object) => {
		const left = entriesOf(row).filter((entry) => !entries.includes(entry));
		rows.set(JSON.stringify(row), left);
		await Promise.resolve();
	},
};
jest.mock('n8n-core', () => ({ DataDeduplicationService: { getInstance: () => mockService } }));

beforeAll(() => {
	const get = () => current.getStore()?.state;
	Object.defineProperty(globalThis, STATE, { configurable: true, get, set: () => undefined });
});
afterAll(async () => {
	stop.abort();
	// What waits ends with it.
	await pause(100);
	Reflect.deleteProperty(globalThis, STATE);
});

class Process {
	private readonly own = {
		state: { steps: new KeyedMutex(), watched: new Map(), leases: new Map() },
	};

	private readonly redis = new RedisConnection(bench.address);

	/** What guards the next send of the key. */
	async guard(key: string): Promise<SendOnce> {
		const credentials = { businessDataApi: { id: 'credential' } };
		const party = {
			context: { getNode: () => ({ credentials }) },
			account: { redis: this.redis, baseUrl: 'https://api.example.com' },
			signal: stop.signal,
		};
		const endpoint = { method: 'POST', path: '/send' } as const;
		const document = { workflowId: 'workflow', endpoint, key, maxEntries: 100, timeoutMs: 60_000 };
		return await this.does(
			async () => await Promise.resolve(new SendOnce(party as never, document)),
		);
	}

	/** Does something as this process. */
	async does<T>(something: () => Promise<T>): Promise<T> {
		return await current.run(this.own, something);
	}

	/** Whether the document may be sent now; undefined when it has to wait. */
	async acquires(guard: SendOnce): Promise<boolean | undefined> {
		return await this.does(
			async () =>
				await guard.acquire().then(
					(waiting) => (waiting === undefined ? true : undefined),
					() => false,
				),
		);
	}
}

test('a key that a process waits to record, and another refuses meanwhile, counts as sent for nobody', async () => {
	for (let round = 0; round < TRIES; round++) {
		await bench.redis.flushall();
		rows.clear();
		const [one, other] = [new Process(), new Process()];
		const [first, second] = [await one.guard('a'), await other.guard('a')];
		// The record is not new, and another key of the node is being recorded.
		expect(await one.acquires(first)).toBe(true);
		await one.does(async () => await first.complete('notSent'));
		expect(await other.does(async () => await second.state())).toBe('notSent');
		const [leases = ''] = await bench.redis.keys('*:leases');
		await bench.redis.hincrby(leases, 'since', -60_000);
		const [, document = ''] = /\{sendOnce:(.+)\}/.exec(leases) ?? [];
		await bench.redis.set(leases.replace(/leases$/, `lock:${document}`), 'another', 'PX', 5_000);

		const early = one.acquires(first);
		await untilTrue('leased', async () =>
			(await bench.redis.hvals(leases)).some((lease) => lease.includes(':live:')),
		);
		await bench.redis.flushall();
		// The service refuses what this one sends.
		const isSending = await other.acquires(second);
		await early;
		if (isSending === true) await other.does(async () => await second.complete('notSent'));
		else await pause(10);
		expect(await other.does(async () => await second.state())).toBe('notSent');
	}
}, 120_000);

test('what arrives late of a lease that has ended enters nothing again', async () => {
	const record = new RedisRecord(new RedisConnection(bench.address), 'document', 'a', 100);
	const acquire = async (token: string) => await record.acquire(token, 300, false);
	await acquire('token');
	await record.complete('token', 'notSent');
	await acquire('token');
	// Every 100 ms.
	const end = record.keepRenewing('token', 300);
	await pause(500);
	end();
	expect((await record.lookUp(stop.signal)).state).toBe('notSent');
	// Another sender may acquire it.
	expect(await record.isLast('token')).toBe(true);
	expect((await acquire('another')).state).toBe('notSent');
	expect(await record.isLast('token')).toBe(false);
	expect((await record.lookUp(stop.signal)).state).toBe('underWay');
});
