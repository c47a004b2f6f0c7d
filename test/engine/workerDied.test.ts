// n8n 1.x in queue mode runs the execution of a worker that has died again, from its start, on another worker. What has
// no Send Once Key is not sent again; what has one goes on where it was.

import { GlobalConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import { DataDeduplicationService } from 'n8n-core';

import { errorOf, itemsOf, NO_LIMITS, NODE, useBench } from '../support/bench';
import { useDeduplicator } from '../support/deduplicator';
import { CONTINUE_ON_ERROR, ONCE, RETRY_ON_FAIL, send } from '../support/parameters';
import { waitUntil } from '../support/waitUntil';

const bench = useBench({ limits: NO_LIMITS });
const table = useDeduplicator();
const { executions, queue } = Container.get(GlobalConfig);
const { mode } = executions;
/** n8n 2.x has none. */
const settings = queue.bull.settings as object as { maxStalledCount?: number };
const { maxStalledCount } = settings;

beforeEach(() => {
	executions.mode = 'queue';
	settings.maxStalledCount = 1;
});
afterEach(() => {
	executions.mode = mode;
	if (maxStalledCount === undefined) delete settings.maxStalledCount;
	else settings.maxStalledCount = maxStalledCount;
});

/** Changes which processes are in each record, in the order in which they have begun. */
async function changeProcesses(change: (processes: string[]) => string[]): Promise<void> {
	for (const row of await table.find()) {
		const { mode: kind, data } = row.value;
		await table.update(row, { ...row, value: { mode: kind, data: change([data].flat()) } });
	}
}

const becomeAnotherProcess = async () =>
	await changeProcesses(([, ...others]) => ['another', ...others]);

test('what was sent without a Send Once Key is not sent again, and the error says what to do', async () => {
	await bench.run(itemsOf(2), send());
	// The run, and the list by which the oldest is forgotten.
	expect(await table.find()).toHaveLength(2);
	await becomeAnotherProcess();
	const error = errorOf(await bench.run(itemsOf(2), send()));
	expect(bench.documents()).toEqual(itemsOf(2));
	expect(error.message).toContain('its worker has died or hung, and n8n runs it again');
	expect(error.description).toContain('QUEUE_WORKER_MAX_STALLED_COUNT=0');
	expect(error.context).toMatchObject({ outcome: 'unknown' });
	const items = (await bench.run(itemsOf(2), send(), CONTINUE_ON_ERROR)).items(NODE);
	expect(items.map(({ error: one }) => one?.context.outcome)).toEqual(['unknown', 'unknown']);
	expect(bench.documents()).toEqual(itemsOf(2));
});

test.each([
	['', (processes: string[]) => [...processes, 'another']],
	[', and its own record failed', () => ['another']],
])('a worker that hung sends no more when another one has begun its run%s', async (_, change) => {
	bench.sandbox.fault({ action: { type: 'hold' } });
	const running = bench.run(itemsOf(3), send());
	await waitUntil(() => bench.sandbox.journal.count() === 1);
	await changeProcesses(change);
	bench.sandbox.clearFaults();
	const error = errorOf(await running);
	expect(bench.documents()).toEqual(itemsOf(1));
	expect(error.message).toContain('n8n runs this execution again on another worker');
	expect(error.description).toContain('Check in the service');
	expect(error.context).toMatchObject({
		outcome: 'notSent',
		sentItems: [0],
		failedItems: [1],
		notTriedItems: [2],
	});
});

test.each([
	['with Send Once Keys', send(ONCE)],
	['as a Dry Run', send({ dryRun: true })],
])('a run %s goes on', async (_, parameters) => {
	await bench.run(itemsOf(2), parameters);
	await becomeAnotherProcess();
	expect((await bench.run(itemsOf(3), parameters)).run.status).toBe('success');
});

test('another execution, and Retry On Fail in the same process, send', async () => {
	bench.respond(400, { after: 1 });
	expect((await bench.run(itemsOf(2), send(), RETRY_ON_FAIL)).run.status).toBe('success');
	await becomeAnotherProcess();
	bench.engine.executionId = 'another execution';
	expect((await bench.run(itemsOf(2), send())).run.status).toBe('success');
	expect(bench.documents()).toHaveLength(4);
});

test('calls of a tool side by side send', async () => {
	// The second one looks before the first one has recorded the run, and records it after that.
	const latencies = [2, 8];
	table.latencyMs = () => latencies.shift() ?? 2;
	const calls = [bench.run(itemsOf(1), send()), bench.run(itemsOf(1), send())];
	const ended = await Promise.all(calls);
	expect(ended.map(({ run }) => run.status)).toEqual(['success', 'success']);
	expect(bench.documents()).toHaveLength(2);
});

test('calls through an MCP trigger, which belong to no execution, send after a restart of n8n', async () => {
	const { executionId } = bench.engine;
	Object.assign(bench.engine, { executionId: undefined });
	try {
		await bench.run(itemsOf(1), send());
		await becomeAnotherProcess();
		expect((await bench.run(itemsOf(1), send())).run.status).toBe('success');
		expect(bench.documents()).toHaveLength(2);
	} finally {
		bench.engine.executionId = executionId;
	}
});

test.each([0, undefined])('with at most %s restarts, nothing is recorded', async (most) => {
	settings.maxStalledCount = most;
	await bench.run(itemsOf(1), send());
	expect(table.text).toBe('');
});

test.each([
	['while the store fails', () => table.fail('read')],
	[
		'without a store',
		() =>
			jest.spyOn(DataDeduplicationService, 'getInstance').mockImplementation(() => {
				throw new Error('not initialized');
			}),
	],
])('%s, documents go out as without a record', async (_, lose) => {
	lose();
	expect((await bench.run(itemsOf(1), send())).run.status).toBe('success');
	jest.restoreAllMocks();
});
