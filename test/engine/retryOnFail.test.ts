// Retry On Fail runs the whole node again, but nothing that was or may have been sent is sent again. The same holds for a
// tool of an agent, where each call gets its own response.

import type { IExecuteFunctions } from 'n8n-workflow';

import type * as Package from '../../nodes/BusinessData/BusinessData.node';
import { errorOf, expectLists, itemsOf, NO_LIMITS, NODE, useBench } from '../support/bench';
import { useDeduplicator } from '../support/deduplicator';
import {
	apiRequest,
	CONTINUE_ON_ERROR,
	deleteMany,
	ONCE,
	READ_ENDPOINT,
	RETRY_ON_FAIL,
	send,
	SEND_ENDPOINT,
	sentDocument,
} from '../support/parameters';
import { linksTo, NODE_TYPE, nodeOf, workflowOf } from '../support/engineWorkflow';
import { loadAgain } from '../support/loadAgain';
import { waitUntil } from '../support/waitUntil';
import { callTool } from '../support/toolWorkflow';

const bench = useBench({ limits: NO_LIMITS });
useDeduplicator();

test('a retry after a refused send sends each of five documents once', async () => {
	bench.respond(400, { after: 2 });
	const result = await bench.run(itemsOf(5), send(), RETRY_ON_FAIL);
	expect(result.run.status).toBe('success');
	expect(bench.documents()).toEqual(itemsOf(5));
	// Each item comes out with its first result, in order.
	expect(result.items(NODE)).toMatchObject(
		itemsOf(5).map((_, item) => ({ json: { id: `doc-${item + 1}` }, pairedItem: { item } })),
	);
});

test('a retry after a timeout does not send the document again', async () => {
	bench.sandbox.fault({ after: 1, action: { type: 'neverRespond', act: true } });
	const error = errorOf(await bench.run(itemsOf(3), send({ timeout: 1 }), RETRY_ON_FAIL));
	expect(bench.documents()).toEqual(itemsOf(2));
	expect(error.message).toContain('may have taken effect');
	expectLists(error, 'Sent: item 0. Perhaps sent: item 1. Not tried: item 2.');
});

test.each([
	['that timed out', { type: 'neverRespond' as const, act: false }],
	['that got a 503', { type: 'status' as const, status: 503 }],
])('a retry repeats a read among sends %s', async (_, action) => {
	// The first attempt and its three retries.
	bench.sandbox.fault({ endpoint: READ_ENDPOINT, times: 4, action });
	const parameters = apiRequest(
		'={{ $json.id === 1 ? "GET" : "POST" }}',
		'={{ $json.id === 1 ? "/masterdata/getContacts" : "/txndata/sendTxn" }}',
		{ timeout: 1 },
	);
	const result = await bench.run(itemsOf(3), parameters, RETRY_ON_FAIL);
	expect(result.run.status).toBe('success');
	expect(bench.sandbox.journal.count(READ_ENDPOINT)).toBe(5);
	expect(bench.documents()).toHaveLength(2);
});

test.each(['same', undefined])('two nodes with the ID %j send a document each', async (id) => {
	const settings = { id: id as string, ...RETRY_ON_FAIL };
	const workflow = workflowOf([{ id: 1 }], send(), settings);
	workflow.nodes.push(nodeOf('Second', NODE_TYPE, { ...send(), resource: 'payment' }, settings));
	workflow.connections = { Start: linksTo('main', NODE, 'Second') };
	await bench.engine.run(workflow, { key: bench.credential });
	expect(bench.documents()).toHaveLength(2);
});

test.each([
	[3, 1, 'Sent: item 0. Perhaps sent: item 1. Not tried: item 2.'],
	[1, 0, 'Perhaps sent: item 0.'],
])(
	'a retry of %i items that cannot start lists what previous attempts sent',
	async (count, after, lists) => {
		bench.sandbox.fault({ after, action: { type: 'hangUpAfterActing' } });
		const settings = { ...RETRY_ON_FAIL, waitBetweenTries: 1_000 };
		const execution = bench.run(itemsOf(count), send(), settings);
		await waitUntil(() => bench.sandbox.journal.count() === after + 1);
		bench.credential.apiKey = '12';
		const error = errorOf(await execution);
		expect(error.message).toBe('API Key: has 2 characters instead of 64');
		expectLists(error, lists);
		expect(error.context.outcome).toBe('unknown');
	},
);

