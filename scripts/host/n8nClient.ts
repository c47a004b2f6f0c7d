// Does through n8n's REST interface what a user does in the editor: sets up the owner, logs in, saves
// credentials and workflows, runs and publishes workflows, reads executions.
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExecutionResult, readExecution } from './executionData';
import type { Account } from './userFolder';

const SECONDS_FOR_A_REQUEST = 60;
const SECONDS_BETWEEN_LOOKS = 0.3;
const SECONDS_FOR_A_PUBLICATION = 60;
const SECONDS_BETWEEN_LOOKS_AT_A_PUBLICATION = 0.05;
const UNFINISHED = ['new', 'running', 'waiting', 'unknown'];

/** A node of a workflow, as far as it matters here. */
export interface WorkflowNode {
	name: string;
	type: string;
	credentials?: Record<string, { id: string | null; name: string }>;
	[field: string]: unknown;
}

/** A workflow as it is exported from and imported into the editor. */
export interface Workflow {
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
}

/** A workflow that n8n has saved. */
export interface SavedWorkflow extends Workflow {
	id: string;
	versionId?: string;
}

/** A credential with its secrets, to be saved. */
export interface Credential {
	name: string;
	/** The credential type, e.g. `businessDataApi`. */
	type: string;
	data: Record<string, unknown>;
}

/** An execution in the list of executions. */
export interface ExecutionListing {
	id: string;
	status: string;
	mode: string;
	workflowId: string;
}

/** A node type as the editor gets it, as far as it matters here. */
export interface NodeType {
	/** With its package, e.g. `n8n-nodes-business-data.businessData`. */
	name: string;
	/** The addresses of its icons below n8n's own, for the light and for the dark theme. */
	iconUrl: { light: string; dark: string };
	codex?: { categories?: string[] };
}

/** How far n8n has come with publishing a workflow, or with taking it back. */
interface Publication {
	status: 'in_progress' | 'not_published' | 'published' | 'partial' | 'failed';
	triggers: { errorMessage: string | null }[];
}

/** An answer of n8n that says that something went wrong. */
export class N8nAnswerError extends Error {
	constructor(
		request: string,
		readonly status: number,
		answer: string,
	) {
		super(`n8n answered ${request} with ${status}: ${answer.slice(0, 500)}`);
	}
}

/** n8n 1.x saves the end of an execution a moment before what its nodes have done. */
function isSaved({ status, nodes, error }: ExecutionResult): boolean {
	return !['success', 'error'].includes(status) || nodes.length > 0 || error !== undefined;
}

/** One user of a running n8n. Every method throws an `N8nAnswerError` when n8n refuses. */
export class N8nClient {
	readonly #url: string;
	#cookie = '';

	/** @param url Where n8n is reached, e.g. `http://127.0.0.1:5678`. */
	constructor(url: string) {
		this.#url = url;
	}

