// Failed items: the first one stops the run, or the others go on. Each error is paired with its input item, in order, and
// has what a workflow needs to branch on.

import type { INode, IPairedItemData } from 'n8n-workflow';

import type { FaultAction } from '../../sandbox/server';
import {
	errorOf,
	expectLists,
	hintsOf,
	itemsOf,
	NODE,
	type ShownError,
	useBench,
} from '../support/bench';
import type { EngineRun } from '../support/engine';
import { ITEMS_TYPE, linksTo, NODE_TYPE, nodeOf, workflowOf } from '../support/engineWorkflow';
import {
	apiRequest,
	CONTINUE_ON_ERROR,
	DELETE_ENDPOINT,
	deleteMany,
	ERROR_OUTPUT,
	read,
	send,
	SEND_ENDPOINT,
} from '../support/parameters';

const bench = useBench();

const refused = { type: 'status', status: 400, body: { message: 'bad' } } as const;
const lost = { type: 'hangUpAfterActing' } as const;
const pairs = (result: EngineRun, output = 0) =>
	result.items(NODE, output).map(({ pairedItem }) => pairedItem);

describe('a failure without continue on error', () => {
	test.each<[number, number, FaultAction, string]>([
		[0, 2, refused, 'Not sent: item 0. Not tried: item 1.'],
		[2, 5, refused, 'Sent: items 0–1. Not sent: item 2. Not tried: items 3–4.'],
		[2, 3, refused, 'Sent: items 0–1. Not sent: item 2.'],
		[1, 3, lost, 'Sent: item 0. Perhaps sent: item 1. Not tried: item 2.'],
	])('at item %d of %d stops the rest: %j', async (itemIndex, count, action, lists) => {
		for (const parameters of [send(), apiRequest('POST', '/sandbox/echo')]) {
			const before = bench.sandbox.journal.count();
			bench.sandbox.fault({ after: itemIndex, action });
			const error = errorOf(await bench.run(itemsOf(count), parameters));
			expectLists(error, lists);
			// A re-run of the node would send the others again.
			expect(error.description).not.toContain('run the node again');
			const outcome = action === lost ? 'unknown' : 'refused';
			expect(error.context).toMatchObject({ outcome, itemIndex });
			expect(bench.sandbox.journal.count() - before).toBe(itemIndex + 1);
			bench.sandbox.clearFaults();
		}
		expect(bench.documents()).toEqual(itemsOf(action === lost ? itemIndex + 1 : itemIndex));
	});

	test('in the parameters of the last item stops the run before any send', async () => {
		const jsonBody = '={{ $json.id === 4 ? "{" : { id: $json.id } }}';
		const parameters = { ...send(), dataMode: 'json', jsonBody };
		const error = errorOf(await bench.run(itemsOf(5), parameters));
		expect(error.message).toMatch(/^JSON Body: is not valid JSON/);
		expect(error.context).toMatchObject({ itemIndex: 4, outcome: 'notSent' });
		expect(bench.sandbox.journal.count()).toBe(0);
	});
});

test('with continue on error, the error takes the place of the item', async () => {
	bench.sandbox.fault({ endpoint: SEND_ENDPOINT, after: 1, action: refused });
	const result = await bench.run(itemsOf(3), send(), CONTINUE_ON_ERROR);
	expect(result.run.status).toBe('success');
	expect(result.items(NODE)).toMatchObject([
		{ json: { id: 'doc-1', status: 'sent' }, pairedItem: { item: 0 } },
		{ json: { error: 'The service answered 400 Bad Request: bad' }, pairedItem: { item: 1 } },
		{ json: { id: 'doc-2', status: 'sent' }, pairedItem: { item: 2 } },
	]);
	expect(bench.documents()).toEqual([{ id: 0 }, { id: 2 }]);
});

test('a failed item whose input looks like a skipped one gets no hint', async () => {
	const skipped = { skipped: true, state: 'perhapsSent', sendOnceKey: 'a' };
	bench.sandbox.fault({ action: refused });
	expect(hintsOf(await bench.run([skipped], send(), CONTINUE_ON_ERROR))).toEqual([]);
});

