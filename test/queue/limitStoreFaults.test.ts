// The limit store while Redis fails: requests wait or end in a clear error, and no held slot is forgotten.

import { setTimeout as pause } from 'node:timers/promises';

import { KeyLimiter } from '../../nodes/BusinessData/rateLimit/keyLimiter';
import { connectionTo, RedisConnection, RedisError } from '../../nodes/BusinessData/redis';
import { abortController } from '../../nodes/BusinessData/async';
import { limitStoreOf } from '../../nodes/BusinessData/rateLimit';
import { limitsOf, LimitStoreRequest, useLimitStoreBench } from '../support/limitStoreBench';

const signal = abortController().signal;
const limits = { general: [{ max: 4, windowMs: 100 }], endpoints: {} };
const asked = { run: 'run', priority: 5, maxWaitMs: Infinity, inFlightMs: 0, limits, signal };
const bench = useLimitStoreBench();

test('restarted in between: requests wait, and the slots are still held', async () => {
	const general = limitsOf('general', [{ max: 1, windowMs: 4_000 }]);
	const first = new LimitStoreRequest(bench.limitStore, general);
	await first.take();
	first.permit.letThrough();
	await pause(1_100);
	await bench.server.stop();
	const take = new LimitStoreRequest(bench.limitStore, general).take();
	await pause(1_000);
	await bench.server.start();
	expect(await take).toBe(false);
}, 20_000);

test('unreachable: a clear error within the bounded wait, nothing is taken', async () => {
	const closed = limitStoreOf(
		connectionTo({ ...bench.address, nodes: [{ host: '127.0.0.1', port: 1 }] }),
		bench.identity,
	);
	let isIdle: boolean | undefined;
	const limiter = new KeyLimiter((isNow) => (isIdle = isNow));
	const error: unknown = await limiter
		.acquire({ ...asked, limitStore: closed, maxWaitMs: 1_000 })
		.catch((reason: unknown) => reason);
	expect(error).toBeInstanceOf(RedisError);
	expect((error as Error).message).toContain('127.0.0.1:1 cannot be used');
	expect(isIdle).toBe(true);
	await expect(new LimitStoreRequest(closed).take()).rejects.toThrow('ECONNREFUSED');
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
		const request = { ...asked, limitStore };
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
