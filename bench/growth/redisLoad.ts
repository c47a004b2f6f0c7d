/** What the shared ledger costs a real Redis: keys that use their limits in full, all the time. */
import { Redis } from 'ioredis';

import { RedisServer } from '../../test/support/redisServer';
import type { Limits } from '../../nodes/BusinessData/rateLimit/limits';
import { abortController, connectionTo, DOCUMENTED_LIMITS, KeyLimiter, RedisLedger } from './built';
import { pause } from './figures';

export interface RedisLoad {
	requests: number;
	commandsPerRequest: number;
	/** Processor time (µs) of Redis per request, everything included. */
	processorPerRequest: number;
	/** Time (µs) that one script takes, on average. */
	perScript: number;
	/** Bytes of Redis per key whose windows are full. */
	bytesPerKey: number;
}

/** 1 s, 10 s and 60 s become 50 ms, 0.5 s and 3 s. */
const TIME_SCALE = 0.05;
const WAITING_PER_KEY = 3;

const limits: Limits = {
	general: DOCUMENTED_LIMITS.general.map(({ max, windowSeconds }) => ({
		max,
		windowMs: windowSeconds * 1000 * TIME_SCALE,
	})),
	scopes: {},
};

/** Lets `keys` keys send as much as their limits allow, for `seconds`. Needs `redis-server`. */
export async function loadRedis(keys: number, seconds: number): Promise<RedisLoad> {
	const server = await RedisServer.start(['--appendonly', 'no', '--save', '']);
	const redis = new Redis({ port: server.port });
	try {
		const address = { host: '127.0.0.1', port: server.port, user: '', password: '' };
		const ledger = new RedisLedger(connectionTo({ ...address, database: 0, tls: false }));
		const stop = abortController();
		let requests = 0;
		const memoryAtStart = await numberOf(redis, 'memory', 'used_memory');
		const requestOnAndOn = async (limiter: InstanceType<typeof KeyLimiter>) => {
			while (!stop.signal.aborted) {
				const request = { batch: 'run', ledger, inFlightMs: 1_000, signal: stop.signal };
				(await limiter.acquire(request)).letThrough();
				requests++;
			}
		};
		const running = Array.from({ length: keys * WAITING_PER_KEY }, (_, index) => index % keys);
		const limiters = Array.from(
			{ length: keys },
			(_, key) => new KeyLimiter(`key ${key}`, limits, () => undefined),
		);
		const all = running.map(async (key) => {
			const limiter = limiters[key];
			if (limiter !== undefined) await requestOnAndOn(limiter).catch(() => undefined);
		});
		// Until the longest window is full.
		await pause(60_000 * TIME_SCALE * 1.2);
		const [before, requestsBefore] = [await figuresOf(redis), requests];
		await pause(seconds * 1_000);
		const after = await figuresOf(redis);
		const passed = requests - requestsBefore;
		stop.abort(new Error('measured'));
		await Promise.all(all);
		const calls = after.calls - before.calls;
		return {
			requests: passed,
			commandsPerRequest: calls / passed,
			processorPerRequest: ((after.processorSeconds - before.processorSeconds) * 1e6) / passed,
			perScript: (after.scriptMicroseconds - before.scriptMicroseconds) / calls,
			bytesPerKey: (after.memory - memoryAtStart) / keys,
		};
	} finally {
		redis.disconnect();
		await server.dispose();
	}
}

async function figuresOf(redis: Redis) {
	const stats = await redis.info('commandstats');
	const scripts = [...stats.matchAll(/cmdstat_eval\w*:calls=(\d+),usec=(\d+)/g)];
	const sum = (group: number) => scripts.reduce((total, match) => total + Number(match[group]), 0);
	return {
		calls: sum(1),
		scriptMicroseconds: sum(2),
		processorSeconds:
			(await numberOf(redis, 'cpu', 'used_cpu_user')) +
			(await numberOf(redis, 'cpu', 'used_cpu_sys')),
		memory: await numberOf(redis, 'memory', 'used_memory'),
	};
}

async function numberOf(redis: Redis, section: string, name: string): Promise<number> {
	const text = await redis.info(section);
	return Number(new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text)?.[1] ?? NaN);
}
