// n8n shuts down while nodes of all kinds wait: nothing more goes out, and every run ends at once and says what it has
// done. One signal for all of them, because n8n gets no second one.

import { type Sandbox, startSandbox } from '../../sandbox/server';
import { itemsOf, NODE, oneLimit, type ShownError } from '../support/bench';
import { Engine, type EngineRun, readRun } from '../support/engine';
import { type WorkflowJson, workflowOf } from '../support/engineWorkflow';
import { deleteMany, ERROR_OUTPUT, read, RETRY_ON_FAIL, send } from '../support/parameters';
import { credentialFor } from '../support/scaledLimits';
import { waitUntil } from '../support/waitUntil';

/** After this, n8n ends itself by force. The limits would make them wait for longer. */
const LONGEST_END_MS = 30_000;
/** The response that a request under way gets in time. */
const LATE_MS = 1_000;
const ITEMS = itemsOf(6);

/** Each waits during or after its first request. */
const WAITING: Record<string, WorkflowJson> = {
	sends: workflowOf(ITEMS, send()),
	'sends that continue on error': workflowOf(ITEMS, send(), ERROR_OUTPUT),
	'sends that retry on fail': workflowOf(ITEMS, send(), RETRY_ON_FAIL),
	'a send under way': workflowOf(ITEMS, { ...send(), operation: 'sendWp' }),
	'a send under way for too long': workflowOf(ITEMS, { ...send(), resource: 'payment' }),
	reads: workflowOf(ITEMS, read()),
	deletions: workflowOf(ITEMS, deleteMany({ batchSize: 1 })),
	'wait for room': workflowOf(ITEMS, {
		resource: 'rateLimit',
		operation: 'waitForRoom',
		limitOf: 'general',
		options: { parkAfter: 100_000 },
	}),
};

/** One per workflow, and one of the poll. */
const REQUESTS = Object.keys(WAITING).length + 1;

let sandbox: Sandbox;
let engine: Engine;
const ended: Record<string, EngineRun> = {};
let lastsMs: number;
let polled: unknown;

/** A separate key for each run, so that they share no limit. */
function credentials(number: number) {
	const apiKey = String(number).padStart(64, '0');
	sandbox.setKeyState(apiKey, 'active');
	const fields = credentialFor({ baseUrl: sandbox.baseUrl, apiKey });
	return { key: { ...fields, customize: true, limits: oneLimit(1, 600) } };
}

beforeAll(async () => {
	// n8n has a handler, too.
	process.once('SIGTERM', () => undefined);
	sandbox = await startSandbox();
	engine = await Engine.load();
	const late = { type: 'delay', ms: LATE_MS, actFirst: false } as const;
	sandbox.fault({ endpoint: 'POST /txndata/sendTxnWP', action: late });
	const never = { type: 'neverRespond', act: true } as const;
	sandbox.fault({ endpoint: 'POST /txndata/sendPayment', action: never });
	// A poll has five minutes, and waits for more than one.
	const parameters = { events: ['contactUpdated'], idField: 'id', options: {} };
	const { poll } = engine.trigger(parameters, {
		key: { ...credentials(98).key, limits: oneLimit(1, 100) },
	});
	await poll();
	const polling = poll();
	const names = Object.keys(WAITING);
	await engine.run(workflowOf([{}], read()), credentials(names.indexOf('wait for room')));
	const runs = Object.entries(WAITING).map(([name, workflow], number) => {
		engine.executionId = name;
		return engine.start(workflow, credentials(number));
	});
	await waitUntil(() => sandbox.journal.count() === REQUESTS);
	const startedAt = performance.now();
	process.emit('SIGTERM');
	for (const [index, run] of runs.entries()) ended[names[index] ?? ''] = readRun(await run);
	polled = await polling;
	lastsMs = performance.now() - startedAt;
});
afterAll(async () => await sandbox.stop());

test('a shutdown ends all runs at once, and nothing more goes out', () => {
	expect(lastsMs).toBeLessThan(LONGEST_END_MS);
	expect(sandbox.journal.count()).toBe(REQUESTS);
});

test('an execution that begins after the shutdown sends nothing', async () => {
	const before = sandbox.journal.count();
	const after = await engine.run(workflowOf(ITEMS, send()), credentials(99));
	expect(after.run.status).toBe('error');
	expect(after.task(NODE).error?.description).toContain('Not sent: item 0. Not tried: items 1–5.');
	expect(sandbox.journal.count()).toBe(before);
});

const SHUTDOWN = 'n8n is shutting down: what was still waiting was not carried out';
const CUT_OFF = 'The request may have taken effect: it was under way when n8n shut down';
const DELETIONS = 'Deleted: item 0. Not deleted: items 1–3. Not tried: items 4–5.';
const PERHAPS = 'Perhaps sent: item 0. Not tried: items 1–5.';
const SENDS = 'Sent: item 0. Not sent: item 1. Not tried: items 2–5.';

test.each([
	['sends', SHUTDOWN, 'notSent', SENDS],
	['sends that retry on fail', SHUTDOWN, 'notSent', SENDS],
	['a send under way', SHUTDOWN, 'notSent', SENDS],
	['deletions', SHUTDOWN, 'notSent', DELETIONS],
	['reads', SHUTDOWN, 'notSent', ''],
	['wait for room', SHUTDOWN, 'notSent', ''],
	['a send under way for too long', CUT_OFF, 'unknown', PERHAPS],
])('%s: the error and the log list what was done', (name, message, outcome, lists) => {
	const error = ended[name]?.task(NODE).error as unknown as ShownError;
	expect(error.message).toBe(message);
	expect(error.description?.endsWith(lists || 'Run it again when n8n is back.')).toBe(true);
	expect(error.context.outcome).toBe(outcome);
	expect(loggedOf(name)).toContain(`shutting down. ${lists}`.trim() + "'");
});

test('with continue on error, only the sent item leaves by the success output', () => {
	const name = 'sends that continue on error';
	expect(ended[name]?.run.status).toBe('success');
	expect(ended[name]?.items(NODE, 0)).toMatchObject([{ pairedItem: { item: 0 } }]);
	expect(ended[name]?.items(NODE, 1)).toHaveLength(5);
	expect(loggedOf(name)).toContain('Sent: item 0. Not sent: items 1–5.');
});

test('a poll ends without an error, because the next one finds the same changes', () => {
	expect(polled).toEqual([]);
	const line = 'Trigger: Not polled; the next scheduled poll retries: n8n is shutting';
	expect(engine.log.join('\n')).toContain(line);
});

function loggedOf(name: string): string | undefined {
	const line = `${NODE}: execution ${name} was interrupted, because n8n is shutting down.`;
	return engine.log.find((text) => text.includes(line));
}
