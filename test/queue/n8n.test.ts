// A real n8n in queue mode: six executions on two workers share the limits of one key, even if a worker dies, if the
// Redis of the limit store is restarted or emptied, or if all of n8n is restarted.

import { setTimeout as pause } from 'node:timers/promises';

import type { Sandbox } from '../../sandbox/server';
import type { ExecutionResult } from '../../scripts/host/executionData';
import { ENDPOINTS, formatEndpoint } from '../../nodes/BusinessData/transport/endpoints';
import { KINDS, READS, SENDS, useQueueBench } from '../support/queueBench';
import { WORKERS } from '../support/queueMode';
import { CONTINUE_ON_ERROR, ONCE } from '../support/parameters';
import { credentialFor, scaledLimits } from '../support/scaledLimits';
import { waitUntil } from '../support/waitUntil';
import { itemsOf } from '../n8n/realN8n';
import { inARow, node, SEND as SEND_NODE, send, startWithWebhook } from '../n8n/workflows';

const RUN_MS = 600_000;
const SEND = formatEndpoint(ENDPOINTS.sendTransaction);
/** Windows of 0.1 s, 1 s and 6 s, and of 6 s for the sends. */
const LIMITS = scaledLimits(0.1, 0.01);
/** As many sends as in `LIMITS`, in a window longer than a restart of n8n. */
const LIMITS_WITH_SLOW_SENDS = scaledLimits(0.1, 0.15);
/** The same windows, never full. */
const WIDE_LIMITS = {
	general: LIMITS.general.map((limit) => ({ ...limit, max: 10_000 })),
	endpoints: {},
};
const ROUNDS = 6;
const CALLS = 4;
const PATH = 'the-same-documents';
/** The number of requests before a fault: by then, some windows are full, and some requests wait. */
const MID_RUN = 60;

jest.setTimeout(RUN_MS);
const bench = useQueueBench(async () => {
	await bench.open(WIDE_LIMITS);
	// A worker's first executions are slow.
	await bench.callAll();
});

const midRun = async () => await waitUntil(() => bench.sandbox.journal.count() >= MID_RUN, RUN_MS);

test.each(['sliding', 'fixed'] as const)(
	'six executions on two workers are never refused by a service with %s windows',
	async (windowMode) => {
		await bench.open(LIMITS, windowMode);
		bench.expectAllRespondedOnce(await bench.callAll());
		expect(bench.sandbox.journal.refused()).toEqual([]);
		const [one = 0, other = 0] = bench.requestsByWorker();
		expect(Math.min(one, other)).toBeGreaterThan(0);
		expect(one + other).toBe(READS + SENDS);
	},
);

/** Expects that each document was sent once, and that exactly one execution reports it as sent. */
function expectEachSentOnce(
	{ journal }: Sandbox,
	documents: Array<{ id: string }>,
	results: ExecutionResult[],
): void {
	const sent = journal.documents().map(({ body }) => (body as { id: string }).id);
	expect(sent.sort()).toEqual(documents.map(({ id }) => id).sort());
	const isWhole = (result: ExecutionResult) =>
		itemsOf(result, SEND_NODE).length === documents.length;
	expect(results.filter((result) => !isWhole(result))).toEqual([]);
	for (const [index, { id }] of documents.entries()) {
		const reported = results.map(
			(result) => itemsOf(result, SEND_NODE)[index] as { status?: string },
		);
		const times = reported.filter(({ status }) => status === 'sent').length;
		expect([{ id, reported }, times]).toEqual([{ id, reported }, 1]);
	}
}

test('calls on both workers and a manual run with the same keyed documents send each once', async () => {
	await bench.open(WIDE_LIMITS);
	const { n8n, sandbox, credentialId } = bench;
	const { client } = n8n;
	const sending = send(ONCE, CONTINUE_ON_ERROR);
	sending.credentials = { businessDataApi: { id: credentialId, name: 'Business Data' } };
	const workflow = await client.saveWorkflow(
		inARow('The same documents', [...startWithWebhook(PATH), sending]),
	);
	await client.publishWorkflow(workflow.id);
	const executions = new Set<string>();
	for (let round = 0; round < ROUNDS; round++) {
		sandbox.reset();
		// In every other round the first send is refused, so another execution must send the document.
		if (round % 2 === 1) {
			sandbox.fault({ endpoint: SEND, action: { type: 'status', status: 400 } });
		}
		const documents = ['a', 'b', 'c'].map((name) => ({ id: `${name}-${round}` }));
		const calls = Array.from({ length: CALLS }, async () => await bench.post(PATH, { documents }));
		const [, ...responses] = await Promise.all([
			client.startWorkflow(workflow, 'Webhook', [{ body: { documents } }]),
			...calls,
		]);
		expect(responses.filter(({ ok }) => !ok)).toEqual([]);
		const ids = (await client.listExecutions(workflow.id))
			.map(({ id }) => id)
			.filter((id) => !executions.has(id));
		expect(ids).toHaveLength(CALLS + 1);
		for (const id of ids) executions.add(id);
		const results = await Promise.all(ids.map(async (id) => await client.waitForExecution(id)));
		expectEachSentOnce(sandbox, documents, results);
	}
	const byWorker = WORKERS.map((worker) => n8n.executionsOf(worker));
	const shares = byWorker.map((ids) => ids.filter((id) => executions.has(id)).length);
	for (const share of shares) expect(share).toBeGreaterThan(0);
	// The manual runs were in the main process.
	expect(shares.reduce((sum, share) => sum + share)).toBe(ROUNDS * CALLS);
});

