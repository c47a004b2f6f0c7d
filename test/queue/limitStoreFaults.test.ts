// The limit store while Redis fails: requests wait or end in a clear error, and no held slot is forgotten.

import { setTimeout as pause } from 'node:timers/promises';

import { KeyLimiter } from '../../nodes/BusinessData/rateLimit/keyLimiter';
import { connectionTo, RedisConnection, RedisError } from '../../nodes/BusinessData/redis';
import { ENTER } from '../../nodes/BusinessData/rateLimit/redis/scripts';
import { abortController } from '../../nodes/BusinessData/async';
import { limitStoreOf } from '../../nodes/BusinessData/rateLimit';
import {
	GENERAL_STAGE,
	limitStoreRequest,
	useLimitStoreBench,
	stageOf,
} from '../support/limitStoreBench';

const signal = abortController().signal;
const limits = { general: [{ max: 4, windowMs: 100 }], scopes: {} };
const bench = useLimitStoreBench();

test('emptied in between: it goes on, and the held slots are known again', async () => {
	const request = limitStoreRequest(bench.limitStore);
	await request.take(signal);
	await bench.redis.flushall();
	request.hold(0);
	await pause(30);
	const [use] = await bench.limitStore.use(GENERAL_STAGE.windows);
	expect(use?.used).toBe(1);
});

test('emptied, and then away while slots are entered again: they are entered later', async () => {
	const connection = new RedisConnection(bench.address);
	const limitStore = limitStoreOf(connection, bench.identity);
	const general = stageOf('general', [{ max: 3, windowMs: 5_000 }]);
	for (let count = 0; count < 2; count++) {
		const request = limitStoreRequest(limitStore, { general });
		await request.take(signal);
		request.hold(0);
	}
	await pause(50);
	await bench.redis.flushall();
	const run = connection.run.bind(connection);
	const away = jest.spyOn(connection, 'run').mockImplementation(async (script, ...call) => {
		if (script === ENTER) throw new Error('away');
		return await run(script, ...call);
	});
	await expect(limitStoreRequest(limitStore, { general }).take(signal)).rejects.toThrow('away');
	away.mockRestore();
	await limitStoreRequest(limitStore, { general }).take(signal);
	expect(await limitStore.use(general.windows)).toMatchObject([{ used: 2 }]);
});

test('restarted in between: requests wait, and the slots are still held', async () => {
	const general = stageOf('general', [{ max: 1, windowMs: 4_000 }]);
	const first = limitStoreRequest(bench.limitStore, { general });
	await first.take(signal);
	first.hold(0);
	await pause(1_100);
	await bench.server.stop();
	const take = limitStoreRequest(bench.limitStore, { general }).take(signal);
	await pause(1_000);
	await bench.server.start();
	expect(await take).toMatchObject({ isTaken: false });
}, 20_000);

test('unreachable: a clear error within the bounded wait, nothing is taken', async () => {
	const closed = limitStoreOf(
		connectionTo({ ...bench.address, nodes: [{ host: '127.0.0.1', port: 1 }] }),
		bench.identity,
	);
	let isIdle: boolean | undefined;
	const limiter = new KeyLimiter((isNow) => (isIdle = isNow));
	const error: unknown = await limiter
		.acquire({ run: 'run', limits, limitStore: closed, inFlightMs: 0, maxWaitMs: 1_000, signal })
		.catch((reason: unknown) => reason);
	expect(error).toBeInstanceOf(RedisError);
	expect((error as Error).message).toContain('127.0.0.1:1 cannot be used');
	expect(isIdle).toBe(true);
	await expect(limitStoreRequest(closed).take(signal)).rejects.toThrow('ECONNREFUSED');
}, 25_000);

test.each([
	['without memory', ['CONFIG', 'SET', 'maxmemory', '1'], /OOM/, 'maxmemory'],
	['that is a replica', ['REPLICAOF', '127.0.0.1', '1'], /READONLY/, 'the primary'],
	['with too few replicas', ['CONFIG', 'SET', 'min-replicas-to-write', '1'], /NOREPLICAS/, 'is up'],
])(
	'a Redis %s: a clear error, nothing is taken, and it goes on after it',
	async (_, [name = '', ...words], cause, advice) => {
		const { redis, identity } = bench;
		// What other tests still send over theirs fails in its own way.
		const limitStore = limitStoreOf(new RedisConnection(bench.address), identity);
		const limiter = new KeyLimiter(() => undefined);
		const request = { run: 'run', limits, limitStore, inFlightMs: 0, signal };
		await redis.call(name, ...words);
		try {
			const error: unknown = await limiter
				.acquire({ ...request, maxWaitMs: 3_000 })
				.catch((reason: unknown) => reason);
			expect(error).toBeInstanceOf(RedisError);
			expect((error as RedisError).message).toMatch(cause);
			expect((error as RedisError).description).toContain(advice);
			// The tests before may still give slots back.
			expect(await redis.keys(`*{${identity}}*`)).toEqual([]);
		} finally {
			await redis.config('SET', 'maxmemory', '0');
			await redis.config('SET', 'min-replicas-to-write', '0');
			await redis.replicaof('NO', 'ONE');
		}
		(await limiter.acquire(request)).letThrough();
	},
);