test('a retry does not delete a batch again', async () => {
	bench.respond(400, { after: 1 });
	const result = await bench.run(itemsOf(4), deleteMany({ batchSize: 2 }), RETRY_ON_FAIL);
	expect(result.run.status).toBe('success');
	const ids = bench.sandbox.journal.responded().map(({ body }) => (body as { ids: number[] }).ids);
	expect(ids).toEqual([
		[0, 1],
		[2, 3],
	]);
});

test('a retry does not release a key again, because another run may have sent it meanwhile', async () => {
	const once = send(ONCE);
	await bench.run([{ id: 'a' }], once);
	bench.sandbox.fault({ action: { type: 'hold' } });
	const underWay = bench.run([{ id: 'b' }], once);
	await waitUntil(() => bench.sandbox.journal.count() === 2);
	const settings = { ...RETRY_ON_FAIL, waitBetweenTries: 1_000 };
	const releasing = bench.run([{ id: 'a' }, { id: 'b' }], sentDocument('release'), settings);
	await waitUntil(async () => (await bench.statesOf('a'))[0] === 'notSent');
	await bench.run([{ id: 'a' }], once);
	const error = errorOf(await releasing);
	bench.sandbox.clearFaults();
	await underWay;
	expect(error.message).toBe('Send Once Key: it is being sent right now');
	expect(await bench.statesOf('a')).toEqual(['sent']);
	expect(error.context).toMatchObject({ changedItems: [0], failedItems: [1], notTriedItems: [] });
});

describe('an update of the package between two attempts', () => {
	/** Swaps the node for another loaded copy, as when n8n reloads the package. */
	function update(): void {
		const { BusinessData } = loadAgain<typeof Package>('BusinessData.node');
		const copy = new BusinessData();
		const execute = async function (this: IExecuteFunctions) {
			return await copy.execute.call(this);
		};
		jest.spyOn(bench.engine.nodeType(), 'execute').mockImplementation(execute);
	}
	const settings = { ...RETRY_ON_FAIL, waitBetweenTries: 1_000 };

	test('sends nothing again', async () => {
		bench.respond(400, { after: 1 });
		const execution = bench.run(itemsOf(2), send(), settings);
		await waitUntil(() => bench.sandbox.journal.count() === 2);
		update();
		expect((await execution).json(NODE)).toMatchObject([{ id: 'doc-1' }, { id: 'doc-2' }]);
		expect(bench.documents()).toEqual(itemsOf(2));
	});

	test('keeps the list of what may have been sent', async () => {
		bench.sandbox.fault({ after: 1, action: { type: 'hangUpAfterActing' } });
		const execution = bench.run(itemsOf(3), send(), settings);
		await waitUntil(() => bench.sandbox.journal.count() === 2);
		update();
		const error = errorOf(await execution);
		expect(bench.documents()).toEqual(itemsOf(2));
		expect(error.message).toContain('may have taken effect');
		expect(error.description).toContain('Check in the service before you run it again.');
		expectLists(error, 'Sent: item 0. Perhaps sent: item 1. Not tried: item 2.');
		expect(error.context).toMatchObject({ outcome: 'unknown', itemIndex: 1 });
	});
});

test('another execution sends again, and a run without Retry On Fail is not retried', async () => {
	await bench.run(itemsOf(1), send(), RETRY_ON_FAIL);
	await bench.run(itemsOf(1), send(), RETRY_ON_FAIL);
	expect(bench.documents()).toHaveLength(2);
	bench.respond(400, { after: 1 });
	errorOf(await bench.run(itemsOf(2), send()));
	expect(bench.documents()).toHaveLength(3);
});