test.each([
	['GET', '={{ $json.id % 2 ? "/nowhere" : "/sandbox/echo" }}', [0, 2], [1, 3]],
	['POST', '={{ $json.id === 2 ? ".." : "/sandbox/echo" }}', [0, 3], [1, 2]],
])('items whose %s to %s fails leave by the error output', async (method, path, ok, failed) => {
	bench.sandbox.fault({ endpoint: 'POST /sandbox/echo', after: 1, action: refused });
	const result = await bench.run(itemsOf(4), apiRequest(method, path), ERROR_OUTPUT);
	expect(pairs(result)).toEqual(ok.map((item) => ({ item })));
	expect(pairs(result, 1)).toEqual(failed.map((item) => ({ item })));
	for (const json of result.json(NODE, 1)) expect(Object.keys(json)).toEqual(['error']);
});

test.each([
	['an invalid credential', read(), { apiKey: '12' }],
	['an invalid credential', send(), { apiKey: '12' }],
	['an invalid option for all items', deleteMany({ batchSize: 0 }), {}],
	['an unknown operation', { resource: 'contact', operation: 'destroy' }, {}],
])('every item leaves by the error output for %s', async (_, parameters, fields) => {
	Object.assign(bench.credential, fields);
	const result = await bench.run(itemsOf(2), parameters, ERROR_OUTPUT);
	expect(result.items(NODE, 0)).toEqual([]);
	expect(pairs(result, 1)).toEqual([{ item: 0 }, { item: 1 }]);
	expect(bench.sandbox.journal.count()).toBe(0);
});

/** Runs a node and another one after it. */
async function runWithBehind(
	items: Parameters<typeof bench.run>[0],
	parameters: INode['parameters'],
	behind: INode['parameters'],
	output: 'error' | 'output' = 'error',
): Promise<EngineRun> {
	const settings = output === 'error' ? ERROR_OUTPUT : CONTINUE_ON_ERROR;
	const workflow = workflowOf(items, parameters, settings);
	workflow.nodes.push(nodeOf('Behind', NODE_TYPE, behind));
	const link = [{ node: 'Behind', type: 'main' as const, index: 0 }];
	workflow.connections[NODE] = { main: output === 'error' ? [[], link] : [link] };
	return await bench.engine.run(workflow, { key: bench.credential });
}

