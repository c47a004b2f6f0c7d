// Wait for Room in n8n's engine: it waits in the node or lets n8n park the execution, and executions get room in turn.

import type { INode, INodeExecutionData } from 'n8n-workflow';

import { errorOf, hintsOf, itemsOf, NODE, type ShownError, useBench } from '../support/bench';
import type { EngineRun } from '../support/engine';
import { ERROR_OUTPUT, send, SEND_ENDPOINT } from '../support/parameters';
import { callTool } from '../support/toolWorkflow';

const WINDOW_MS = 4_800;
const send3 = { max: 3, windowSeconds: WINDOW_MS / 1000 };
const LIMITS = {
	general: [{ max: 100, windowSeconds: 0.5 }],
	endpoints: {
		[SEND_ENDPOINT]: send3,
		'POST /txndata/sendPayment': send3,
		'POST /txndata/sendTxnWP': send3,
	},
};
/** Longer than a tool waits. */
const LONG_LIMITS = {
	...LIMITS,
	endpoints: { [SEND_ENDPOINT]: { max: 3, windowSeconds: 600 } },
};

const bench = useBench({ limits: LIMITS });

const waitForRoom = (
	parameters: INode['parameters'] = {},
	options: INode['parameters'] = {},
): INode['parameters'] => ({
	resource: 'rateLimit',
	operation: 'waitForRoom',
	requests: 3,
	options,
	...parameters,
});
const parking = (parameters = {}) => waitForRoom(parameters, { parkAfter: 1 });
const withoutPairs = (items: INodeExecutionData[]) =>
	items.map(({ pairedItem: _, ...rest }) => rest);

/** After how many ms n8n is to resume a parked execution. */
function parkedMs({ run }: EngineRun, since: number): number {
	expect(run.status).toBe('waiting');
	return Number(run.waitTill) - since;
}

function expectAbout(ms: number, windows: number): void {
	expect(ms).toBeGreaterThan(windows * WINDOW_MS - 2_000);
	expect(ms).toBeLessThan(windows * WINDOW_MS + 2_000);
}

test('items pass at once and unchanged if there is room', async () => {
	const items = [{ id: 1, inner: { list: [1, null] } }, { id: 2, error: 'a field of its own' }, {}];
	const result = await bench.run(items, waitForRoom());
	expect(result.run.status).toBe('success');
	expect(withoutPairs(result.items(NODE))).toEqual(withoutPairs(result.items('Start')));
	expect(result.items(NODE).map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 0 },
		{ item: 1 },
		{ item: 2 },
	]);
	expect(bench.sandbox.journal.count()).toBe(0);
});

test('a short wait happens in the node, and then the sends go at once', async () => {
	await bench.run(itemsOf(3), send());
	const result = await bench.run(itemsOf(3), waitForRoom());
	expect(result.run.status).toBe('success');
	expectAbout(result.ms, 1);
	expect(hintsOf(result)).toEqual([expect.stringMatching(/^Waited \d(\.\d)? s for room\.$/)]);
	const sent = await bench.run(itemsOf(3), send({ maxWait: 0.5 }));
	expect(sent.run.status).toBe('success');
	expect(bench.sandbox.journal.refused()).toEqual([]);
});

test('n8n parks executions with long waits, and they get room in turn', async () => {
	await bench.run(itemsOf(3), send());
	const startedAt = Date.now();
	const results = await Promise.all(
		[1, 2, 3].map(async () => await bench.run(itemsOf(3), parking())),
	);
	// An execution has one ticket per node, and these runs share their execution ID.
	for (const result of results) {
		expectAbout(parkedMs(result, startedAt), 1);
		const [parked] = result.run.data.executionData?.nodeExecutionStack ?? [];
		// Keeps n8n from taking another execution's result for that of a sub-workflow that the node waits for.
		expect(parked?.metadata).toEqual({ waitingChildExecutionIds: ['execution'] });
	}
	for (const windows of [2, 3]) {
		bench.engine.executionId = `execution ${windows}`;
		const next = await bench.run(itemsOf(3), parking());
		expectAbout(parkedMs(next, startedAt), windows);
		expect(withoutPairs(next.items(NODE))).toEqual(withoutPairs(next.items('Start')));
	}
	bench.engine.executionId = 'execution';
	expect(bench.engine.log.join('\n')).toContain('when there is room for 3 requests');
});

