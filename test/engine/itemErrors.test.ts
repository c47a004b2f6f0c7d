// Items that fail while the others go on: by item, in order, paired with their input, and with what a
// workflow needs to branch on.

import { NODE_TYPE, nodeOf, workflowOf } from '../support/engineWorkflow';
import { errorOf, itemsOf, NODE, type ShownError, useBench } from '../support/bench';
import {
	apiRequest,
	CONTINUE_ON_ERROR,
	deleteMany,
	read,
	READ_ENDPOINT,
	send,
	SEND_ENDPOINT,
} from '../support/parameters';

const bench = useBench();

const autoMap = { dataMode: 'autoMapInputData' };
const ERROR_OUTPUT = { onError: 'continueErrorOutput' } as const;
const refused = { type: 'status', status: 400, body: { message: 'bad' } } as const;
const BAD = 'The service answered 400 Bad Request: bad';

/** Lets the requests with these numbers, from 0, be refused. */
function refuse(endpoint: string, ...numbers: number[]): void {
	// A rule counts only what no earlier rule took, so that the numbers before it need not be subtracted.
	numbers.forEach((number, index) => {
		bench.sandbox.fault({ endpoint, after: number - index, action: refused });
	});
}

describe('continue on error', () => {
	test('puts the error in the place of the item', async () => {
		refuse(SEND_ENDPOINT, 1);
		const result = await bench.run(itemsOf(3), send(), CONTINUE_ON_ERROR);
		expect(result.run.status).toBe('success');
		expect(result.json(NODE)).toEqual([
			{ id: 'doc-1', status: 'sent' },
			{ error: BAD },
			{ id: 'doc-2', status: 'sent' },
		]);
		expect(result.items(NODE).map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
		expect(bench.documents()).toEqual([{ id: 0 }, { id: 2 }]);
	});

	test('keeps the input order of reads that run side by side', async () => {
		const path = '={{ $json.id % 2 ? "/nowhere" : "/sandbox/echo?id=" + $json.id }}';
		const result = await bench.run(itemsOf(6), apiRequest('GET', path), CONTINUE_ON_ERROR);
		const seen = result
			.items(NODE)
			.map(({ json, error, pairedItem }) => [
				error === undefined ? (json.query as { id: string }).id : error.message,
				pairedItem,
			]);
		const notFound = 'The service answered 404 Not Found';
		expect(seen).toEqual([
			['0', { item: 0 }],
			[notFound, { item: 1 }],
			['2', { item: 2 }],
			[notFound, { item: 3 }],
			['4', { item: 4 }],
			[notFound, { item: 5 }],
		]);
	});

	test('puts failed items on the error output, in order', async () => {
		refuse(READ_ENDPOINT, 0, 2);
		const parameters = apiRequest('POST', '={{ $json.id === 2 ? ".." : "/sandbox/echo" }}');
		refuse('POST /sandbox/echo', 1);
		const result = await bench.run(itemsOf(4), parameters, ERROR_OUTPUT);
		expect(result.items(NODE, 0).map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 3 },
		]);
		expect(result.json(NODE, 1)).toEqual([
			{ error: BAD },
			{ error: 'Path: must not lead out of its folder' },
		]);
		expect(result.items(NODE, 1).map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 1 },
			{ item: 2 },
		]);
	});

	test.each([
		['a credential that cannot be used', read(), { apiKey: '12' }],
		['a credential that cannot be used', send(), { apiKey: '12' }],
		['an option for all items that cannot be used', deleteMany({ batchSize: 0 }), {}],
		['an operation that is not known', { resource: 'contact', operation: 'destroy' }, {}],
	])('never takes items for successful because of %s', async (_, parameters, fields) => {
		Object.assign(bench.credential, fields);
		const result = await bench.run(itemsOf(3), parameters, ERROR_OUTPUT);
		expect(result.items(NODE, 0)).toEqual([]);
		expect(result.items(NODE, 1).map(({ pairedItem }) => pairedItem)).toEqual([
			{ item: 0 },
			{ item: 1 },
			{ item: 2 },
		]);
		expect(bench.sandbox.journal.count()).toBe(0);
	});
});