describe('a node after the error output', () => {
	const message = ['The serv', 'The requ', 'Not sent', 'Not sent', 'Not sent'];
	const seconds = expect.closeTo(600, -1) as number;
	test.each([
		['$input.item.error.context.outcome', ['refused', 'unknown', 'notSent', 'notSent', 'notSent']],
		['$input.item.error.context.retryAfterSeconds', [null, null, seconds, seconds, seconds]],
		['$input.item.error.httpCode', ['400', null, null, null, null]],
		['$json.error.slice(0, 8)', message],
		['$("Start").item.json.id', [1, 2, 3, 4, 5]],
	])('can read %s', async (expression, expected) => {
		bench.sandbox.fault({ after: 1, action: refused });
		bench.sandbox.fault({ after: 1, action: lost });
		const jsonBody = `={{ ({ value: ${expression} ?? null }) }}`;
		const echo = { ...apiRequest('POST', '/sandbox/echo'), dataMode: 'json', jsonBody };
		const result = await runWithBehind(itemsOf(6), send({ maxWait: 1 }), echo);
		expect(result.run.status).toBe('success');
		const values = result.json('Behind').map(({ body }) => (body as { value?: unknown }).value);
		expect(values).toEqual(expected);
		// The same holds after n8n has stored the execution.
		const stored = JSON.parse(JSON.stringify(result.items(NODE, 1))) as Array<{
			error: ShownError;
		}>;
		expect(stored[1]?.error.context.outcome).toBe('unknown');
		expect(stored[1]?.error.description).toContain('may have been carried out');
	});

	const failing = (otherwise: string) =>
		`={{ $json.id === 1 ? $("Nowhere").item.json.any : ${otherwise} }}`;
	test.each([
		['a read', apiRequest('GET', failing('"/sandbox/echo"'))],
		['a send', apiRequest('POST', failing('"/sandbox/echo"'))],
		['a deletion', { ...deleteMany(), ids: failing('$json.id') }],
	])('can read the outcome notSent for a failed expression of %s', async (_, parameters) => {
		const result = await bench.run(itemsOf(3), parameters, ERROR_OUTPUT);
		expect(result.items(NODE, 1)).toMatchObject([
			{ error: { context: { itemIndex: 1, outcome: 'notSent' } } },
		]);
	});

	test.each([
		['a send', 'error', send()],
		['a send', 'output', send()],
		['JSON', 'error', { ...send(), dataMode: 'json', jsonBody: '={{ $json }}' }],
		['JSON', 'output', { ...send(), dataMode: 'json', jsonBody: '={{ JSON.stringify($json) }}' }],
		[
			'an API Request',
			'error',
			{ ...apiRequest('POST', '/sandbox/echo'), dataMode: 'autoMapInputData' },
		],
	] as const)('refuses the error as a document: %s after the %s', async (_, from, behind) => {
		bench.sandbox.fault({ endpoint: SEND_ENDPOINT, action: refused });
		const error = errorOf(await runWithBehind([{ id: 0 }], send(), behind, from));
		expect(error.message).toMatch(/^(Data to Send|JSON Body): the input item is an error$/);
		expect(error.context.outcome).toBe('notSent');
		expect(bench.sandbox.journal.count()).toBe(1);
	});
});

/** How the previous node pairs its three output items with its two input items. */
const LINEAGES: Array<[string, IPairedItemData[]]> = [
	['without paired items', []],
	['paired with missing items', [7, 8, 9].map((item) => ({ item }))],
	['paired with a missing input', [0, 1, 0].map((item) => ({ item, input: 3 }))],
	['with one of three items paired', [{ item: 1 }]],
];
const secondBy = (path: string) => `={{ $json.id === 1 ? ${path} : "/sandbox/echo" }}`;

/** By operation, parameters with which the second item fails, and the endpoint that refuses it. */
const OPERATIONS: Array<[string, INode['parameters'], endpoint?: string]> = [
	['a read', apiRequest('GET', secondBy('"/nowhere"'))],
	['a send', send(), SEND_ENDPOINT],
	['a deletion', deleteMany({ batchSize: 1 }), DELETE_ENDPOINT],
	['a paired expression', apiRequest('POST', secondBy('$("Start").item.json.path'))],
];
const cases = LINEAGES.flatMap(([lineage, pairedItems]) =>
	OPERATIONS.map(([name, parameters, endpoint]) => ({
		lineage,
		pairedItems,
		name,
		parameters,
		endpoint,
	})),
);

test.each(cases)(
	'$name that fails after a node $lineage leaves by the error output (n8n#37407)',
	async ({ pairedItems, parameters, endpoint }) => {
		if (endpoint !== undefined) bench.sandbox.fault({ endpoint, after: 1, action: refused });
		const workflow = workflowOf(itemsOf(2), parameters, ERROR_OUTPUT);
		workflow.nodes.push(nodeOf('Code', ITEMS_TYPE, { items: itemsOf(3), pairedItems }));
		workflow.connections = { Start: linksTo('main', 'Code'), Code: linksTo('main', NODE) };
		const result = await bench.engine.run(workflow, { key: bench.credential });
		expect(result.run.status).toBe('success');
		expect(pairs(result).flat()).toEqual([{ item: 0 }, { item: 2 }]);
		expect(pairs(result, 1).flat()).toEqual([{ item: 1 }]);
		expect(result.items(NODE, 1)[0]?.error?.message).toBeTruthy();
	},
);