test('a sub-workflow retried from the list of executions waits in the node', async () => {
	await bench.run(itemsOf(3), send());
	bench.engine.parentExecution = { executionId: 'caller', workflowId: 'workflow' };
	const result = await bench.run(itemsOf(3), parking());
	bench.engine.parentExecution = undefined;
	expect(result.run.status).toBe('success');
	expect(bench.engine.log.join('\n')).toContain('because n8n loses results of sub-workflows');
});

test('each limit has its own room', async () => {
	await bench.run(itemsOf(3), send());
	for (const limitOf of ['general', 'payment:send', 'transaction:sendWp']) {
		const result = await bench.run([{}], parking({ limitOf }));
		expect(result.run.status).toBe('success');
	}
	const result = await bench.run([{}], parking({ limitOf: 'transaction:send' }));
	expect(result.run.status).toBe('waiting');
});

test('a wait beyond Max Wait is an error with the time to wait', async () => {
	await bench.run(itemsOf(3), send());
	const error = errorOf(await bench.run(itemsOf(3), waitForRoom({}, { maxWait: 2 })));
	expect(error.message).toMatch(/^The limits leave no room for 3 requests for at least \d s$/);
	expect(error.context).toMatchObject({ outcome: 'notSent' });
	expect(error.context.retryAfterSeconds).toBeGreaterThan(2);

	const result = await bench.run(itemsOf(2), waitForRoom({}, { maxWait: 2 }), ERROR_OUTPUT);
	expect(result.run.status).toBe('success');
	const failed = result.items(NODE, 1);
	expect(failed).toHaveLength(2);
	for (const { error: own } of failed) {
		expect((own as unknown as ShownError).context.retryAfterSeconds).toBeGreaterThan(2);
	}
});

test.each([
	[{ requests: 4 }, 'Requests: must be a whole number from 1 to 3'],
	[{ requests: 0 }, 'Requests: must be a whole number from 1 to 3'],
	[{ requests: 101, limitOf: 'general' }, 'Requests: must be a whole number from 1 to 100'],
	[{ limitOf: 'contact:getMany' }, 'Limit Of: is not known'],
])('%j is refused', async (parameters, message) => {
	const error = errorOf(await bench.run([{}], waitForRoom(parameters)));
	expect(error.message).toBe(message);
});

test('a stop ends the wait and frees its tickets', async () => {
	await bench.run(itemsOf(3), send());
	const begunAt = performance.now();
	await bench.stoppedWhen(() => performance.now() - begunAt > 500, [{}], waitForRoom());
	bench.engine.executionId = 'another execution';
	const startedAt = Date.now();
	expectAbout(parkedMs(await bench.run([{}], parking()), startedAt), 1);
	bench.engine.executionId = 'execution';
});

describe('as a tool of an agent', () => {
	const call = async (parameters: INode['parameters']) =>
		(await callTool(bench, [{}], parameters))[0];

	test('waits in the node, because n8n cannot park it', async () => {
		await bench.run(itemsOf(3), send());
		const startedAt = performance.now();
		expect((await call(parking()))?.error).toBeUndefined();
		expectAbout(performance.now() - startedAt, 1);
		expect(bench.engine.log.join('\n')).toContain('because n8n cannot park a tool of an agent');
	});

	test('fails at once with the time to wait if that is over a minute', async () => {
		bench.credential.limits = JSON.stringify(LONG_LIMITS);
		await bench.run(itemsOf(3), send());
		const startedAt = performance.now();
		const responses = [
			await call({ ...send(), dataMode: 'json', jsonBody: '{"id":1}' }),
			await call(waitForRoom({ requests: 1 })),
		];
		expect(performance.now() - startedAt).toBeLessThan(5_000);
		for (const response of responses) {
			expect(response?.error).toContain('limits leave no room');
			expect(response?.error).toContain('for at least 10 min');
			expect(response?.error).toMatch(/Run it again in (59\d|60\d) s/);
		}
	});
});