describe('a fault during the run', () => {
	// `outages.test.ts` has other faults, and clusters and Sentinels.
	test.each<[string, () => Promise<void>]>([
		[
			'killed and restarted with its data',
			async () => {
				await bench.limitStoreServer.stop('SIGKILL');
				await pause(1_000);
				await bench.limitStoreServer.start();
			},
		],
		[
			'emptied and the workers enter their slots again',
			async () => {
				// Otherwise there is nothing to lose.
				expect(await bench.redis.dbsize()).toBeGreaterThan(0);
				await bench.redis.flushall();
			},
		],
	])('all executions succeed when Redis is %s', async (_, strike) => {
		await bench.open(LIMITS);
		const run = bench.callAll();
		await midRun();
		await strike();
		bench.expectAllRespondedOnce(await run);
		expect(bench.sandbox.journal.refused()).toEqual([]);
	});

	test('nothing is refused, sent twice or lost without an error when a worker is killed', async () => {
		await bench.open(LIMITS);
		const { n8n, sandbox } = bench;
		const failedBefore = await bench.failedExecutions();
		const run = bench.callAll();
		await midRun();
		// Kill the worker that has sent a document, because its execution must not run again.
		const sender = String(
			sandbox.journal.all().find(({ method }) => method === 'POST')?.query.execution,
		);
		const victim = WORKERS.find((worker) => n8n.executionsOf(worker).includes(sender));
		if (victim === undefined) throw new Error('no worker has sent anything');
		await n8n.kill(victim);
		const before = sandbox.journal.count();
		const responses = await run;
		const later = sandbox.journal.all().slice(before);

		expect(sandbox.journal.refused()).toEqual([]);
		for (const kind of KINDS) {
			const numbers = bench.numbersOf(kind);
			expect(numbers).toEqual([...new Set(numbers)]);
		}
		const complete = responses.filter(({ status }) => status === 200);
		for (const { kind, items, numbers } of complete) {
			expect(items).toBe(numbers.length);
			expect(bench.numbersOf(kind)).toEqual(expect.arrayContaining(numbers));
		}
		// Each missing response belongs to an execution that n8n shows as failed.
		const failed = (await bench.failedExecutions()).filter((id) => !failedBefore.includes(id));
		expect(failed).toContain(sender);
		expect(failed).toHaveLength(responses.length - complete.length);
		expect(n8n.executionsOf(victim)).toEqual(expect.arrayContaining(failed));
		expect(later.length).toBeGreaterThan(0);
		for (const { query } of later) expect(failed).not.toContain(query.execution);
	});
});

test('after a restart with the settings of n8n 3, limits still hold, and a worker takes manual runs', async () => {
	await bench.open(LIMITS_WITH_SLOW_SENDS);
	const { n8n, sandbox } = bench;
	const responses = [await bench.call('sends', [1, 2, 3])];
	const respondedAt = performance.now();
	await n8n.end();
	await n8n.startAgain({ OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true' });
	const restartMs = performance.now() - respondedAt;
	responses.push(await bench.call('sends', [4]));
	expect(responses.map(({ status }) => status)).toEqual([200, 200]);
	expect(sandbox.journal.refused()).toEqual([]);
	expect(bench.numbersOf('sends')).toEqual([1, 2, 3, 4]);
	const [first = 0, , , fourth = 0] = sandbox.journal.all().map(({ atMs }) => atMs);
	const windowMs = 1_000 * (LIMITS_WITH_SLOW_SENDS.endpoints[SEND]?.windowSeconds ?? 0);
	expect(fourth - first).toBeGreaterThanOrEqual(windowMs);
	// On a slow machine, the restart may take longer than the window.
	const mostMs = Math.max(windowMs, restartMs + 5_000) + 5_000;
	expect(fourth - first).toBeLessThan(mostMs);

	const read = node('Read', 'n8n-nodes-business-data.businessData', 1, { options: {} });
	const credential = { name: 'Counts alone', type: 'businessDataApi' };
	const data = credentialFor(sandbox, WIDE_LIMITS);
	const credentialId = await n8n.client.saveCredential({ ...credential, data });
	read.credentials = { businessDataApi: { id: credentialId, name: credential.name } };
	const start = node('Start', 'n8n-nodes-base.manualTrigger', 1);
	const workflow = await n8n.client.saveWorkflow(inARow('By hand', [start, read]));
	const { id, status } = await n8n.client.runWorkflow(workflow, 'Start');
	expect(status).toBe('success');
	const worker = WORKERS.find((one) => n8n.executionsOf(one).includes(id));
	if (worker === undefined) throw new Error('no worker has run it');
	expect(n8n.log(worker)).toContain('n8n runs in queue mode, but the limits');
});
