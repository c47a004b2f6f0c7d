/**
 * n8n's real engine with the built package: loaded by n8n-core's loader, run by its WorkflowExecute, over
 * real HTTP. Only the database and the editor are missing.
 */
import 'reflect-metadata';

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';

// n8n-core reads these while it is loaded.
process.env.N8N_USER_FOLDER = mkdtempSync(join(tmpdir(), 'n8n-engine-'));
process.env.N8N_ENCRYPTION_KEY = 'engine-tests-only';

import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import {
	BinaryDataConfig,
	BinaryDataService,
	ExecutionLifecycleHooks,
	PackageDirectoryLoader,
	PollContext,
	WorkflowExecute,
} from 'n8n-core';
import {
	createRunExecutionData,
	type ICredentialDataDecryptedObject,
	ICredentialsHelper,
	type IDataObject,
	type IHttpRequestOptions,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type INodeTypes,
	type IRun,
	type ITaskData,
	type IWorkflowExecuteAdditionalData,
	LoggerProxy,
	NodeConnectionTypes,
	Workflow,
} from 'n8n-workflow';

const PACKAGE_FOLDER = join(__dirname, '../..');
const PACKAGE_NAME = 'n8n-nodes-business-data';
export const NODE_TYPE = `${PACKAGE_NAME}.businessData`;
export const TRIGGER_TYPE = `${PACKAGE_NAME}.businessDataTrigger`;
export const CREDENTIAL_TYPE = 'businessDataApi';

const triggerNode: INode = {
	id: 'trigger',
	name: 'Trigger',
	type: TRIGGER_TYPE,
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
	credentials: { [CREDENTIAL_TYPE]: { id: 'key', name: 'key' } },
};
/** Makes every trigger one of a workflow of its own. */
let triggerCount = 0;

/** The parts of a saved workflow that the engine needs. */
export interface WorkflowJson {
	nodes: INode[];
	connections: Workflow['connectionsBySourceNode'];
}

/** A node that puts out the items of its parameter `items`, in place of a trigger. */
const itemsNode: INodeType = {
	description: {
		displayName: 'Items',
		name: 'items',
		group: ['transform'],
		version: 1,
		description: '',
		defaults: {},
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		properties: [{ displayName: 'Items', name: 'items', type: 'json', default: '[]' }],
	},
	async execute() {
		const items = this.getNodeParameter('items', 0) as INodeExecutionData['json'][];
		return await Promise.resolve([items.map((json) => ({ json }))]);
	},
};

class CredentialsHelper extends ICredentialsHelper {
	constructor(
		private readonly loader: PackageDirectoryLoader,
		private readonly credentials: Record<string, ICredentialDataDecryptedObject>,
	) {
		super();
	}

	getParentTypes() {
		return [];
	}

	isCredentialUsableByNode() {
		return true;
	}

	/** Applies the credential type's own generic `authenticate` block, as n8n does. */
	async authenticate(
		data: ICredentialDataDecryptedObject,
		typeName: string,
		options: IHttpRequestOptions,
		workflow: Workflow,
		node: INode,
	): Promise<IHttpRequestOptions> {
		const { authenticate } = this.loader.getCredential(typeName).type;
		if (authenticate === undefined || typeof authenticate === 'function') return options;
		const headers = { ...options.headers };
		for (const [name, value] of Object.entries(authenticate.properties.headers ?? {})) {
			headers[name] = workflow.expression.getSimpleParameterValue(
				node,
				value as string,
				'internal',
				{ $credentials: data },
			);
		}
		return await Promise.resolve({ ...options, headers });
	}

	async preAuthentication() {
		return await Promise.resolve(undefined);
	}

	async runPreAuthentication() {
		return await Promise.resolve(undefined);
	}

	async getDecrypted(
		_: IWorkflowExecuteAdditionalData,
		details: { id: string | null },
	): Promise<ICredentialDataDecryptedObject> {
		const data = this.credentials[details.id ?? ''];
		if (data === undefined) throw new Error(`There is no credential ${details.id}`);
		return await Promise.resolve({ ...data });
	}

	async getCredentials(): Promise<never> {
		return await Promise.reject(new Error('not used by the engine'));
	}

	async updateCredentials() {
		return await Promise.resolve();
	}

	async updateCredentialsOauthTokenData() {
		return await Promise.resolve();
	}

	getCredentialsProperties() {
		return [];
	}
}

export interface EngineRun {
	run: IRun;
	/** What a node did; fails when it did not run. */
	task(nodeName: string): ITaskData;
	/** The items of a node's output. */
	items(nodeName: string, output?: number): INodeExecutionData[];
	/** The items' `json` alone. */
	json(nodeName: string, output?: number): Array<INodeExecutionData['json']>;
}

export class Engine {
	private constructor(
		readonly loader: PackageDirectoryLoader,
		/** Everything that n8n logged. */
		readonly log: string[],
	) {}

