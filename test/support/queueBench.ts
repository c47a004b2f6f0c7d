/**
 * The set-up of a queue-mode test: n8n with two workers, a separate Redis for the limit store, and for each test a
 * sandbox service with its credential.
 */
import type { Redis } from 'ioredis';

import type { LimitSettings } from '../../nodes/BusinessData/transport/endpoints';
import { type Sandbox, startSandbox, type WindowMode } from '../../sandbox/server';
import { Cleanup } from '../../scripts/cleanup';
import { QueueMode } from './queueMode';
import {
	type CallResponse,
	numbersOf,
	publishWorkflows,
	READS,
	saveCredential,
	SENDS,
} from './queueRuns';
import { RedisServer } from './redisServer';
import { report } from './report';

const FAILED = ['error', 'crashed'];

export class QueueBench {
	n8n!: QueueMode;
	/** Not the Redis of n8n's queue, so that its faults affect nothing else. */
	limitStoreServer!: RedisServer;
	/** A connection to it that survives its restart. */
	redis!: Redis;
	sandbox!: Sandbox;
	/** The ID of the credential for the sandbox. */
	credentialId = '';
	private workflowIds: string[] = [];
	private reported: string[] = [];

	/** Starts a sandbox with these limits, and sets them in the credential, too. */
	async open(limits: LimitSettings, windowMode: WindowMode = 'sliding'): Promise<void> {
		const latency = { minMs: 5, maxMs: 30 };
		this.sandbox = await startSandbox({ limits, windowMode, latency, contactCount: 1 });
		const { n8n, sandbox, limitStoreServer } = this;
		this.credentialId = await saveCredential(n8n, sandbox, limits, limitStoreServer.port);
		if (this.workflowIds.length > 0) return;
		this.workflowIds = await publishWorkflows(n8n, this.credentialId);
	}

	/** The executions that n8n shows as failed, of all tests so far. */
	async failedExecutions(): Promise<string[]> {
		const { client } = this.n8n;
		const lists = this.workflowIds.map(async (id) => await client.listExecutions(id));
		const executions = (await Promise.all(lists)).flat();
		return executions.filter(({ status }) => FAILED.includes(status)).map(({ id }) => id);
	}

	/** Prints why executions have failed since the last call, which their responses do not say. */
	async reportFailures(): Promise<void> {
		const failed = await this.failedExecutions();
		for (const id of failed.filter((one) => !this.reported.includes(one))) {
			const { status, error } = await this.n8n.client.waitForExecution(id);
			report(`  execution ${id}: ${status}: ${error ?? 'no reason is known'}`);
		}
		this.reported = failed;
	}
}

/**
 * Sets up a bench for the tests of a file: n8n once, a sandbox for each test.
 * @param prepare runs before the first test
 */
export function useQueueBench(prepare: () => Promise<void>): QueueBench {
	const bench = new QueueBench();
	const cleanup = new Cleanup();
	beforeAll(async () => {
		// Every confirmed write is on disk, even after a crash.
		bench.limitStoreServer = await RedisServer.start(['--appendfsync', 'always']);
		cleanup.add(async () => await bench.limitStoreServer.dispose());
		bench.redis = bench.limitStoreServer.client();
		bench.n8n = await QueueMode.prepare();
		cleanup.add(async () => await bench.n8n.dispose());
		// First, because a client without a connection takes two seconds to quit.
		cleanup.add(async () => void (await bench.redis.quit()));
		await bench.n8n.startAll();
		await prepare();
		await bench.sandbox.stop();
	});
	beforeEach(async () => {
		// A worker may have been killed.
		await bench.n8n.startAll();
		await bench.redis.flushall();
	});
	afterEach(async () => {
		await bench.reportFailures();
		await bench.sandbox.stop();
	});
	afterAll(async () => await cleanup.run());
	return bench;
}

const numbersUpTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Expects that every request was let through exactly once, and that every execution has output all of its items. */
export function expectAllRespondedOnce({ sandbox }: QueueBench, responses: CallResponse[]): void {
	for (const { status, items, numbers } of responses) {
		expect({ status, items }).toEqual({ status: 200, items: numbers.length });
	}
	expect(numbersOf(sandbox, 'reads')).toEqual(numbersUpTo(READS));
	expect(numbersOf(sandbox, 'sends')).toEqual(numbersUpTo(SENDS));
	expect(sandbox.journal.documents()).toHaveLength(SENDS);
	expect(sandbox.journal.count()).toBe(READS + SENDS + sandbox.journal.refused().length);
}
