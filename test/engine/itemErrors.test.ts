// Items that fail while the others go on: by item, in order, paired with their input, and with what a
// workflow needs to branch on.

import type { INode } from 'n8n-workflow';

import { errorOf, itemsOf, NODE, type ShownError, useBench } from '../support/bench';
import type { EngineRun } from '../support/engine';
import { NODE_TYPE, nodeOf, workflowOf } from '../support/engineWorkflow';
import {
	apiRequest,
	CONTINUE_ON_ERROR,
	deleteMany,
	read,
	send,
	SEND_ENDPOINT,
} from '../support/parameters';

const bench = useBench();

const ERROR_OUTPUT = { onError: 'continueErrorOutput' } as const;
const refused = { type: 'status', status: 400, body: { message: 'bad' } } as const;
const pairs = (result: EngineRun, output = 0) =>
	result.items(NODE, output).map(({ pairedItem }) => pairedItem);

test('continue on error puts the error in the place of the item', async () => {
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

test.each([
	['GET', '={{ $json.id % 2 ? "/nowhere" : "/sandbox/echo" }}', [0, 2], [1, 3]],
	['POST', '={{ $json.id === 2 ? ".." : "/sandbox/echo" }}', [0, 3], [1, 2]],
])(
	'items that a %s to %s fails for leave by the error output',
	async (method, path, ok, failed) => {
		bench.sandbox.fault({ endpoint: 'POST /sandbox/echo', after: 1, action: refused });
		const result = await bench.run(itemsOf(4), apiRequest(method, path), ERROR_OUTPUT);
		expect(pairs(result)).toEqual(ok.map((item) => ({ item })));
		expect(pairs(result, 1)).toEqual(failed.map((item) => ({ item })));
		for (const json of result.json(NODE, 1)) expect(Object.keys(json)).toEqual(['error']);
	},
);

test.each([
	['a credential that cannot be used', read(), { apiKey: '12' }],
	['a credential that cannot be used', send(), { apiKey: '12' }],
	['an option for all items that cannot be used', deleteMany({ batchSize: 0 }), {}],
	['an operation that is not known', { resource: 'contact', operation: 'destroy' }, {}],
])('never takes items for successful because of %s', async (_, parameters, fields) => {
	Object.assign(bench.credential, fields);
	const result = await bench.run(itemsOf(2), parameters, ERROR_OUTPUT);
	expect(result.items(NODE, 0)).toEqual([]);
	expect(pairs(result, 1)).toEqual([{ item: 0 }, { item: 1 }]);
	expect(bench.sandbox.journal.count()).toBe(0);
});

/** Runs a node, and another one behind its output. */
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

describe('a node behind the error output', () => {
	const message = ['The serv', 'The requ', 'Not sent', 'Not sent', 'Not sent'];
	const seconds = expect.closeTo(600, -1) as number;
	test.each([
		['$input.item.error.context.outcome', ['refused', 'unknown', 'notSent', 'notSent', 'notSent']],
		['$input.item.error.context.retryAfterSeconds', [null, null, seconds, seconds, seconds]],
		['$input.item.error.httpCode', ['400', null, null, null, null]],
		['$json.error.slice(0, 8)', message],
		['$("Start").item.json.id', [1, 2, 3, 4, 5]],
	])('reads %s', async (expression, expected) => {
		bench.sandbox.fault({ after: 1, action: refused });
		bench.sandbox.fault({ after: 1, action: { type: 'hangUpAfterActing' } });
		const jsonBody = `={{ ({ value: ${expression} ?? null }) }}`;
		const echo = { ...apiRequest('POST', '/sandbox/echo'), dataMode: 'json', jsonBody };
		const result = await runWithBehind(itemsOf(6), send({ maxWait: 1 }), echo);
		expect(result.run.status).toBe('success');
		const values = result.json('Behind').map(({ body }) => (body as { value?: unknown }).value);
		expect(values).toEqual(expected);
		// Also after n8n has stored the execution.
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
	])('reads that nothing was sent for an expression that fails, of %s', async (_, parameters) => {
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
			...(['an API Request', 'error'] as const),
			{ ...apiRequest('POST', '/sandbox/echo'), dataMode: 'autoMapInputData' },
		],
	] as const)('cannot take the error for a document: %s behind the %s', async (_, from, behind) => {
		bench.sandbox.fault({ endpoint: SEND_ENDPOINT, action: refused });
		const error = errorOf(await runWithBehind([{ id: 0 }], send(), behind, from));
		expect(error.message).toMatch(/^(Data to Send|JSON Body): the input item is an error$/);
		expect(error.context.outcome).toBe('notSent');
		expect(bench.sandbox.journal.count()).toBe(1);
	});
});
