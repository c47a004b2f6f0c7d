/**
 * The set-up of a queue-mode test: n8n with two workers, a separate Redis for the limit store, and for each test a
 * sandbox service with its credential.
 *
 * The processes share six executions started by webhooks, four that read contacts and two that send documents. Each
 * request has its number and its execution in the query, so that the sandbox's journal shows which process has sent what.
 */
import type { Redis } from 'ioredis';

import type { LimitSettings } from '../../nodes/BusinessData/transport/endpoints';
import { type Sandbox, startSandbox, type WindowMode } from '../../sandbox/server';
import { Cleanup } from '../../scripts/cleanup';
import type { N8nInstance } from '../../scripts/host/n8nInstance';
import { BUSINESS_DATA, inARow, node, postOnce } from '../n8n/workflows';
import { read, send } from './parameters';
import { startQueueMode, WORKERS } from './queueMode';
import { RedisServer } from './redisServer';
import { report } from './report';
import { credentialFor } from './scaledLimits';

const SETTINGS = {
	// Half of the six executions of a run, so that each worker gets its share.
	N8N_CONCURRENCY_PRODUCTION_LIMIT: '3',
	// The job of a dead worker is found sooner than with n8n's defaults of 60 s and 30 s.
	QUEUE_WORKER_LOCK_DURATION: '8000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
	QUEUE_WORKER_STALLED_INTERVAL: '4000',
};
const LONGEST_REGISTRATION_MS = 120_000;
const FAILED = ['error', 'crashed'];
const CREDENTIAL = { name: 'Business Data', type: 'businessDataApi' };

/** By the name of the workflow, the function that makes the parameters of its node. */
const OPERATIONS = { reads: read, sends: send };
type Kind = keyof typeof OPERATIONS;
export const KINDS = ['reads', 'sends'] as const;

/** How many requests each of the six executions makes. The sends exceed their window. */
const SHARES: Array<[kind: Kind, count: number]> = [
	['sends', 4],
	['sends', 4],
	['reads', 33],
	['reads', 33],
	['reads', 32],
	['reads', 32],
];
/** With this pause, the workers take turns, and each gets one execution that sends and two that read. */
const BETWEEN_CALLS_MS = 50;
export const READS = 130;
export const SENDS = 8;

/** The response to one webhook call. */
interface CallResponse {
	kind: Kind;
	/** The numbers of its requests. */
	numbers: number[];
	status: number;
	/** How many items came out. */
	items: number;
}

const numbersFrom = (first: number, count: number) =>
	Array.from({ length: count }, (_, index) => first + index);

function workflowOf(kind: Kind, credentialId: string) {
	const parameters = [
		{ name: 'number', value: '={{ $json.number }}' },
		{ name: 'execution', value: '={{ $execution.id }}' },
	];
	const webhook = {
		httpMethod: 'POST',
		path: kind,
		responseMode: 'lastNode',
		responseData: 'allEntries',
	};
	const items = { fieldToSplitOut: 'body.items', options: {} };
	// The timeout limits how long the slots of a dead worker are held.
	const operation = OPERATIONS[kind]({ timeout: 5, queryParameters: { parameters } });
	const credentials = { [CREDENTIAL.type]: { id: credentialId, name: CREDENTIAL.name } };
	return inARow(kind, [
		node('Webhook', 'n8n-nodes-base.webhook', 2, webhook, { webhookId: `queue-${kind}` }),
		node('Items', 'n8n-nodes-base.splitOut', 1, items),
		node(kind, BUSINESS_DATA, 1, operation, { credentials }),
	]);
}

export class QueueBench {
	n8n!: N8nInstance;
	/** Not the Redis of n8n's queue, so that its faults affect nothing else. */
	limitStoreServer!: RedisServer;
	/** A connection to it that survives its restart. */
	redis!: Redis;
	sandbox!: Sandbox;
	/** The ID of the credential for the sandbox. */
	credentialId = '';
	private readonly workflowIds: string[] = [];
	private reported: string[] = [];

