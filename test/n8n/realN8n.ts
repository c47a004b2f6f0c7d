// A real n8n with the packed node, next to a sandbox with limits that no test reaches, and the actions of a user in
// it.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import type { LimitTable } from '../../sandbox/limits';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/server';
import type { Cleanup } from '../../scripts/cleanup';
import type { ExecutionResult } from '../../scripts/host/executionData';
import { startProgram } from '../../scripts/host/childProcesses';
import type { HostName } from '../../scripts/host/hosts';
import { type Installation, N8nInstance, prepareN8n } from '../../scripts/host/n8nInstance';
import type { SavedWorkflow, Workflow, WorkflowNode } from '../../scripts/host/n8nTypes';
import type { Account } from '../../scripts/host/userFolder';
import type { ChatModel } from '../support/chatModel';
import { credentialFor } from '../support/scaledLimits';
import { waitUntil } from '../support/waitUntil';
import { postOnce } from './workflows';

const CREDENTIAL_TYPE = 'businessDataApi';
const CREDENTIAL_NAME = 'Business Data';
const SECONDS_FOR_AN_EXECUTION = 600;
/** For tests of the editor, or of the node types that n8n gives it. Without it, n8n starts faster. */
export const WITH_EDITOR = { N8N_DISABLE_UI: 'false' };
/** For tests with a Code node, or of how n8n stops. Without its task runner, n8n starts faster. */
export const WITH_TASK_RUNNER = { N8N_RUNNERS_MODE: 'internal' };
const GENEROUS_LIMITS = { general: [{ max: 1_000, windowSeconds: 1 }], endpoints: {} };

/** Opens n8n's SQLite database, the argument of the script, as `database`. */
const OPEN_DATABASE = `
	const { DatabaseSync } = require('node:sqlite');
	const database = new DatabaseSync(process.argv[1], { timeout: 5000 });`;

export class RealN8n extends N8nInstance {
	/** The IDs of workflows. */
	private readonly published = new Set<string>();
	/** Of the credential for the sandbox. */
	credentialId = '';

	private constructor(
		installation: Installation,
		environment: Record<string, string>,
		readonly sandbox: Sandbox,
	) {
		super(installation, environment);
	}

	/**
	 * Starts the sandbox and an n8n in a new folder, with the node from its tarball.
	 * @param cleanup stops everything again, even if the start fails
	 * @param environment settings of n8n in addition to those of all tests
	 * @param options of the sandbox, in addition to its limits
	 */
	static async start(
		version: HostName,
		cleanup: Cleanup,
		environment: Record<string, string> = {},
		options: SandboxOptions = {},
	): Promise<RealN8n> {
		const installation = await prepareN8n(cleanup, version);
		const sandbox = await startSandbox({
			contactCount: 12,
			limits: GENEROUS_LIMITS,
			...options,
		});
		cleanup.add(() => sandbox.stop());
		const real = new RealN8n(installation, environment, sandbox);
		cleanup.add(() => real.end());
		await real.startAgain();
		real.credentialId = await real.saveCredentialFor(CREDENTIAL_NAME, sandbox);
		return real;
	}

	/** The account of the user who signs in to the editor. */
	get owner(): Account {
		return this.userFolder.owner;
	}

	/** Saves a credential for a sandbox, by default with limits that no test reaches. Returns its ID. */
	async saveCredentialFor(
		name: string,
		sandbox: { baseUrl: string; apiKey: string },
		limits: LimitTable = GENEROUS_LIMITS,
	): Promise<string> {
		const data = credentialFor(sandbox, limits);
		return await this.client.saveCredential({ name, type: CREDENTIAL_TYPE, data });
	}

	/** Saves the credential for a chat model, by its type. */
	async saveModel({ account: data }: ChatModel, name: string): Promise<{ openAiApi: string }> {
		return { openAiApi: await this.client.saveCredential({ name, type: 'openAiApi', data }) };
	}

	/**
	 * Saves a workflow, with a credential in every node that needs one.
	 * @param credentialIds by credential type; the default is the credential for the sandbox
	 */
	async save(
		workflow: Workflow,
		credentialIds: Record<string, string> = {},
	): Promise<SavedWorkflow> {
		const ids: Record<string, string> = { [CREDENTIAL_TYPE]: this.credentialId, ...credentialIds };
		const nodes = workflow.nodes.map((node): WorkflowNode => {
			if (node.credentials === undefined) return node;
			const chosen = Object.entries(node.credentials).map(
				([type, { name }]) => [type, { id: ids[type] ?? null, name }] as const,
			);
			return { ...node, credentials: Object.fromEntries(chosen) };
		});
		return await this.client.saveWorkflow({ ...workflow, nodes });
	}