	static async load(): Promise<Engine> {
		const log: string[] = [];
		// Not as JSON, which would leave out most of an error.
		const record = (...parts: unknown[]) =>
			log.push(inspect(parts, { depth: null, showHidden: true, maxStringLength: null }));
		const logger = { error: record, warn: record, info: record, debug: record };
		LoggerProxy.init(logger);
		Container.set(Logger, { ...logger, scoped: () => logger } as unknown as Logger);
		// What else it is made from, it needs for files on disk only.
		const binaryData = Reflect.construct(BinaryDataService, [
			Container.get(BinaryDataConfig),
		]) as BinaryDataService;
		Container.set(BinaryDataService, binaryData);
		const loader = new PackageDirectoryLoader(PACKAGE_FOLDER);
		await loader.loadAll();
		return new Engine(loader, log);
	}

	nodeType(): INodeType {
		return this.loader.getNode('businessData').type as INodeType;
	}

	/** Starts a workflow at its node `Start`; the result can be awaited or canceled. */
	start(
		workflowJson: WorkflowJson,
		credentials: Record<string, ICredentialDataDecryptedObject>,
		mode: 'manual' | 'trigger' = 'trigger',
	) {
		const workflow = new Workflow({
			id: 'workflow',
			name: 'workflow',
			nodes: workflowJson.nodes,
			connections: workflowJson.connections,
			active: false,
			nodeTypes: this.nodeTypes(),
			settings: { executionOrder: 'v1' },
		});
		const hooks = new ExecutionLifecycleHooks(mode, 'execution', {
			id: 'workflow',
			name: 'workflow',
			active: false,
			activeVersionId: null,
			isArchived: false,
			createdAt: new Date(),
			updatedAt: new Date(),
			...workflowJson,
		});
		const additionalData = { ...this.additionalData(credentials), hooks };
		const execute = new WorkflowExecute(additionalData, mode, createRunExecutionData({}));
		const startNode = workflow.getNode('Start') ?? undefined;
		return runFrom(execute, workflow, startNode);
	}

	/** Runs a workflow to its end, whatever that is. */
	async run(...args: Parameters<Engine['start']>): Promise<EngineRun> {
		return readRun(await this.start(...args));
	}

	/**
	 * A published trigger: each `poll` returns the items that it emits, and what n8n would save of it is
	 * in `staticData`.
	 */
	trigger(
		parameters: INode['parameters'],
		credentials: Record<string, ICredentialDataDecryptedObject>,
		mode: 'manual' | 'trigger' = 'trigger',
		staticData: IDataObject = {},
	) {
		const node = { ...triggerNode, parameters };
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
		return {
			staticData,
			poll: async (): Promise<Array<INodeExecutionData['json']>> => {
				const published = workflow.getNode(node.name) ?? node;
				const context = new PollContext(workflow, published, additionalData, mode, 'activate');
				const output = await nodeType.poll?.call(context);
				return (output?.[0] ?? []).map(({ json }) => json);
			},
		};
	}

	private additionalData(
		credentials: Record<string, ICredentialDataDecryptedObject>,
	): IWorkflowExecuteAdditionalData {
		return {
			credentialsHelper: new CredentialsHelper(this.loader, credentials),
			executionId: 'execution',
			currentNodeExecutionIndex: 0,
			restApiUrl: 'http://localhost',
			instanceBaseUrl: 'http://localhost',
			formWaitingBaseUrl: 'http://localhost/form',
			webhookWaitingBaseUrl: 'http://localhost/webhook',
			webhookBaseUrl: 'http://localhost/webhook',
			webhookTestBaseUrl: 'http://localhost/webhook',
			variables: {},
			logAiEvent: () => undefined,
			setExecutionStatus: () => undefined,
		} as unknown as IWorkflowExecuteAdditionalData;
	}

	private nodeTypes(): INodeTypes {
		const byName = (name: string): INodeType => {
			if (name === 'test.items') return itemsNode;
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

export function readRun(run: IRun): EngineRun {
	const task = (nodeName: string): ITaskData => {
		const found = run.data.resultData.runData[nodeName]?.at(-1);
		if (found === undefined) throw new Error(`${nodeName} did not run`);
		return found;
	};
	const items = (nodeName: string, output = 0) => task(nodeName).data?.main?.[output] ?? [];
	return {
		run,
		task,
		items,
		json: (nodeName, output) => items(nodeName, output).map(({ json }) => json),
	};
}

/** A workflow: the node `Start` with these items, followed by the node `Business Data`. */
export function workflowOf(
	items: Array<INodeExecutionData['json']>,
	parameters: INode['parameters'],
	settings: Partial<INode> = {},
): WorkflowJson {
	return {
		nodes: [
			{
				id: 'start',
				name: 'Start',
				type: 'test.items',
				typeVersion: 1,
				position: [0, 0],
				parameters: { items: items as never },
			},
			{
				id: 'node',
				name: 'Business Data',
				type: NODE_TYPE,
				typeVersion: 1,
				position: [200, 0],
				parameters,
				credentials: { [CREDENTIAL_TYPE]: { id: 'key', name: 'key' } },
				...settings,
			},
		],
		connections: { Start: { main: [[{ node: 'Business Data', type: 'main', index: 0 }]] } },
	};
}