test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
	'failed items do not make n8n run the node again (%s)',
	async (onError) => {
		bench.respond(400);
		bench.sandbox.fault({ after: 1, action: { type: 'hangUpAfterActing' } });
		// n8n takes a field of this name for a failed run.
		const items = itemsOf(3).map((item) => ({ ...item, error: 'earlier' }));
		const result = await bench.run(items, send(), { ...RETRY_ON_FAIL, onError });
		expect(result.run.status).toBe('success');
		expect(bench.sandbox.journal.count(SEND_ENDPOINT)).toBe(3);
		expect(bench.documents()).toEqual(items.slice(1));
	},
);

test('an invalid credential does not make n8n run the node again', async () => {
	bench.credential.apiKey = '12';
	const execute = jest.spyOn(bench.engine.nodeType(), 'execute');
	await bench.run(itemsOf(1), send(), { ...RETRY_ON_FAIL, ...CONTINUE_ON_ERROR });
	expect(execute).toHaveBeenCalledTimes(1);
});

describe.each([1, 3])('as a tool of an agent of version %d', (agentVersion) => {
	const parameters = {
		...send({ timeout: 1 }),
		dataMode: 'json',
		jsonBody: '={{ { "number": $fromAI("number", "", "number") } }}',
	};

	const call = async (numbers: number[], options = {}, settings = {}) => {
		const calls = numbers.map((number) => ({ number }));
		return await callTool(bench, calls, { ...parameters, options }, settings, { agentVersion });
	};

	test('sends one document if the service acts and responds with 500', async () => {
		bench.respond(500, { act: true });
		const [response] = await call([1], {}, RETRY_ON_FAIL);
		expect(bench.documents()).toEqual([{ number: 1 }]);
		expect(response?.error).toContain('500');
		expect(response?.error).toContain('It was not retried, because it may have been carried out');
	});

	test('sends each of several concurrent calls and gives each its own response', async () => {
		bench.respond(400, { times: 2 });
		const responses = await call([1, 2, 3, 4], {}, RETRY_ON_FAIL);
		expect(bench.documents()).toHaveLength(4);
		expect(new Set(responses.map(({ response }) => response)).size).toBe(4);
		const documents = bench.sandbox.journal.documents();
		for (const [index, { response }] of responses.entries()) {
			const own = documents.find(({ body }) => (body as { number: number }).number === index + 1);
			expect(response).toContain(`"${own?.id}"`);
		}
	});

	test.each([
		[{}, RETRY_ON_FAIL, 2],
		[{ sendOnceKey: '={{ $fromAI("number", "", "number") }}' }, {}, 1],
		[{ sendOnceKey: '={{ $fromAI("number", "", "number") }}' }, RETRY_ON_FAIL, 1],
	])('with %j and %j, sends this many of two identical calls: %d', async (options, own, sent) => {
		const responses = await call([1, 1], options, own);
		expect(bench.documents()).toEqual(Array(sent).fill({ number: 1 }));
		const skipped = responses.filter(({ response }) => response?.includes('"skipped":true'));
		expect(skipped).toHaveLength(2 - sent);
		expect(new Set(responses.map(({ response }) => response)).size).toBe(2);
	});

	test('reports a failure to the agent, even with continue on error', async () => {
		bench.respond(400, { body: { message: 'bad' } });
		const [response] = await call([1], {}, CONTINUE_ON_ERROR);
		expect(JSON.stringify(response)).toContain('400');
		bench.respond(400);
		await call([1], {}, { ...RETRY_ON_FAIL, ...CONTINUE_ON_ERROR });
		expect(bench.documents()).toEqual([{ number: 1 }]);
	});

	test('reports a failure of all attempts to the agent', async () => {
		bench.respond(400, { times: Infinity });
		const [response] = await call([1], {}, RETRY_ON_FAIL);
		expect(response?.error).toContain('400');
		expect(bench.sandbox.journal.count()).toBe(RETRY_ON_FAIL.maxTries);
	});
});
