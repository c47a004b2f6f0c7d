// `npm run record:upgrade`: with this version of the package, saves workflows, the state of a trigger and the rows of
// Send Once in a real n8n, and writes them to test/upgrade/<version>/saved.json. Run it once per version, before it is
// published: what users have saved with a version must work for ever.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { IDataObject, INode } from 'n8n-workflow';

import { MARKER_HEADER } from '../../sandbox/server';
import { describeHost } from '../../scripts/host/hosts';
import type { SavedWorkflow, WorkflowNode } from '../../scripts/host/n8nTypes';
import { runToEnd } from '../../scripts/runToEnd';
import { RealN8n } from '../n8n/realN8n';
import { inARow, node } from '../n8n/workflows';
import { remembered } from '../support/triggerBench';
import { KEY, PORT, RECORD, requestsOf, type Saved } from './saved';

const NODE_TYPE = 'n8n-nodes-business-data.businessData';
const TRIGGER_TYPE = 'n8n-nodes-business-data.businessDataTrigger';

type Parameters = Record<string, unknown>;

const IDS = '={{ $json.id }}, r-2';
const assignments = [
	{ id: '1', name: 'customer.city', value: '={{ "City of " + $json.id }}', type: 'string' },
	{ id: '2', name: 'total', value: '={{ $json.total }}', type: 'number' },
];
const QUERY_PARAMETER = { name: 'copy', value: 'yes' };
const MANY_PAGES = { pagination: { values: { type: 'offset', pageSize: 5 } } };

/** One node per operation, with the options that change its request. */
const NODES: Record<string, Parameters> = {
	'Get Many': { returnAll: false, limit: 7, options: MANY_PAGES },
	'Delete Contacts': { operation: 'deleteMany', ids: IDS, options: { batchSize: 1 } },
	'Send Fields': { resource: 'transaction', dataMode: 'defineBelow', assignments: { assignments } },
	'Send Item': { resource: 'transaction', operation: 'sendWp', dataMode: 'autoMapInputData' },
	'Send JSON': {
		resource: 'payment',
		dataMode: 'json',
		jsonBody: '={{ JSON.stringify({ of: $json.id }) }}',
		options: { queryParameters: { parameters: [QUERY_PARAMETER] }, maxWait: 30, timeout: 20 },
	},
	'Dry Run': { resource: 'transaction', operation: 'deleteMany', dryRun: true },
	'API Request': {
		resource: 'apiRequest',
		method: 'POST',
		path: '=/sandbox/{{ "echo" }}',
		dataMode: 'json',
		jsonBody: '{"a":[1,true,null]}',
	},
	'Limit Status': { resource: 'rateLimit' },
	'Wait for Room': { resource: 'rateLimit', operation: 'waitForRoom', requests: 2 },
};

const START = node('Start', 'n8n-nodes-base.manualTrigger', 1);
const ITEM = node('Item', 'n8n-nodes-base.set', 3.4, {
	mode: 'raw',
	jsonOutput: JSON.stringify(RECORD),
	options: {},
});

/** A node whose requests carry its name in a header. */
function marked(name: string, { options = {}, ...parameters }: Parameters): WorkflowNode {
	const headerParameters = { parameters: [{ name: MARKER_HEADER, value: name }] };
	const all = { ...(options as Parameters), headerParameters };
	const sendsNothing = parameters.resource === 'rateLimit';
	return node(name, NODE_TYPE, 1, { ...parameters, ...(sendsNothing ? {} : { options: all }) });
}

const nodeOf = (workflow: SavedWorkflow, name: string) =>
	workflow.nodes.find((one) => one.name === name) as unknown as INode;

async function run(real: RealN8n, workflow: SavedWorkflow): Promise<void> {
	const id = await real.client.startWorkflow(workflow, START.name);
	const { status, error = '' } = await real.client.waitForExecution(id);
	if (status !== 'success') throw new Error(`${workflow.name} ended with ${status}: ${error}`);
}

async function saveNodes(real: RealN8n): Promise<Saved['nodes']> {
	const nodes = Object.entries(NODES).map(([name, parameters]) => marked(name, parameters));
	const targets = nodes.map(({ name }) => ({ node: name, type: 'main', index: 0 }));
	const workflow = await real.save({
		...inARow('All operations', [START, ITEM]),
		nodes: [START, ITEM, ...nodes],
		connections: {
			Start: { main: [[{ node: 'Item', type: 'main', index: 0 }]] },
			Item: { main: [targets] },
		},
	});
	await run(real, workflow);
	const saved = await real.client.readWorkflow(workflow.id);
	return nodes.map(({ name }) => ({
		node: nodeOf(saved, name),
		requests: requestsOf(real.sandbox, name),
	}));
}

async function saveTrigger(real: RealN8n): Promise<Saved['trigger']> {
	const workflow = await real.save(
		inARow('Contact events', [
			node('Trigger', TRIGGER_TYPE, 1, {
				pollTimes: { item: [{ mode: 'everyX', value: 5, unit: 'hours' }] },
				events: ['contactCreated', 'contactUpdated', 'contactDeleted'],
				options: MANY_PAGES,
			}),
			node('Done', 'n8n-nodes-base.noOp', 1),
		]),
	);
	await real.client.publishWorkflow(workflow.id);
	await real.client.unpublishWorkflow(workflow.id);
	const query = `SELECT staticData FROM workflow_entity WHERE id = '${workflow.id}'`;
	const [row] = real.readDatabase(query) as Array<{ staticData: string }>;
	const all = JSON.parse(row?.staticData ?? '{}') as Record<string, IDataObject>;
	if (remembered(all).length === 0) throw new Error('The trigger has remembered nothing');
	const published = await real.client.readWorkflow(workflow.id);
	return { node: nodeOf(published, 'Trigger'), staticData: all };
}

async function saveSendOnce(real: RealN8n): Promise<Saved['sendOnce']> {
	const parameters = {
		resource: 'transaction',
		dataMode: 'autoMapInputData',
		options: { sendOnceKey: '={{ $json.invoice }}' },
	};
	const workflow = await real.save(
		inARow('Invoices', [START, ITEM, node('Business Data', NODE_TYPE, 1, parameters)]),
	);
	await run(real, workflow);
	const rows = real.readDatabase(
		`SELECT workflowId, context, value FROM processed_data WHERE workflowId = '${workflow.id}'`,
	) as Array<{ workflowId: string; context: string; value: string }>;
	return {
		workflowId: workflow.id,
		node: nodeOf(await real.client.readWorkflow(workflow.id), 'Business Data'),
		rows: rows.map((row) => ({ ...row, value: JSON.parse(row.value) as unknown })),
	};
}

runToEnd(async (cleanup) => {
	const manifest = await readFile(join(__dirname, '..', '..', 'package.json'), 'utf8');
	const { version } = JSON.parse(manifest) as { version: string };
	const options = { port: PORT, apiKeys: { [KEY]: { state: 'active' as const } } };
	const real = await RealN8n.start('n8n-2', cleanup, {}, options);
	const saved: Saved = {
		n8n: describeHost('n8n-2').n8nVersion,
		nodes: await saveNodes(real),
		trigger: await saveTrigger(real),
		sendOnce: await saveSendOnce(real),
	};
	const folder = join(__dirname, version);
	await mkdir(folder, { recursive: true });
	// One line per node.
	const text = JSON.stringify(saved).replaceAll('{"node":', '\n$&');
	await writeFile(join(folder, 'saved.json'), `${text}\n`);
	console.log(`Saved: ${join('test', 'upgrade', version, 'saved.json')}`);
});