describe('a node behind the error output', () => {
	/** What an expression of the node behind the error output gives for each item. */
	async function valuesOf(expression: string): Promise<unknown[]> {
		bench.sandbox.fault({ after: 1, action: refused });
		bench.sandbox.fault({ after: 1, action: { type: 'hangUpAfterActing' } });
		const workflow = workflowOf(itemsOf(6), send({ maxWait: 1 }), ERROR_OUTPUT);
		const echo = {
			...apiRequest('POST', '/sandbox/echo'),
			dataMode: 'json',
			jsonBody: `={{ ({ value: ${expression} ?? null }) }}`,
		};
		workflow.nodes.push(nodeOf('Behind', NODE_TYPE, echo));
		const behind = [{ node: 'Behind', type: 'main' as const, index: 0 }];
		workflow.connections[NODE] = { main: [[], behind] };
		const result = await bench.engine.run(workflow, { key: bench.credential });
		expect(result.run.status).toBe('success');
		return result.json('Behind').map(({ body }) => (body as { value?: unknown }).value);
	}

	test('reads what became of the request', async () => {
		expect(await valuesOf('$input.item.error.context.outcome')).toEqual([
			'refused',
			'unknown',
			'notSent',
			'notSent',
			'notSent',
		]);
	});

	test('reads when to retry', async () => {
		const values = await valuesOf('$input.item.error.context.retryAfterSeconds');
		expect(values.slice(0, 2)).toEqual([null, null]);
		for (const seconds of values.slice(2)) {
			expect(seconds).toBeGreaterThanOrEqual(590);
			expect(seconds).toBeLessThanOrEqual(602);
		}
	});

	const failing = (otherwise: string) =>
		`={{ $json.id === 1 ? $("Nowhere").item.json.any : ${otherwise} }}`;
	test.each([
		['a read', apiRequest('GET', failing('"/sandbox/echo"'))],
		['a send', apiRequest('POST', failing('"/sandbox/echo"'))],
		['a deletion', { ...deleteMany(), ids: failing('$json.id') }],
	])('reads that nothing was sent for an expression that fails, of %s', async (_, parameters) => {
		const result = await bench.run(itemsOf(3), parameters, ERROR_OUTPUT);
		const errors = result.items(NODE, 1).map(({ error }) => error as unknown as ShownError);
		expect(errors.map(({ context }) => context)).toEqual([
			expect.objectContaining({ itemIndex: 1, outcome: 'notSent' }),
		]);
	});

	test.each([
		['the status', '$input.item.error.httpCode', ['400', null, null, null, null]],
		[
			'the message',
			'$json.error.slice(0, 8)',
			['The serv', 'The requ', 'Not sent', 'Not sent', 'Not sent'],
		],
		['the input', '$("Start").item.json.id', [1, 2, 3, 4, 5]],
	])('reads %s', async (_, expression, expected) => {
		expect(await valuesOf(expression)).toEqual(expected);
	});

	test.each([
		['a send', 'error', send()],
		['a send', 'output', send()],
		['JSON', 'error', { ...send(), dataMode: 'json', jsonBody: '={{ $json }}' }],
		['JSON', 'output', { ...send(), dataMode: 'json', jsonBody: '={{ JSON.stringify($json) }}' }],
		['an API Request', 'error', { ...apiRequest('POST', '/sandbox/echo'), ...autoMap }],
	])('cannot take the error for a document: %s behind the %s', async (_, from, parameters) => {
		refuse(SEND_ENDPOINT, 0);
		const settings = from === 'error' ? ERROR_OUTPUT : CONTINUE_ON_ERROR;
		const workflow = workflowOf([{ id: 0 }], send(), settings);
		workflow.nodes.push(nodeOf('Behind', NODE_TYPE, parameters));
		const behind = [{ node: 'Behind', type: 'main' as const, index: 0 }];
		workflow.connections[NODE] = { main: from === 'error' ? [[], behind] : [behind] };
		const error = errorOf(await bench.engine.run(workflow, { key: bench.credential }));
		expect(error.message).toMatch(/^(Data to Send|JSON Body): the input item is an error$/);
		expect(error.context.outcome).toBe('notSent');
		expect(bench.sandbox.journal.count()).toBe(1);
	});

	test('can read them after n8n has stored the execution', async () => {
		bench.sandbox.fault({ action: { type: 'hangUpAfterActing' } });
		const result = await bench.run(itemsOf(1), send(), ERROR_OUTPUT);
		const [stored] = JSON.parse(JSON.stringify(result.items(NODE, 1))) as Array<{
			error: ShownError;
		}>;
		expect(stored?.error.context.outcome).toBe('unknown');
		expect(stored?.error.description).toContain('may have been carried out');
	});
});
