// Saves, publishes and runs the workflows of contenders in a real n8n.
import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import type { N8nInstance } from '../scripts/host/n8nInstance';
import type { WorkflowNode } from '../scripts/host/n8nTypes';
import { inARow, node } from '../test/n8n/workflows';
import type { Contender, Service } from './contenders';
import type { WorkItem } from './workItems';

const MINUTES_FOR_A_RUN = 20;
const SECONDS_UNTIL_REGISTERED = 30;
const SECONDS_BETWEEN_CALLS = 0.1;
const NOT_FOUND = 404;

/** The result of one run of a workflow. */
export interface WorkflowRun {
	/** From the call of the webhook to its response (ms). */
	ms: number;
	/** Items without an error. */
	itemsThrough: number;
	/** The error messages, without duplicates. */
	errors: string[];
}

/** A published workflow of one contender. */
export interface PublishedWorkflow {
	id: string;
	/** Runs it with `count` items, numbered from `first`. */
	run(first: number, count: number): Promise<WorkflowRun>;
}

/** The message in an error item of n8n, which may be in one of several places. */
function errorIn(item: unknown): string | undefined {
	if (typeof item !== 'object' || item === null) return undefined;
	const { error } = item as { error?: unknown };
	if (error === undefined || error === null) return undefined;
	if (typeof error === 'string') return error;
	const { message } = error as { message?: unknown };
	return typeof message === 'string' ? message : JSON.stringify(error);
}

function readResponse(status: number, body: unknown, ms: number): WorkflowRun {
	if (status !== 200 || !Array.isArray(body)) {
		return { ms, itemsThrough: 0, errors: [`The workflow failed: ${JSON.stringify(body)}`] };
	}
	const errors = body.flatMap((item) => errorIn(item) ?? []);
	return { ms, itemsThrough: body.length - errors.length, errors: [...new Set(errors)] };
}

export class BenchmarkN8n {
	private saved = 0;

	/**
	 * @param workers their names, in queue mode
	 * @param redisPort of the Redis on 127.0.0.1 for the limits, in queue mode
	 */
	constructor(
		private readonly instance: N8nInstance,
		private readonly workers: readonly string[] = [],
		private readonly redisPort?: number,
	) {}

	/** Saves the credential of a contender, and publishes `count` workflows of it. */
	async publish(
		contender: Contender,
		service: Service,
		item: WorkItem,
		count: number,
	): Promise<PublishedWorkflow[]> {
		const number = (this.saved += 1);
		const serviceAndRedis = { ...service, redisPort: this.redisPort };
		const credential = {
			name: `bench-${number}`,
			...contender.credential(serviceAndRedis, item),
		};
		const id = await this.instance.client.saveCredential(credential);
		const worker: WorkflowNode = {
			...contender.node(service, item),
			credentials: { [credential.type]: { id, name: credential.name } },
		};
		const published: PublishedWorkflow[] = [];
		while (published.length < count) {
			const path = `bench-${number}-${published.length}`;
			const workflowId = await this.publishWorkflow(path, worker);
			published.push({
				id: workflowId,
				run: (first, items) => this.call(path, first, items),
			});
		}
		return published;
	}

	/** How many executions of these workflows each worker has begun; undefined without workers. */
	async executionsPerWorker(workflows: PublishedWorkflow[]): Promise<number[] | undefined> {
		const { client } = this.instance;
		if (this.workers.length === 0) return undefined;
		const lists = await Promise.all(workflows.map(({ id }) => client.listExecutions(id)));
		const ids = lists.flat().map(({ id }) => id);
		const begun = this.workers.map((worker) => this.instance.executionsOf(worker));
		return begun.map((ofWorker) => ids.filter((id) => ofWorker.includes(id)).length);
	}

	/** Returns the ID of the workflow. */
	private async publishWorkflow(path: string, worker: WorkflowNode): Promise<string> {
		const webhook = {
			httpMethod: 'POST',
			path,
			responseMode: 'lastNode',
			responseData: 'allEntries',
			options: {},
		};
		const { client } = this.instance;
		const { id } = await client.saveWorkflow(
			inARow(path, [
				node('Webhook', 'n8n-nodes-base.webhook', 2, webhook, { webhookId: path }),
				node('Items', 'n8n-nodes-base.splitOut', 1, { fieldToSplitOut: 'body.items', options: {} }),
				worker,
			]),
		);
		await client.publishWorkflow(id);
		return id;
	}

	private async call(path: string, first: number, count: number): Promise<WorkflowRun> {
		const deadline = performance.now() + SECONDS_UNTIL_REGISTERED * 1000;
		const items = Array.from({ length: count }, (_, index) => ({ number: first + index }));
		for (;;) {
			const startedAt = performance.now();
			// axios has no default timeout for a response; fetch has one of five minutes.
			const { status, data } = await axios.post<unknown>(
				`${this.instance.url}/webhook/${path}`,
				{ items },
				{ proxy: false, timeout: MINUTES_FOR_A_RUN * 60_000, validateStatus: () => true },
			);
			const isRegistered = status !== NOT_FOUND;
			if (isRegistered || performance.now() > deadline) {
				return readResponse(status, data, performance.now() - startedAt);
			}
			// n8n registers a webhook a moment after it has reported the workflow as published.
			await sleep(SECONDS_BETWEEN_CALLS * 1000);
		}
	}
}