	/** Makes the owner account of a new instance, or logs in where it was made before. */
	async logInAsOwner(owner: Account): Promise<void> {
		const settings = await this.#request<{ userManagement: { showSetupOnFirstLoad?: boolean } }>(
			'GET',
			'/rest/settings',
		);
		if (settings.userManagement.showSetupOnFirstLoad === true) {
			await this.#request('POST', '/rest/owner/setup', owner);
			return;
		}
		const { email, password } = owner;
		// n8n 1.x before 1.97 calls the address `email`.
		await this.#request('POST', '/rest/login', { emailOrLdapLoginId: email, email, password });
	}

	/** Saves a credential; one of the same name and type is replaced. Returns its id. */
	async saveCredential(credential: Credential): Promise<string> {
		const saved = await this.#request<{ id: string; name: string; type: string }[]>(
			'GET',
			'/rest/credentials',
		);
		const existing = saved.find(
			({ name, type }) => name === credential.name && type === credential.type,
		);
		if (existing !== undefined) {
			await this.#request('PATCH', `/rest/credentials/${existing.id}`, credential);
			return existing.id;
		}
		const { id } = await this.#request<{ id: string }>('POST', '/rest/credentials', credential);
		return id;
	}

	/** Tests a saved credential, as the editor's button does. */
	async testCredential(credentialId: string): Promise<{ status: 'OK' | 'Error'; message: string }> {
		const path = `/rest/credentials/${credentialId}?includeData=true`;
		const { id, name, type, data } = await this.#request<Credential & { id: string }>('GET', path);
		return await this.#request('POST', '/rest/credentials/test', {
			credentials: { id, name, type, data },
		});
	}

	/** The node types of a package, tools included. */
	async readNodeTypes(packageName: string): Promise<NodeType[]> {
		const all = (await this.#send('GET', '/types/nodes.json')) as NodeType[];
		return all.filter(({ name }) => name.startsWith(`${packageName}.`));
	}

	/** Saves a workflow; one of the same name is replaced. */
	async saveWorkflow(workflow: Workflow): Promise<SavedWorkflow> {
		const saved = await this.#request<{ id: string; name: string }[]>('GET', '/rest/workflows');
		const existing = saved.find(({ name }) => name === workflow.name);
		if (existing === undefined) {
			// n8n 1.x does not make it inactive by itself.
			return await this.#request('POST', '/rest/workflows', { ...workflow, active: false });
		}
		return await this.#request('PATCH', `/rest/workflows/${existing.id}`, workflow);
	}

	/** A saved workflow. */
	async readWorkflow(workflowId: string): Promise<SavedWorkflow> {
		return await this.#request('GET', `/rest/workflows/${workflowId}`);
	}

	/**
	 * Runs a workflow by hand, as the editor's button does.
	 *
	 * @param triggerName The trigger node to start from.
	 * @param items What the trigger gives out, where it cannot know by itself: a chat's message.
	 * @returns The id of the execution, which has only begun.
	 */
	async startWorkflow(
		workflow: SavedWorkflow,
		triggerName: string,
		items?: unknown[],
	): Promise<string> {
		const main = items && [items.map((json) => ({ json }))];
		const { executionId } = await this.#request<{ executionId?: string }>(
			'POST',
			`/rest/workflows/${workflow.id}/run`,
			{
				// n8n 1.x takes the workflow from the request, n8n 2.x from its database.
				workflowData: workflow,
				triggerToStartFrom: { name: triggerName, ...(main && { data: { data: { main } } }) },
			},
		);
		if (executionId === undefined) {
			throw new Error(
				`n8n did not run the workflow ${workflow.name}: it waits for a webhook call.`,
			);
		}
		return executionId;
	}

	/**
	 * Waits until an execution has ended.
	 *
	 * @param seconds How long to wait at most.
	 * @param isAwaited Tells by n8n's word for its status whether it has come as far as it should.
	 * @throws When it has not by then; it goes on all the same.
	 */
	async waitForExecution(
		executionId: string,
		seconds = 600,
		isAwaited = (status: string) => !UNFINISHED.includes(status),
	): Promise<ExecutionResult> {
		const deadline = performance.now() + seconds * 1000;
		for (;;) {
			const execution = await this.#request<{ id: string; status: string; data: string }>(
				'GET',
				`/rest/executions/${executionId}`,
			);
			if (isAwaited(execution.status)) {
				const result = readExecution(execution);
				if (isSaved(result)) return result;
			}
			if (performance.now() > deadline) {
				throw new Error(
					`Execution ${executionId} was still ${execution.status} after ${seconds} s.`,
				);
			}
			await sleep(SECONDS_BETWEEN_LOOKS * 1000);
		}
	}

	/** Runs a workflow by hand and waits for its end, `seconds` at most. */
	async runWorkflow(
		workflow: SavedWorkflow,
		triggerName: string,
		seconds?: number,
	): Promise<ExecutionResult> {
		return await this.waitForExecution(await this.startWorkflow(workflow, triggerName), seconds);
	}

	/**
	 * Publishes a workflow, so that its triggers run by themselves, and waits until they do.
	 *
	 * @throws Also when one of them cannot be started.
	 */
	async publishWorkflow(workflowId: string): Promise<void> {
		const { versionId } = await this.readWorkflow(workflowId);
		const path = `/rest/workflows/${workflowId}`;
		try {
			await this.#request('POST', `${path}/activate`, { versionId });
		} catch (error) {
			// n8n 1.x has a switch in place of published versions.
			if (!(error instanceof N8nAnswerError && error.status === 404)) throw error;
			await this.#request('PATCH', path, { active: true, versionId });
		}
		await this.#waitForPublication(workflowId);
	}

	/** Takes a workflow's triggers out of service, so that it runs by hand only. */
	async unpublishWorkflow(workflowId: string): Promise<void> {
		const path = `/rest/workflows/${workflowId}`;
		try {
			await this.#request('POST', `${path}/deactivate`, {});
		} catch (error) {
			// As above.
			if (!(error instanceof N8nAnswerError && error.status === 404)) throw error;
			await this.#request('PATCH', path, { active: false });
		}
		await this.#waitForPublication(workflowId);
	}

	/** Retries a failed execution with the workflow as it was then. Returns the id of the new one, which has ended. */
	async retryExecution(executionId: string): Promise<string> {
		const { id } = await this.#request<{ id: string }>(
			'POST',
			`/rest/executions/${executionId}/retry`,
			{ loadWorkflow: false },
		);
		return id;
	}

	/** The node types that this n8n has, each as `name@version`. */
	async listNodeTypes(): Promise<string[]> {
		return (await this.#send('GET', '/types/node-versions.json')) as string[];
	}

	/** The latest executions of a workflow, newest first. */
	async listExecutions(workflowId: string, limit = 100): Promise<ExecutionListing[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await this.#request<{ results: ExecutionListing[] }>(
			'GET',
			`/rest/executions?filter=${filter}&limit=${limit}`,
		);
		return results;
	}

	/** Newer versions of n8n answer a publication at once and start or end the triggers after that. */
	async #waitForPublication(workflowId: string): Promise<void> {
		const deadline = performance.now() + SECONDS_FOR_A_PUBLICATION * 1000;
		for (;;) {
			const { status, triggers } = await this.#readPublication(workflowId);
			if (status === 'published' || status === 'not_published') return;
			if (status !== 'in_progress' || performance.now() > deadline) {
				const errors = triggers.flatMap(({ errorMessage }) => errorMessage ?? []);
				throw new Error(`The publication is ${status}: ${errors.join(', ')}`);
			}
			await sleep(SECONDS_BETWEEN_LOOKS_AT_A_PUBLICATION * 1000);
		}
	}

	async #readPublication(workflowId: string): Promise<Publication> {
		try {
			return await this.#request('GET', `/rest/workflows/${workflowId}/publication-status`);
		} catch (error) {
			if (!(error instanceof N8nAnswerError && error.status === 404)) throw error;
			// This n8n has done it before it answered.
			return { status: 'published', triggers: [] };
		}
	}

	async #request<Result>(method: string, path: string, body?: unknown): Promise<Result> {
		return ((await this.#send(method, path, body)) as { data: Result }).data;
	}

	async #send(method: string, path: string, body?: unknown): Promise<unknown> {
		const response = await fetch(`${this.#url}${path}`, {
			method,
			headers: {
				...(this.#cookie === '' ? {} : { cookie: this.#cookie }),
				...(body === undefined ? {} : { 'content-type': 'application/json' }),
			},
			body: body === undefined ? undefined : JSON.stringify(body),
			signal: AbortSignal.timeout(SECONDS_FOR_A_REQUEST * 1000),
		});
		const text = await response.text();
		if (!response.ok) throw new N8nAnswerError(`${method} ${path}`, response.status, text);
		const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
		if (cookies.length > 0) this.#cookie = cookies.join('; ');
		return JSON.parse(text) as unknown;
	}
}
