// Send Once in two processes on one Redis, step by step: what a process has seen before it waited may be wrong
// when it goes on. Processes, as far as Send Once can tell: each has a connection and shared state of its own.
import { AsyncLocalStorage } from 'node:async_hooks';

import { RedisConnection } from '../../nodes/BusinessData/redis';
import { RedisRecord } from '../../nodes/BusinessData/resources/sendOnce/redisRecord';
import { SendOnce } from '../../nodes/BusinessData/resources/sendOnce/sendOnce';
import { abortController } from '../../nodes/BusinessData/waiting';
import { pause, useLedgerBench } from '../support/ledgerBench';
import { untilTrue } from '../support/redisCommand';

const bench = useLedgerBench();
const STATE = Symbol.for('n8n-nodes-business-data/sendOnce/1');
const current = new AsyncLocalStorage<{ state: object }>();
const TRIES = 4;
const stop = abortController();

/** What n8n's store has on record. */
let recorded: string[] = [];
const helpers = {
	getProcessedDataCount: async () => await Promise.resolve(recorded.length),
	checkProcessedAndRecord: async (keys: string[]) => {
		const processed = keys.filter((key) => recorded.includes(key));
		const fresh = keys.filter((key) => !recorded.includes(key));
		recorded.push(...fresh);
		return await Promise.resolve({ new: fresh, processed });
	},
	removeProcessed: async (keys: string[]) => {
		recorded = recorded.filter((key) => !keys.includes(key));
		await Promise.resolve();
	},
};

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
	private readonly own = { state: { turns: new Map(), repairs: new Map(), claims: new Map() } };

	private readonly redis = new RedisConnection(bench.address);

	/** What guards the next send of the key. */
	async guard(key: string): Promise<SendOnce> {
		const run = {
			options: () => ({ sendOnceKey: key }),
			context: {
				getWorkflow: () => ({ id: 'workflow' }),
				getNode: () => ({ id: 'node' }),
				helpers,
			},
			account: { redis: this.redis },
			signal: stop.signal,
		};
		return await this.does(async () => {
			const guard = SendOnce.of(run as never, 0, { timeoutMs: 60_000 } as never);
			return await Promise.resolve(guard as SendOnce);
		});
	}

	/** Does something as this process. */
	async does<T>(something: () => Promise<T>): Promise<T> {
		return await current.run(this.own, something);
	}

	/** Whether the document may be sent now; undefined when it has to wait. */
	async claims(guard: SendOnce): Promise<boolean | undefined> {
		return await this.does(
			async () =>
				await guard.claim().then(
					(waiting) => (waiting === undefined ? true : undefined),
					() => false,
				),
		);
	}
}

test('a key that a process waits to record, and another refuses meanwhile, counts as sent for nobody', async () => {
	for (let round = 0; round < TRIES; round++) {
		await bench.redis.flushall();
		recorded = [];
		const [one, other] = [new Process(), new Process()];
		const [first, second] = [await one.guard('a'), await other.guard('a')];
		// The record is not new, and another key of the node is being recorded.
		expect(await one.claims(first)).toBe(true);
		await one.does(async () => await first.settle(false));
		expect(await other.does(async () => await second.wasUsed())).toBe(false);
		const [claims = ''] = await bench.redis.keys('*:claims');
		await bench.redis.hincrby(claims, 'since', -60_000);
		await bench.redis.set(claims.replace(/claims$/, 'lock'), 'another', 'PX', 5_000);

		const early = one.claims(first);
		await untilTrue('claimed', async () =>
			(await bench.redis.hvals(claims)).some((claim) => claim.includes(':live:')),
		);
		await bench.redis.flushall();
		// The service refuses what this one sends.
		const isSending = await other.claims(second);
		await early;
		if (isSending === true) await other.does(async () => await second.settle(false));
		else await pause(10);
		expect(await other.does(async () => await second.wasUsed())).toBe(false);
	}
}, 120_000);

test('what arrives late of a claim that has ended enters nothing again', async () => {
	const record = new RedisRecord(new RedisConnection(bench.address), 'node', 100);
	const claim = ['a', 'token', 300] as const;
	await record.claim(...claim);
	await record.settle('a', 'token', false);
	await record.claim(...claim);
	// Every 100 ms.
	const end = record.keepClaim(...claim);
	await pause(500);
	end();
	expect(await record.look('a', stop.signal)).toBe('free');
	// Another claim is free to come.
	expect((await record.claim('a', 'another', 300)).state).toBe('free');
	expect(await record.look('a', stop.signal)).toBe('claimed');
});
