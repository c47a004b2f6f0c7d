// Workflows for the tests: chains of nodes, and the published examples.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeParameters } from 'n8n-workflow';

import type { Sandbox } from '../../sandbox/server';
import type { Workflow, WorkflowNode } from '../../scripts/host/n8nTypes';
import { send as sendParameters } from '../support/parameters';

type Parameters = Record<string, unknown>;

export const BUSINESS_DATA = 'n8n-nodes-business-data.businessData';
/** The name of the sending node in all workflows of the tests. */
export const SEND = 'Send';

const EXAMPLES_FOLDER = join(__dirname, '..', '..', 'examples');
const EXAMPLE_ENDING = '.workflow.json';

/** The names of all example workflows. */
export function exampleNames(): string[] {
	return readdirSync(EXAMPLES_FOLDER)
		.filter((file) => file.endsWith(EXAMPLE_ENDING))
		.map((file) => file.slice(0, -EXAMPLE_ENDING.length));
}

/** An example workflow, as a user imports it. */
export function readExample(name: string): Workflow {
	const file = join(EXAMPLES_FOLDER, `${name}${EXAMPLE_ENDING}`);
	return JSON.parse(readFileSync(file, 'utf8')) as Workflow;
}

/** Adds options to nodes of a workflow, by the name of the node. */
export function withOptions(workflow: Workflow, options: Record<string, object>): Workflow {
	const nodes = workflow.nodes.map((one) => {
		const own = options[one.name];
		if (own === undefined) return one;
		const parameters = one.parameters as { options?: object };
		return { ...one, parameters: { ...parameters, options: { ...parameters.options, ...own } } };
	});
	return { ...workflow, nodes };
}

/** A node. One of this package has a credential without an ID, which is filled in when the workflow is saved. */
export function node(
	name: string,
	type: string,
	typeVersion: number,
	parameters: Parameters = {},
	settings: Parameters = {},
): WorkflowNode {
	const isOwnNode = type.startsWith('n8n-nodes-business-data.');
	const credentials = { businessDataApi: { id: null, name: '' } };
	return {
		id: name,
		name,
		type,
		typeVersion,
		parameters,
		position: [0, 0],
		...(isOwnNode ? { credentials } : {}),
		...settings,
	};
}

/** A workflow whose nodes form a chain. */
export function inARow(name: string, nodes: WorkflowNode[]): Workflow {
	const links = nodes
		.slice(1)
		.map((next, index): [string, unknown] => [
			nodes[index]?.name ?? '',
			{ main: [[{ node: next.name, type: 'main', index: 0 }]] },
		]);
	return {
		name,
		nodes,
		connections: Object.fromEntries(links),
		settings: { executionOrder: 'v1' },
	};
}

/** Calls a webhook on a connection of its own. */
export async function postOnce(url: string, body: unknown): Promise<Response> {
	return await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json', connection: 'close' },
		body: JSON.stringify(body),
	});
}

/** A workflow whose node `Rows` outputs the rows of a Data Table. */
export function tableReader(table: string): Workflow {
	const dataTableId = { __rl: true, mode: 'name', value: table };
	const parameters = {
		resource: 'row',
		operation: 'get',
		dataTableId,
		returnAll: true,
		matchType: 'allConditions',
		filters: {},
	};
	return inARow(`Read ${table}`, [
		node('Start', 'n8n-nodes-base.manualTrigger', 1),
		node('Rows', 'n8n-nodes-base.dataTable', 1, parameters),
	]);
}

/** The bodies of the documents that the service has sent, in order. */
export const sentBy = <T>({ journal }: Sandbox): T[] =>
	journal.documents().map(({ body }) => body as T);

/** Nodes that start by hand and output the documents, one per item. */
export function startWith(documents: unknown[]): WorkflowNode[] {
	return [
		node('Start', 'n8n-nodes-base.manualTrigger', 1),
		set('Documents', JSON.stringify({ documents })),
		splitOut('documents'),
	];
}

/** A node that outputs this JSON, which may be an expression. */
export const set = (name: string, jsonOutput: string): WorkflowNode =>
	node(name, 'n8n-nodes-base.set', 3.4, { mode: 'raw', jsonOutput, options: {} });

/** Nodes that start with a webhook call and output the documents in its body, one per item. */
export function startWithWebhook(path: string): WorkflowNode[] {
	const parameters = { httpMethod: 'POST', path, responseMode: 'onReceived', options: {} };
	return [
		node('Webhook', 'n8n-nodes-base.webhook', 2, parameters, { webhookId: path }),
		splitOut('body.documents'),
	];
}

function splitOut(field: string): WorkflowNode {
	const parameters = { fieldToSplitOut: field, options: {} };
	return node('One each', 'n8n-nodes-base.splitOut', 1, parameters);
}

/** The node that sends each item. */
export function send(options: INodeParameters = {}, settings: Parameters = {}): WorkflowNode {
	return node(SEND, BUSINESS_DATA, 1, sendParameters(options), settings);
}
