// A stopped execution ends at once, as canceled, and its queued requests are dropped.

import { type Sandbox, startSandbox } from '../../sandbox/server';
import { Engine, readRun } from '../support/engine';
import { workflowOf } from '../support/engineWorkflow';
import { credentialFor } from '../support/scaledLimits';
import { waitUntil } from '../support/waitUntil';
import { forgetRequests } from '../support/limiters';

const NODE = 'Business Data';

let engine: Engine;
let sandbox: Sandbox;

beforeAll(async () => {
	engine = await Engine.load();
	sandbox = await startSandbox();
});
beforeEach(() => forgetRequests(sandbox));
afterAll(async () => await sandbox.stop());

const itemsOf = (count: number) => Array.from({ length: count }, (_, index) => ({ index }));

/** A key of its own per test, so that no test waits for the slots of another. */
function credentials() {
	const apiKey = Array.from({ length: 64 }, () => Math.floor(Math.random() * 16).toString(16)).join(
		'',
	);
	sandbox.setKeyState(apiKey, 'active');
	return { key: credentialFor({ baseUrl: sandbox.baseUrl, apiKey }) };
}

test.each(['continueRegularOutput', 'stopWorkflow'] as const)(
	'while sends wait for their limit (%s)',
	async (onError) => {
		const parameters = {
			resource: 'transaction',
			operation: 'send',
			dataMode: 'autoMapInputData',
			options: {},
		};
		const key = credentials();
		const execution = engine.start(workflowOf(itemsOf(5), parameters, { onError }), key);
		await waitUntil(() => sandbox.journal.documents().length === 3);
		execution.cancel();
		const result = readRun(await execution);
		expect(result.run.status).toBe('canceled');
		expect(result.task(NODE).error?.message ?? 'canceled').toContain('canceled');
		expect(sandbox.journal.count()).toBe(3);
		// Nothing of the stopped execution is left in the queue.
		const status = { resource: 'rateLimit', operation: 'getStatus' };
		const after = await engine.run(workflowOf([{}], status), key);
		expect(after.json(NODE).map(({ queued }) => queued)).toEqual([0, 0, 0, 0, 0, 0]);
	},
);

test('while reads wait for their limit', async () => {
	const parameters = { resource: 'contact', operation: 'getMany', limit: 1, options: {} };
	const key = credentials();
	const execution = engine.start(workflowOf(itemsOf(200), parameters), key);
	await waitUntil(() => sandbox.journal.count() >= 10);
	execution.cancel();
	expect(readRun(await execution).run.status).toBe('canceled');
	const count = sandbox.journal.count();
	const single = await engine.run(workflowOf([{}], parameters), key);
	expect(single.run.status).toBe('success');
	expect(sandbox.journal.count()).toBe(count + 1);
});

test('while a request is under way', async () => {
	sandbox.fault({ action: { type: 'neverAnswer', act: false } });
	const parameters = { resource: 'contact', operation: 'getMany', options: { timeout: 600 } };
	const execution = engine.start(workflowOf([{}], parameters), credentials());
	await waitUntil(() => sandbox.journal.count() === 1);
	execution.cancel();
	expect(readRun(await execution).run.status).toBe('canceled');
});
