// A client for the REST API of n8n's editor: it sets up the owner, logs in, saves credentials and workflows, runs and
// publishes workflows, and reads executions.
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExecutionResult, readExecution } from './executionData';
import { N8nConnection, N8nResponseError } from './n8nConnection';
import { publish, unpublish } from './n8nPublication';
import type {
	Credential,
	ExecutionListing,
	MigrationReport,
	NodeType,
	SavedWorkflow,
	Workflow,
} from './n8nTypes';
import type { Account } from './userFolder';

const SECONDS_BETWEEN_CHECKS = 0.3;
/** Many times what an execution takes, even on a busy machine. */
const SECONDS_FOR_AN_EXECUTION = 600;
const UNFINISHED = ['new', 'running', 'waiting', 'unknown'];
const STATUSES = [...UNFINISHED, 'canceled', 'crashed', 'error', 'success'];

/** n8n 1.x saves the end of an execution a moment before the results of its nodes. */
function isSaved({ status, nodes, error }: ExecutionResult): boolean {
	if (!['success', 'error'].includes(status) || error !== undefined) return true;
	// Until then, a parked execution has the results from when it was parked.
	return nodes.length > 0 && nodes.every((node) => node.status !== 'waiting');
}

/** One user of a running n8n. Every method throws an `N8nResponseError` if n8n responds with an error. */
export class N8nClient {
	private readonly connection: N8nConnection;

	/** @param url The address of n8n, e.g. `http://127.0.0.1:5678`. */
	constructor(private readonly url: string) {
		this.connection = new N8nConnection(url);
	}

	/** Logs in as the owner, or creates the owner account of a new instance. */
	async logInAsOwner(owner: Account): Promise<void> {
		const { email, password } = owner;
		try {
			// n8n 1.x before 1.97 calls the address `email`.
			const account = { emailOrLdapLoginId: email, email, password };
			await this.connection.request('POST', '/rest/login', account);
		} catch (error) {
			if (!(error instanceof N8nResponseError) || error.status !== 401) throw error;
			// If that fails, there is an owner with another password.
			await this.connection.request('POST', '/rest/owner/setup', owner).catch(() => {
				throw error;
			});
		}
	}

	/** Adds another user. Returns a client that is logged in as this user. */
	async addUser(account: Account): Promise<N8nClient> {
		const [invited] = await this.connection.request<Array<{ user: { inviteAcceptUrl: string } }>>(
			'POST',
			'/rest/invitations',
			[{ email: account.email, role: 'global:member' }],
		);
		// n8n 2.x names a token, n8n 1.x both users.
		const { searchParams } = new URL(invited?.user.inviteAcceptUrl ?? '');
		const invitee = searchParams.has('token') ? '' : `/${searchParams.get('inviteeId')}`;
		const user = new N8nClient(this.url);
		await user.connection.request('POST', `/rest/invitations${invitee}/accept`, {
			...account,
			...Object.fromEntries(searchParams),
		});
		return user;
	}

	/** Moves a workflow or a credential to the personal project of a user. */
	async moveTo(user: N8nClient, what: 'workflows' | 'credentials', id: string): Promise<void> {
		const project = await user.connection.request<{ id: string }>('GET', '/rest/projects/personal');
		const destinationProjectId = project.id;
		await this.connection.request('PUT', `/rest/${what}/${id}/transfer`, { destinationProjectId });
	}

	/** Saves a credential. Replaces one of the same name and type. Returns its ID. */
	async saveCredential(credential: Credential): Promise<string> {
		const saved = await this.connection.request<{ id: string; name: string; type: string }[]>(
			'GET',
			'/rest/credentials',
		);
		const existing = saved.find(
			({ name, type }) => name === credential.name && type === credential.type,
		);
		if (existing !== undefined) {
			await this.connection.request('PATCH', `/rest/credentials/${existing.id}`, credential);
			return existing.id;
		}
		const { id } = await this.connection.request<{ id: string }>(
			'POST',
			'/rest/credentials',
			credential,
		);
		return id;
	}

	/** Tests a saved credential, like the button in the editor. */
	async testCredential(credentialId: string): Promise<{ status: 'OK' | 'Error'; message: string }> {
		const path = `/rest/credentials/${credentialId}?includeData=true`;
		const { id, name, type, data } = await this.connection.request<Credential & { id: string }>(
			'GET',
			path,
		);
		return await this.connection.request('POST', '/rest/credentials/test', {
			credentials: { id, name, type, data },
		});
	}

