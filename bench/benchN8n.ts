// The real n8n that all contenders run in, with the packed node and the benchmark's own nodes.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import axios from 'axios';
import type { Cleanup } from '../scripts/cleanup';
import { endPrograms } from '../scripts/host/childProcesses';
import { ensureHost } from '../scripts/host/installN8n';
import { N8nClient } from '../scripts/host/n8nClient';
import { startN8n } from '../scripts/host/n8nProcess';
import type { WorkflowNode } from '../scripts/host/n8nTypes';
import { installPackedNode, packNode } from '../scripts/host/packNode';
import { withProgress } from '../scripts/host/progress';
import { openUserFolder } from '../scripts/host/userFolder';
import { inARow, node } from '../test/n8n/workflows';
import { compileContenders } from './compileContenders';
import type { Contender, Service } from './contenders';
import type { WorkItem } from './workItems';

const PROJECT_FOLDER = join(__dirname, '..');
const MINUTES_FOR_A_RUN = 20;
const SECONDS_UNTIL_REGISTERED = 30;
const SECONDS_BETWEEN_CALLS = 0.1;
const NOT_FOUND = 404;

/** What came of one run of a workflow. */
export interface WorkflowRun {
	/** From the call of the webhook to its answer (ms). */
	ms: number;
	/** Items that came out without an error. */
	itemsThrough: number;
	/** What went wrong, each text once. */
	errors: string[];
}

/** A published workflow of one contender. */
export interface PublishedWorkflow {
	/** Runs it with so many items, numbered from `first` on. */
	run(first: number, count: number): Promise<WorkflowRun>;
}

/** n8n's error items have their message in one of several places. */
function errorIn(item: unknown): string | undefined {
	if (typeof item !== 'object' || item === null) return undefined;
	const { error } = item as { error?: unknown };
	if (error === undefined || error === null) return undefined;
	if (typeof error === 'string') return error;
	const { message } = error as { message?: unknown };
	return typeof message === 'string' ? message : JSON.stringify(error);
}

function readAnswer(status: number, body: unknown, ms: number): WorkflowRun {
	if (status !== 200 || !Array.isArray(body)) {
		return { ms, itemsThrough: 0, errors: [`The workflow failed: ${JSON.stringify(body)}`] };
	}
	const errors = body.flatMap((item) => errorIn(item) ?? []);
	return { ms, itemsThrough: body.length - errors.length, errors: [...new Set(errors)] };
}

export class BenchN8n {
	readonly #client: N8nClient;
	readonly #url: string;
	#saved = 0;

	private constructor(
		url: string,
		client: N8nClient,
		readonly versions: { n8n: string; nodeOfN8n: string },
	) {
		this.#url = url;
		this.#client = client;
	}

	/**
	 * Starts it. The package must have been built.
	 * @param cleanup gets what ends everything again, also when the start fails
	 */
	static async start(cleanup: Cleanup): Promise<BenchN8n> {
		const host = await ensureHost({ version: 'n8n-2' });
		const userFolder = await openUserFolder();
		cleanup.add(() => userFolder.dispose());
		cleanup.add(endPrograms);
		await withProgress('Installing the packed node into n8n', async () => {
			const packed = await packNode(PROJECT_FOLDER, join(userFolder.path, 'packages'));
			await installPackedNode(packed, userFolder.path, host);
		});
		const contenders = await compileContenders(join(userFolder.path, 'contenders'));
		const n8n = await withProgress(`Starting n8n ${host.n8nVersion}`, () =>
			startN8n({ host, userFolder, environment: { N8N_CUSTOM_EXTENSIONS: contenders } }),
		);
		cleanup.add(() => n8n.stop());
		const client = new N8nClient(n8n.url);
		await client.logInAsOwner(userFolder.owner);
		const nodeOfN8n = execFileSync(host.nodePath, ['--version'], { encoding: 'utf8' })
			.trim()
			.slice(1);
		return new BenchN8n(n8n.url, client, { n8n: host.n8nVersion, nodeOfN8n });
	}

	/** Saves the credential of a contender, and publishes as many of its workflows as are asked for. */
	async publish(
		contender: Contender,
		service: Service,
		item: WorkItem,
		count: number,
	): Promise<PublishedWorkflow[]> {
		const number = (this.#saved += 1);
		const credential = { name: `bench-${number}`, ...contender.credential(service, item) };
		const id = await this.#client.saveCredential(credential);
		const worker: WorkflowNode = {
			...contender.node(service, item),
			credentials: { [credential.type]: { id, name: credential.name } },
		};
		const published: PublishedWorkflow[] = [];
		while (published.length < count) {
			const path = `bench-${number}-${published.length}`;
			await this.#publishWorkflow(path, worker);
			published.push({ run: (first, items) => this.#call(path, first, items) });
		}
		return published;
	}

	async #publishWorkflow(path: string, worker: WorkflowNode): Promise<void> {
		const webhook = {
			...{ httpMethod: 'POST', path, responseMode: 'lastNode', responseData: 'allEntries' },
			options: {},
		};
		const items = { first: '={{ $json.body.first }}', count: '={{ $json.body.count }}' };
		const { id } = await this.#client.saveWorkflow(
			inARow(path, [
				node('Webhook', 'n8n-nodes-base.webhook', 2, webhook, { webhookId: path }),
				node('Items', 'CUSTOM.benchItems', 1, items),
				worker,
			]),
		);
		await this.#client.publishWorkflow(id);
	}

	async #call(path: string, first: number, count: number): Promise<WorkflowRun> {
		const deadline = performance.now() + SECONDS_UNTIL_REGISTERED * 1000;
		for (;;) {
			const startedAt = performance.now();
			// axios has no limit of its own for how long an answer may take; fetch has one of five minutes.
			const { status, data } = await axios.post<unknown>(
				`${this.#url}/webhook/${path}`,
				{ first, count },
				{ proxy: false, timeout: MINUTES_FOR_A_RUN * 60_000, validateStatus: () => true },
			);
			const isRegistered = status !== NOT_FOUND;
			if (isRegistered || performance.now() > deadline) {
				return readAnswer(status, data, performance.now() - startedAt);
			}
			// n8n listens to a webhook some time after it says that the workflow is published.
			await sleep(SECONDS_BETWEEN_CALLS * 1000);
		}
	}
}