	/** Saves a workflow in the same way and publishes it until the end of the test. */
	async publish(...workflow: Parameters<RealN8n['save']>): Promise<SavedWorkflow> {
		const saved = await this.save(...workflow);
		await this.client.publishWorkflow(saved.id);
		this.published.add(saved.id);
		return saved;
	}

	async unpublishAll(): Promise<void> {
		for (const id of this.published) await this.client.unpublishWorkflow(id);
		this.published.clear();
	}

	/** Runs a workflow and expects success. Returns a function that returns the items of a node. */
	async run(workflow: SavedWorkflow, start = 'Start'): Promise<(node: string) => unknown[]> {
		const result = await this.client.runWorkflow(workflow, start);
		expect(result).toMatchObject({ status: 'success' });
		return (node) => itemsOf(result, node);
	}

	/** Calls the webhook of a published workflow, as another program does. */
	async callWebhook(path: string, body: unknown): Promise<void> {
		const response = await postOnce(`${this.url}/webhook/${path}`, body);
		const serviceResponse = await response.text();
		if (!response.ok)
			throw new Error(`The webhook answered ${response.status}: ${serviceResponse}`);
	}

	/** The rows that n8n's database returns for a query. */
	readDatabase(query: string): unknown[] {
		return JSON.parse(
			this.withDatabase(
				`console.log(JSON.stringify(database.prepare(${JSON.stringify(query)}).all()))`,
			),
		) as unknown[];
	}

	/** Makes n8n take about half a second to save static data. Returns the function that ends this. */
	slowDownStaticData(): () => void {
		const numbers = `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000000)`;
		const change = (statement: string) => {
			this.withDatabase(`database.exec(${JSON.stringify(statement)})`);
		};
		change(
			`CREATE TRIGGER slow BEFORE UPDATE OF staticData ON workflow_entity BEGIN SELECT (${numbers} SELECT count(*) FROM numbers); END`,
		);
		return () => change('DROP TRIGGER slow');
	}

	/** Runs a script with the database. Returns what it prints. */
	private withDatabase(script: string): string {
		const { nodePath, environment } = this.host;
		return execFileSync(nodePath, ['-e', OPEN_DATABASE + script, this.databaseFile], {
			env: environment,
			encoding: 'utf8',
			stdio: ['ignore', 'pipe', 'ignore'],
		});
	}

	/** Locks n8n's SQLite database against writes. Returns the function that unlocks it. */
	async lockDatabase(): Promise<() => Promise<void>> {
		const lock = `
			database.exec('BEGIN IMMEDIATE');
			console.log('locked');
			process.stdin.on('end', () => database.exec('ROLLBACK')).resume();`;
		const { nodePath, environment } = this.host;
		const code = OPEN_DATABASE + lock;
		const { child, ended } = startProgram(nodePath, ['-e', code, this.databaseFile], {
			env: environment,
			stdio: ['pipe', 'pipe', 'ignore'],
		});
		if (child.stdout !== null) await once(child.stdout, 'data');
		return async () => {
			child.stdin?.end();
			await ended;
		};
	}

	private get databaseFile(): string {
		return join(this.userFolder.path, '.n8n', 'database.sqlite');
	}

	/** The text of a file that n8n serves without a login, such as a node's icon. */
	async readFile(path: string): Promise<string> {
		const response = await fetch(`${this.url}/${path}`);
		if (!response.ok) throw new Error(`n8n responded to ${path} with ${response.status}`);
		return await response.text();
	}

	/** Waits for the `count`th execution of a workflow to end. */
	async resultOfExecution(count: number, workflowId: string): Promise<ExecutionResult> {
		const list = async () => await this.client.listExecutions(workflowId);
		await waitUntil(async () => (await list()).length >= count, SECONDS_FOR_AN_EXECUTION * 1000);
		const executions = await list();
		expect(executions).toHaveLength(count);
		const newest = executions[0]?.id ?? '';
		return await this.client.waitForExecution(newest);
	}
}

/** The output items of a node in an execution; empty if it did not run. */
export function itemsOf(result: ExecutionResult, node: string): unknown[] {
	return result.nodes.find(({ name }) => name === node)?.items ?? [];
}
