/**
 * n8n's real engine with the built package: loaded by n8n-core's loader, run by its WorkflowExecute, over
 * real HTTP. Only the database and the editor are missing.
 */
import 'reflect-metadata';

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';

// n8n-core reads these while it is loaded.
const userFolder = mkdtempSync(join(tmpdir(), 'n8n-engine-'));
process.env.N8N_USER_FOLDER = userFolder;
process.env.N8N_ENCRYPTION_KEY = 'engine-tests-only';

import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import {
	BinaryDataConfig,
	BinaryDataService,
	CredentialTestContext,
	ExecutionLifecycleHooks,
	PackageDirectoryLoader,
	PollContext,
	WorkflowExecute,
} from 'n8n-core';
import {
	createRunExecutionData,
	type RelatedExecution,
	type ICredentialDataDecryptedObject,
	type IDataObject,
	type INode,
	type INodeCredentialTestResult,
	type INodeExecutionData,
	type INodeType,
	type INodeTypes,
	type IPollFunctions,
	type IRun,
	type ITaskData,
	type IWorkflowExecuteAdditionalData,
	LoggerProxy,
	Workflow,
} from 'n8n-workflow';

import { CredentialsHelper } from './credentialsHelper';
import {
	CREDENTIAL_TYPE,
	ITEMS_TYPE,
	itemsNode,
	nodeOf,
	PACKAGE_NAME,
	TRIGGER_TYPE,
	type WorkflowJson,
} from './engineWorkflow';
import { AGENT_TYPE, agentNode, asTool, TOOL_TYPE } from './toolWorkflow';

const PACKAGE_FOLDER = join(__dirname, '../..');
const triggerNode = nodeOf('Trigger', TRIGGER_TYPE, {}, { id: 'trigger' });
/** Gives every trigger its own workflow. */
let triggerCount = 0;

let loaded: Promise<Engine> | undefined;

export type EngineRun = ReturnType<typeof readRun>;

/** The set-up of a trigger besides its parameters. */
export interface TriggerSetup {
	mode?: 'manual' | 'trigger';
	/** Its state as saved by n8n. */
	staticData?: IDataObject;
	settings?: Partial<INode>;
}

export class Engine {
	/** The ID of the executions from now on. */
	executionId = 'execution';
	/** The caller of the executions from now on. */
	parentExecution: RelatedExecution | undefined;

	private constructor(
		readonly loader: PackageDirectoryLoader,
		/** Everything that n8n logged. */
		readonly log: string[],
	) {}

	/** The one engine of a test file. */
	static async load(): Promise<Engine> {
		return await (loaded ??= Engine.make());
	}

	private static async make(): Promise<Engine> {
		const log: string[] = [];
		// Not as JSON, which would leave out most of an error.
		const record = (...parts: unknown[]) =>
			log.push(inspect(parts, { depth: null, showHidden: true, maxStringLength: null }));
		const logger = { error: record, warn: record, info: record, debug: record };
		LoggerProxy.init(logger);
		Container.set(Logger, { ...logger, scoped: () => logger } as unknown as Logger);
		// Its other dependencies are only for files on disk.
		const binaryData = Reflect.construct(BinaryDataService, [
			Container.get(BinaryDataConfig),
		]) as BinaryDataService;
		Container.set(BinaryDataService, binaryData);
		const loader = new PackageDirectoryLoader(PACKAGE_FOLDER);
		await loader.loadAll();
		// n8n has read all it needs by now.
		rmSync(userFolder, { recursive: true, force: true });
		return new Engine(loader, log);
	}

	nodeType(): INodeType {
		return this.loader.getNode('businessData').type as INodeType;
	}

	/** Presses the Test button of a credential. */
	async testCredential(data: ICredentialDataDecryptedObject): Promise<INodeCredentialTestResult> {
		const test = this.nodeType().methods?.credentialTest?.testCredential;
		if (test === undefined) throw new Error('The node tests no credential');
		const credential = { id: 'key', name: 'key', type: CREDENTIAL_TYPE, data };
		return await test.call(new CredentialTestContext({} as never), credential);
	}

