/**
 * What tests of Send Once over several processes work on: processes with n8n's engine, and what they share:
 * the table of n8n's deduplication store, a Redis, and the service.
 */
import { Redis } from 'ioredis';
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import { type Sandbox, startSandbox } from '../../sandbox/server';
import { Cleanup } from '../../scripts/cleanup';
import { NO_LIMITS } from './bench';
import { EngineProcess, type ExecutionEnd } from './engineProcess';
import { ProcessedDataRepository } from './processedData';
import { RedisServer } from './redisServer';
import { credentialFor } from './scaledLimits';

const SETUP_MS = 60_000;
/** The time-out of a request that must not end by it, however busy the machine is. */
const LONG_TIMEOUT_SECONDS = 20;

export interface ProcessBench {
	table: ProcessedDataRepository;
	server: RedisServer;
	/** A connection to it that survives its restart. */
	redis: Redis;
	sandbox: Sandbox;
	processes: EngineProcess[];
	/** Runs an execution that sends these keys in a process. */
	send(process: number, keys: string[], timeoutSeconds?: number): Promise<ExecutionEnd>;
	/** The keys of the documents that the service has acted on, in order. */
	sent(): string[];
}

/** Sets up a bench for the tests of a file. Use what it returns in tests only. */
export function useProcessBench(count: number): ProcessBench {
	const bench = { processes: [] as EngineProcess[] } as ProcessBench;
	let credential: ICredentialDataDecryptedObject;
	bench.send = async (index, keys, timeoutSeconds = LONG_TIMEOUT_SECONDS) => {
		const process = bench.processes[index];
		if (process === undefined) throw new Error(`no process ${index}`);
		return await process.run({ keys, timeoutSeconds, credential });
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
		const first = bench.processes.map(
			async (_, index) => await bench.send(index, [`first ${index}`]),
		);
		await Promise.all(first);
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
