/**
 * The work that the processes of a queue-mode n8n share: six executions started by webhooks, four that read contacts and
 * two that send documents. Each request has its number and its execution in the query, so that the sandbox's journal
 * shows which process has sent what.
 */
import type { LimitSettings } from '../../nodes/BusinessData/transport/endpoints';
import type { Sandbox } from '../../sandbox/server';
import { BUSINESS_DATA, inARow, node, postOnce } from '../n8n/workflows';
import { read, send } from './parameters';
import { type QueueMode, type WorkerName, WORKERS } from './queueMode';
import { credentialFor } from './scaledLimits';

const LONGEST_REGISTRATION_MS = 120_000;
const CREDENTIAL = { name: 'Business Data', type: 'businessDataApi' };

export const KINDS = ['reads', 'sends'] as const;
export type Kind = (typeof KINDS)[number];

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

/** By workflow, the function that makes the parameters of its node. */
const OPERATIONS = { reads: read, sends: send };

/** The response to one webhook call. */
export interface CallResponse {
	kind: Kind;
	/** The numbers of its requests. */
	numbers: number[];
	status: number;
	/** How many items came out. */
	items: number;
}

function workflowOf(kind: Kind, credentialId: string) {
	const query = [
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
	const options = { timeout: 5, queryParameters: { parameters: query } };
	const credentials = { [CREDENTIAL.type]: { id: credentialId, name: CREDENTIAL.name } };
	return inARow(kind, [
		node('Webhook', 'n8n-nodes-base.webhook', 2, webhook, { webhookId: `queue-${kind}` }),
		node('Items', 'n8n-nodes-base.splitOut', 1, items),
		node(kind, BUSINESS_DATA, 1, OPERATIONS[kind](options), { credentials }),
	]);
}

/** @param redisPort of the Redis that counts its limits */
export async function saveCredential(
	n8n: QueueMode,
	sandbox: Sandbox,
	limits: LimitSettings,
	redisPort: number,
): Promise<string> {
	const data = {
		...credentialFor(sandbox, limits),
		limitStore: 'redis',
		redisHost: '127.0.0.1',
		redisPort,
	};
	return await n8n.client.saveCredential({ ...CREDENTIAL, data });
}

/** Saves and publishes the two workflows. Returns their IDs. */
export async function publishWorkflows(n8n: QueueMode, credentialId: string): Promise<string[]> {
	const ids: string[] = [];
	for (const kind of KINDS) {
		const { id } = await n8n.client.saveWorkflow(workflowOf(kind, credentialId));
		await n8n.client.publishWorkflow(id);
		ids.push(id);
	}
	return ids;
}

/** n8n serves the webhooks of published workflows only some time after it reports to be ready. */
export async function post(url: string, body: object): Promise<Response> {
	const deadline = performance.now() + LONGEST_REGISTRATION_MS;
	for (;;) {
		const response = await postOnce(url, body);
		if (response.status !== 404 || performance.now() > deadline) return response;
		await response.arrayBuffer();
		await new Promise((resolve) => setTimeout(resolve, 100));
	}
}

/** Starts an execution by webhook and waits for the response. */
export async function call(n8n: QueueMode, kind: Kind, numbers: number[]): Promise<CallResponse> {
	const response = await post(n8n.webhookUrl(kind), {
		items: numbers.map((number) => ({ number })),
	});
	const serviceResponse: unknown = await response.json();
	const items = Array.isArray(serviceResponse) ? serviceResponse.length : 0;
	return { kind, numbers, status: response.status, items };
}

/** Starts all six executions and waits for their responses. */
export async function callAll(n8n: QueueMode): Promise<CallResponse[]> {
	const used = { reads: 0, sends: 0 };
	const calls = SHARES.map(async ([kind, count], position) => {
		const first = used[kind];
		used[kind] += count;
		await new Promise((resolve) => setTimeout(resolve, position * BETWEEN_CALLS_MS));
		const numbers = Array.from({ length: count }, (_, index) => first + index + 1);
		return await call(n8n, kind, numbers);
	});
	return await Promise.all(calls);
}

/** The numbers of all requests of a kind in the journal, sorted, with duplicates. */
export function numbersOf(sandbox: Sandbox, kind: Kind): number[] {
	const method = kind === 'reads' ? 'GET' : 'POST';
	return sandbox.journal
		.responded()
		.filter((entry) => entry.method === method)
		.map(({ query }) => Number(query.number))
		.sort((a, b) => a - b);
}

/** How many requests of the sandbox's journal came from each worker. */
export function requestsByWorker(n8n: QueueMode, sandbox: Sandbox): Record<WorkerName, number> {
	const journal = sandbox.journal.all();
	const count = (worker: WorkerName) => {
		const executions = n8n.executionsOf(worker);
		return journal.filter(({ query }) => executions.includes(String(query.execution))).length;
	};
	return Object.fromEntries(WORKERS.map((worker) => [worker, count(worker)])) as Record<
		WorkerName,
		number
	>;
}
