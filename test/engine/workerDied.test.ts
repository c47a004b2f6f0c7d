// In queue mode, n8n 1.x runs the execution of a dead worker again, from its start, on another worker. Sends without a
// Send Once Key do not go out again; with one, the run goes on where it was.

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
/** n8n 2.x has no such setting. */
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

/** Changes the processes in each record, which are in the order of their start. */
async function changeProcesses(change: (processes: string[]) => string[]): Promise<void> {
	for (const row of await table.find()) {
		const { mode: kind, data } = row.value;
		await table.update(row, { ...row, value: { mode: kind, data: change([data].flat()) } });
	}
}

const becomeAnotherProcess = async () =>
	await changeProcesses(([, ...others]) => ['another', ...others]);

test('a rerun without a Send Once Key sends nothing again, and its error says what to do', async () => {
	await bench.run(itemsOf(2), send());
	// The run, and the list by which the oldest record is forgotten.
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
	[', even if its own record is missing', () => ['another']],
])('a hung worker stops sending once another has begun its run%s', async (_, change) => {
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
])('a rerun %s goes on', async (_, parameters) => {
	await bench.run(itemsOf(2), parameters);
	await becomeAnotherProcess();
	expect((await bench.run(itemsOf(3), parameters)).run.status).toBe('success');
});

test('another execution and Retry On Fail in the same process still send', async () => {
	bench.respond(400, { after: 1 });
	expect((await bench.run(itemsOf(2), send(), RETRY_ON_FAIL)).run.status).toBe('success');
	await becomeAnotherProcess();
	bench.engine.executionId = 'another execution';
	expect((await bench.run(itemsOf(2), send())).run.status).toBe('success');
	expect(bench.documents()).toHaveLength(4);
});

test('concurrent calls of a tool are all sent', async () => {
	// The second call looks up the run before the first has recorded it, and records it after that.
	const latencies = [2, 8];
	table.latencyMs = () => latencies.shift() ?? 2;
	const calls = [bench.run(itemsOf(1), send()), bench.run(itemsOf(1), send())];
	const ended = await Promise.all(calls);
	expect(ended.map(({ run }) => run.status)).toEqual(['success', 'success']);
	expect(bench.documents()).toHaveLength(2);
});

test('calls through an MCP trigger, which belong to no execution, are sent after a restart', async () => {
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
	['if the store fails', () => table.fail('read')],
	[
		'without a store',
		() =>
			jest.spyOn(DataDeduplicationService, 'getInstance').mockImplementation(() => {
				throw new Error('not initialized');
			}),
	],
])('documents are sent %s', async (_, lose) => {
	lose();
	expect((await bench.run(itemsOf(1), send())).run.status).toBe('success');
	jest.restoreAllMocks();
});
