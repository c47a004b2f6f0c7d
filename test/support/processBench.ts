/**
 * What tests of Send Once over several processes work on: processes with n8n's engine, and what they share:
 * the table of n8n's deduplication store, a Redis, and the service.
 */
import { Redis } from 'ioredis';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { type Sandbox, startSandbox } from '../../sandbox/server';
import { Cleanup } from '../../scripts/cleanup';
import { NO_LIMITS } from './bench';
import { EngineProcess } from './engineProcess';
import type { Execution, Task } from './overlapRound';
import { ProcessedDataRepository } from './processedData';
import { RedisServer } from './redisServer';
import { credentialFor } from './scaledLimits';

const SETUP_MS = 60_000;
/** The time-out of a request that may get no response. */
export const SHORT_TIMEOUT_SECONDS = 0.25;
/** The time-out of a request that must not end by it, however busy the machine is. */
const LONG_TIMEOUT_SECONDS = 20;

export interface ProcessBench {
	table: ProcessedDataRepository;
	server: RedisServer;
	/** A connection to it that survives its restart. */
	redis: Redis;
	sandbox: Sandbox;
	processes: EngineProcess[];
	/**
	 * Starts an execution in the process that the task's place stands for, or in the next one that lives. Its requests
	 * have the short time-out.
	 */
	start: (task: Task) => Execution;
	/** Starts one that sends these keys in a process. */
	send(process: number, keys: string[], timeoutSeconds?: number): Execution;
	/** Kills a process, and starts another in its place. */
	replace(process: number): Promise<void>;
	/** The keys of the documents that the service has acted on, in order. */
	sent(): string[];
}

/** Sets up a bench for the tests of a file. Use what it returns in tests only. */
export function useProcessBench(count: number): ProcessBench {
	const bench = { processes: [] as EngineProcess[] } as ProcessBench;
	let credential: ICredentialDataDecryptedObject;
	const processAt = (first: number) => {
		const from = Math.floor(first);
		const alive = [...bench.processes.slice(from), ...bench.processes].find((one) => one.isAlive);
		if (alive === undefined) throw new Error('no process lives');
		return alive;
	};
	bench.start = (task) =>
		processAt(task.place * count).run(task, SHORT_TIMEOUT_SECONDS, credential);
	bench.send = (process, keys, timeoutSeconds = LONG_TIMEOUT_SECONDS) => {
		const task = { keys, marker: keys.join(), place: process / count };
		return processAt(process).run(task, timeoutSeconds, credential);
	};
	bench.replace = async (index) => {
		await bench.processes[index]?.kill();
		bench.processes[index] = await EngineProcess.start(bench.table);
	};
	bench.sent = () =>
		bench.sandbox.journal
			.all()
			.filter(({ acted }) => acted)
			.map(({ body }) => (body as { key: string }).key);
	const cleanup = new Cleanup();
	beforeAll(async () => {
		bench.table = new ProcessedDataRepository();
		// What it has confirmed is on the disk, however it ends.
		bench.server = await RedisServer.start(['--appendfsync', 'always']);
		cleanup.add(async () => await bench.server.dispose());
		const { port } = bench.server;
		bench.redis = new Redis({ port, retryStrategy: () => 50 });
		bench.redis.on('error', () => undefined);
		cleanup.add(async () => await Promise.resolve(bench.redis.disconnect()));
		bench.sandbox = await startSandbox({ limits: NO_LIMITS });
		cleanup.add(async () => await bench.sandbox.stop());
		const redis = { redisHost: '127.0.0.1', redisPort: port, redisDatabase: 0 };
		credential = {
			...credentialFor(bench.sandbox),
			...{ customize: true, limits: JSON.stringify(NO_LIMITS) },
			...{ limitStore: 'redis', redisUser: '', redisPassword: '', redisTls: false, ...redis },
		};
		cleanup.add(async () => {
			for (const process of bench.processes) await process.kill();
		});
		const starts = Array.from({ length: count }, async (_, index) => {
			bench.processes[index] = await EngineProcess.start(bench.table);
		});
		await Promise.all(starts);
		// The first request of a process is slow; none that a test measures may be the first.
		const first = bench.processes.map((_, index) => bench.send(index, [`first of ${index}`]));
		await Promise.all(first.map(async ({ ended }) => await ended));
	}, SETUP_MS);
	beforeEach(async () => {
		bench.table.clear();
		bench.sandbox.reset();
		await bench.redis.flushall();
	});
	afterEach(() => {
		expect(bench.processes.flatMap(({ complaints }) => complaints)).toEqual([]);
	});
	afterAll(async () => await cleanup.run(), SETUP_MS);
	return bench;
}