	/** Starts a sandbox with these limits, and sets them in the credential, too. */
	async open(limits: LimitSettings, windowMode: WindowMode = 'sliding'): Promise<void> {
		const latency = { minMs: 5, maxMs: 30 };
		this.sandbox = await startSandbox({ limits, windowMode, latency, contactCount: 1 });
		const { client } = this.n8n;
		const { port: redisPort } = this.limitStoreServer;
		const inRedis = { limitStore: 'redis', redisHost: '127.0.0.1', redisPort };
		const data = { ...credentialFor(this.sandbox, limits), ...inRedis };
		this.credentialId = await client.saveCredential({ ...CREDENTIAL, data });
		if (this.workflowIds.length > 0) return;
		for (const kind of KINDS) {
			const { id } = await client.saveWorkflow(workflowOf(kind, this.credentialId));
			await client.publishWorkflow(id);
			this.workflowIds.push(id);
		}
	}

	/** Calls a webhook. n8n serves those of published workflows only some time after it reports to be ready. */
	async post(path: string, body: object): Promise<Response> {
		const deadline = performance.now() + LONGEST_REGISTRATION_MS;
		for (;;) {
			const response = await postOnce(`${this.n8n.url}/webhook/${path}`, body);
			if (response.status !== 404 || performance.now() > deadline) return response;
			await response.arrayBuffer();
			await new Promise((resolve) => setTimeout(resolve, 100));
		}
	}

	/** Starts an execution and waits for the response. */
	async call(kind: Kind, numbers: number[]): Promise<CallResponse> {
		const response = await this.post(kind, { items: numbers.map((number) => ({ number })) });
		const serviceResponse: unknown = await response.json();
		const items = Array.isArray(serviceResponse) ? serviceResponse.length : 0;
		return { kind, numbers, status: response.status, items };
	}

	/** Starts all six executions and waits for their responses. */
	async callAll(): Promise<CallResponse[]> {
		const used = { reads: 0, sends: 0 };
		const calls = SHARES.map(async ([kind, count], position) => {
			const numbers = numbersFrom(used[kind] + 1, count);
			used[kind] += count;
			await new Promise((resolve) => setTimeout(resolve, position * BETWEEN_CALLS_MS));
			return await this.call(kind, numbers);
		});
		return await Promise.all(calls);
	}

	/** The numbers of all requests of a kind in the journal, sorted, with duplicates. */
	numbersOf(kind: Kind): number[] {
		const method = kind === 'reads' ? 'GET' : 'POST';
		return this.sandbox.journal
			.responded()
			.filter((entry) => entry.method === method)
			.map(({ query }) => Number(query.number))
			.sort((a, b) => a - b);
	}

	/** How many requests of the journal came from each worker. */
	requestsByWorker(): number[] {
		const journal = this.sandbox.journal.all();
		return WORKERS.map((worker) => {
			const executions = this.n8n.executionsOf(worker);
			return journal.filter(({ query }) => executions.includes(String(query.execution))).length;
		});
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

	/** Expects that every request was let through exactly once, and that every execution has output all of its items. */
	expectAllRespondedOnce(responses: CallResponse[]): void {
		const { journal } = this.sandbox;
		for (const { status, items, numbers } of responses) {
			expect({ status, items }).toEqual({ status: 200, items: numbers.length });
		}
		expect(this.numbersOf('reads')).toEqual(numbersFrom(1, READS));
		expect(this.numbersOf('sends')).toEqual(numbersFrom(1, SENDS));
		expect(journal.documents()).toHaveLength(SENDS);
		expect(journal.count()).toBe(READS + SENDS + journal.refused().length);
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
		bench.n8n = await startQueueMode(cleanup, SETTINGS);
		// First, because a client without a connection takes two seconds to quit.
		cleanup.add(async () => void (await bench.redis.quit()));
		await prepare();
		await bench.sandbox.stop();
	});
	beforeEach(async () => {
		// A worker may have been killed.
		await bench.n8n.startAgain();
		await bench.redis.flushall();
	});
	afterEach(async () => {
		await bench.reportFailures();
		await bench.sandbox.stop();
	});
	afterAll(async () => await cleanup.run());
	return bench;
}