	/** All versions of all node types of this n8n, including tools. */
	async readNodeTypes(): Promise<NodeType[]> {
		return (await this.connection.send('GET', '/types/nodes.json')) as NodeType[];
	}

	/** n8n's report on what a major version such as `v3` will change for its workflows and settings. */
	async readMigrationReport(version: string): Promise<MigrationReport> {
		const path = `/rest/breaking-changes/report/refresh?version=${version}`;
		const response = await this.connection.request<{ report: MigrationReport }>('POST', path);
		return response.report;
	}

	/** Saves a workflow. Replaces one of the same name. */
	async saveWorkflow(workflow: Workflow): Promise<SavedWorkflow> {
		const saved = await this.connection.request<{ id: string; name: string }[]>(
			'GET',
			'/rest/workflows',
		);
		const existing = saved.find(({ name }) => name === workflow.name);
		if (existing === undefined) {
			// n8n 1.x needs this explicitly.
			return await this.connection.request('POST', '/rest/workflows', {
				...workflow,
				active: false,
			});
		}
		return await this.connection.request('PATCH', `/rest/workflows/${existing.id}`, workflow);
	}

	async readWorkflow(workflowId: string): Promise<SavedWorkflow> {
		return await this.connection.request('GET', `/rest/workflows/${workflowId}`);
	}

	/**
	 * Starts a manual run of a workflow, like the button in the editor.
	 *
	 * @param triggerName The trigger node to start from.
	 * @param items The output of the trigger, if it needs outside input such as a chat message.
	 * @returns The ID of the execution, which has only begun.
	 */
	async startWorkflow(
		workflow: SavedWorkflow,
		triggerName: string,
		items?: unknown[],
	): Promise<string> {
		const main = items && [items.map((json) => ({ json }))];
		const { executionId } = await this.connection.request<{ executionId?: string }>(
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
	 * @param isAwaited Decides by n8n's status when to stop waiting; by default at the end.
	 * @throws If that takes more than ten minutes. The execution continues.
	 */
	async waitForExecution(
		executionId: string,
		isAwaited = (status: string) => !UNFINISHED.includes(status),
	): Promise<ExecutionResult> {
		const deadline = performance.now() + SECONDS_FOR_AN_EXECUTION * 1000;
		for (;;) {
			const execution = await this.connection.request<{
				id: string;
				status: string;
				data: string;
			}>('GET', `/rest/executions/${executionId}`);
			if (isAwaited(execution.status)) {
				const result = await readExecution(execution);
				if (isSaved(result)) return result;
			}
			if (performance.now() > deadline) {
				throw new Error(
					`Execution ${executionId} was still ${execution.status} after ${SECONDS_FOR_AN_EXECUTION} s.`,
				);
			}
			await sleep(SECONDS_BETWEEN_CHECKS * 1000);
		}
	}

	/** Runs a workflow manually and waits for its end. */
	async runWorkflow(workflow: SavedWorkflow, triggerName: string): Promise<ExecutionResult> {
		return await this.waitForExecution(await this.startWorkflow(workflow, triggerName));
	}

	/**
	 * Publishes a workflow and waits until its triggers are active.
	 *
	 * @throws Also if one of them cannot be activated.
	 */
	async publishWorkflow(workflowId: string): Promise<void> {
		const { versionId } = await this.readWorkflow(workflowId);
		await publish(this.connection, workflowId, versionId);
	}

	/** Deactivates the triggers of a workflow. */
	async unpublishWorkflow(workflowId: string): Promise<void> {
		await unpublish(this.connection, workflowId);
	}

	/** Retries a failed execution with its original workflow. Returns the ID of the new execution, which has ended. */
	async retryExecution(executionId: string): Promise<string> {
		const { id } = await this.connection.request<{ id: string }>(
			'POST',
			`/rest/executions/${executionId}/retry`,
			{ loadWorkflow: false },
		);
		return id;
	}

	/** The latest executions of a workflow, newest first. */
	async listExecutions(workflowId: string, limit = 100): Promise<ExecutionListing[]> {
		// Without statuses, n8n queries unfinished and finished executions separately, and misses one that ends in between.
		const filter = encodeURIComponent(JSON.stringify({ workflowId, status: STATUSES }));
		const { results } = await this.connection.request<{ results: ExecutionListing[] }>(
			'GET',
			`/rest/executions?filter=${filter}&limit=${limit}`,
		);
		return results;
	}
}