	/** Starts a workflow at its node `Start`; the result can be awaited or canceled. */
	start(
		workflowJson: WorkflowJson,
		credentials: Record<string, ICredentialDataDecryptedObject>,
		mode: 'manual' | 'trigger' = 'trigger',
	) {
		const { id = 'workflow' } = workflowJson;
		const workflow = new Workflow({
			id,
			name: 'workflow',
			nodes: workflowJson.nodes,
			connections: workflowJson.connections,
			active: false,
			nodeTypes: this.nodeTypes(),
			settings: { executionOrder: 'v1', ...workflowJson.settings },
		});
		const hooks = new ExecutionLifecycleHooks(mode, this.executionId, {
			name: 'workflow',
			active: false,
			activeVersionId: null,
			isArchived: false,
			createdAt: new Date(),
			updatedAt: new Date(),
			...workflowJson,
			id,
		});
		hooks.addHandler('workflowExecuteBefore', (_, data) => {
			if (data !== undefined) data.parentExecution = this.parentExecution;
		});
		const additionalData = { ...this.additionalData(credentials), hooks };
		const execute = new WorkflowExecute(additionalData, mode, createRunExecutionData({}));
		const startNode = workflow.getNode('Start') ?? undefined;
		return runFrom(execute, workflow, startNode);
	}

	/** Runs a workflow to its end. */
	async run(...args: Parameters<Engine['start']>): Promise<EngineRun> {
		return readRun(await this.start(...args));
	}

	/**
	 * A published trigger: each `poll` returns the emitted items, and `staticData` has what n8n would save.
	 * `poll` takes overrides of n8n's context, which stay in place.
	 */
	trigger(
		parameters: INode['parameters'],
		credentials: Record<string, ICredentialDataDecryptedObject>,
		{ mode = 'trigger', staticData = {}, settings = {} }: TriggerSetup = {},
	) {
		const node = { ...triggerNode, parameters, ...settings };
		const nodeTypes = this.nodeTypes();
		const workflow = new Workflow({
			id: `workflow-${++triggerCount}`,
			nodes: [node],
			connections: {},
			active: true,
			nodeTypes,
			staticData,
		});
		const nodeType = nodeTypes.getByNameAndVersion(TRIGGER_TYPE);
		const additionalData = this.additionalData(credentials);
		const published = workflow.getNode(node.name) ?? node;
		const context = new PollContext(workflow, published, additionalData, mode, 'activate');
		return {
			context,
			workflow,
			staticData,
			poll: async (
				instead: Partial<IPollFunctions> = {},
			): Promise<Array<INodeExecutionData['json']>> => {
				Object.assign(context, instead);
				const output = await nodeType.poll?.call(context);
				// n8n starts the workflow with any output but null, even without items.
				if (output?.[0]?.length === 0)
					throw new Error('A poll without items would start the workflow');
				return (output?.[0] ?? []).map(({ json }) => json);
			},
		};
	}

	private additionalData(
		credentials: Record<string, ICredentialDataDecryptedObject>,
	): IWorkflowExecuteAdditionalData {
		return {
			credentialsHelper: new CredentialsHelper(this.loader, credentials),
			executionId: this.executionId,
			currentNodeExecutionIndex: 0,
			formWaitingBaseUrl: 'http://localhost/form',
			webhookWaitingBaseUrl: 'http://localhost/webhook',
			variables: {},
			logAiEvent: () => undefined,
			setExecutionStatus: () => undefined,
		} as unknown as IWorkflowExecuteAdditionalData;
	}

	private nodeTypes(): INodeTypes {
		const byName = (name: string): INodeType => {
			if (name === ITEMS_TYPE) return itemsNode;
			if (name === AGENT_TYPE) return agentNode;
			if (name === TOOL_TYPE) return asTool(this.nodeType());
			return this.loader.getNode(name.replace(`${PACKAGE_NAME}.`, '')).type as INodeType;
		};
		return {
			getByName: byName,
			getByNameAndVersion: byName,
			getKnownTypes: () => ({}),
		};
	}
}

interface WorkflowExecuteOfN8n1 {
	run(workflow: Workflow, startNode?: INode): ReturnType<WorkflowExecute['run']>;
}

/** n8n 2.x takes one object, n8n 1.x a list of arguments. */
function runFrom(execute: WorkflowExecute, workflow: Workflow, startNode?: INode) {
	if (execute.run.length === 1) return execute.run({ workflow, startNode });
	return (execute as unknown as WorkflowExecuteOfN8n1).run(workflow, startNode);
}

/** The outcome of a run. */
export function readRun(run: IRun) {
	/** The task data of a node. @throws if it did not run */
	const task = (nodeName: string): ITaskData => {
		const found = run.data.resultData.runData[nodeName]?.at(-1);
		if (found === undefined) throw new Error(`${nodeName} did not run`);
		return found;
	};
	/** The items of a node's output. */
	const items = (nodeName: string, output = 0) => task(nodeName).data?.main?.[output] ?? [];
	/** The items' `json` alone. */
	const json = (nodeName: string, output = 0) =>
		items(nodeName, output).map((item: INodeExecutionData) => item.json);
	/** The duration of the run (ms). */
	const ms = Number(run.stoppedAt) - Number(run.startedAt);
	return { run, ms, task, items, json };
}
