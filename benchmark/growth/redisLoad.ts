/** Measures the cost of the shared limit store in a real Redis, with API keys that use their limits in full. */
import { Redis } from 'ioredis';

import type { RedisAddress } from '../../nodes/BusinessData/redis';
import { RedisCluster } from '../../test/support/redisCluster';
import { RedisServer } from '../../test/support/redisServer';
import { inMs, scaledLimits } from '../../test/support/scaledLimits';
import type { Limits } from '../../nodes/BusinessData/rateLimit/limits';
import {
	abortController,
	connectionTo,
	DOCUMENTED_LIMITS,
	KeyLimiter,
	limitStoreOf,
} from './built';
import { pause } from './figures';

export interface RedisLoad {
	requests: number;
	commandsPerRequest: number;
	/** Total processor time (µs) of Redis per request. */
	processorPerRequest: number;
	/** Average time (µs) of one script. */
	perScript: number;
	/** Bytes in Redis per key with full windows. */
	bytesPerKey: number;
	/** The share of the requests that each primary counts. */
	shares: number[];
}

interface MeasuredRedis {
	address: RedisAddress;
	/** One to each primary. */
	connections: Redis[];
	dispose: () => Promise<void>;
}

/** Windows of 1 s, 10 s and 60 s become 50 ms, 0.5 s and 3 s. */
const TIME_SCALE = 0.05;
const WAITING_PER_KEY = 3;

const limits: Limits = {
	general: scaledLimits(TIME_SCALE, 1, DOCUMENTED_LIMITS).general.map(inMs),
	endpoints: {},
};

export async function startServer(): Promise<MeasuredRedis> {
	const server = await RedisServer.start(['--appendonly', 'no', '--save', '']);
	return {
		address: server.address(),
		connections: [new Redis({ port: server.port })],
		dispose: async () => await server.dispose(),
	};
}

export async function startCluster(): Promise<MeasuredRedis> {
	const password = 'a-password';
	const cluster = await RedisCluster.start(password);
	const ports = await cluster.primaryPorts();
	return {
		address: cluster.address,
		connections: ports.map((port) => new Redis({ port, password })),
		dispose: async () => await cluster.dispose(),
	};
}

/** Sends as much as the limits of `keys` keys allow, for `seconds`. Needs `redis-server`. */
export async function loadRedis(
	start: () => Promise<MeasuredRedis>,
	keys: number,
	seconds: number,
): Promise<RedisLoad> {
	const { address, connections, dispose } = await start();
	const figures = async () => await Promise.all(connections.map(figuresOf));
	try {
		const connection = connectionTo(address);
		const stop = abortController();
		let requests = 0;
		const atStart = await figures();
		const requestRepeatedly = async (limiter: InstanceType<typeof KeyLimiter>, key: number) => {
			const limitStore = limitStoreOf(connection, `key ${key}`);
			while (!stop.signal.aborted) {
				const fields = { run: 'run', priority: 5, maxWaitMs: Infinity, inFlightMs: 1_000 };
				const request = { ...fields, limits, limitStore, signal: stop.signal };
				(await limiter.acquire(request)).letThrough();
				requests++;
			}
		};
		const running = Array.from({ length: keys * WAITING_PER_KEY }, (_, index) => index % keys);
		const limiters = Array.from({ length: keys }, () => new KeyLimiter(() => undefined));
		const all = running.map(async (key) => {
			const limiter = limiters[key];
			if (limiter !== undefined) await requestRepeatedly(limiter, key).catch(() => undefined);
		});
		// Wait until the longest window is full.
		await pause(60_000 * TIME_SCALE * 1.2);
		const before = await figures();
		const requestsBefore = requests;
		await pause(seconds * 1_000);
		const after = await figures();
		const passed = requests - requestsBefore;
		stop.abort(new Error('measured'));
		await Promise.all(all);
		const grown = (name: keyof Figures, since = before) =>
			after.map((figure, index) => figure[name] - (since[index]?.[name] ?? 0));
		const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
		const calls = sum(grown('calls'));
		return {
			requests: passed,
			commandsPerRequest: calls / passed,
			processorPerRequest: (sum(grown('processorSeconds')) * 1e6) / passed,
			perScript: sum(grown('scriptMicroseconds')) / calls,
			bytesPerKey: sum(grown('memory', atStart)) / keys,
			shares: grown('calls').map((ofOne) => ofOne / calls),
		};
	} finally {
		for (const redis of connections) redis.disconnect();
		await dispose();
	}
}

type Figures = Awaited<ReturnType<typeof figuresOf>>;

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
