// A stopped execution ends at once, as canceled, and its queued requests are dropped.

import type { INode } from 'n8n-workflow';

import { type Sandbox, startSandbox } from '../../sandbox/server';
import type { ShownError } from '../support/bench';
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

describe('what a node that continues on error tells of the items before it', () => {
	const sends = {
		resource: 'transaction',
		operation: 'send',
		dataMode: 'autoMapInputData',
		options: {},
	};
	const deletions = {
		resource: 'transaction',
		operation: 'deleteMany',
		ids: '={{ $json.index }}',
		options: { batchSize: 1 },
	};

	/** The error of a run that is stopped after three requests, while the next ones wait for their limit. */
	async function errorOfStopped(
		parameters: INode['parameters'],
		{ waiting, ...settings }: Partial<INode> & { waiting: number },
	) {
		const limits = JSON.stringify({ general: [{ max: 3, windowSeconds: 60 }] });
		const { key } = credentials();
		const limited = { key: { ...key, customize: true, limits } };
		const onError = 'continueRegularOutput' as const;
		const workflow = workflowOf(itemsOf(9), parameters, { ...settings, onError });
		const execution = engine.start(workflow, limited);
		await waitUntil(() => sandbox.journal.count() === 3);
		const status = workflowOf([{}], { resource: 'rateLimit', operation: 'getStatus' });
		await waitUntil(async () => {
			const look = await engine.run(status, limited);
			return look.json(NODE).some(({ queued }) => queued === waiting);
		});
		execution.cancel();
		return readRun(await execution).task(NODE).error as unknown as ShownError;
	}

	const retry = { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 };

	test('is what was perhaps sent, and what was not', async () => {
		sandbox.fault({ action: { type: 'hangUpAfterActing' } });
		sandbox.fault({ action: { type: 'status', status: 400 } });
		const { description, context } = await errorOfStopped(sends, { waiting: 1 });
		expect(description).toBe(
			'Sent: item 2. Perhaps sent: item 0. Not sent: items 1, 3. Not tried: items 4–8.',
		);
		expect(context).toMatchObject({
			...{ sentItems: [2], skippedItems: [], perhapsSentItems: [0] },
			...{ failedItem: 3, failedItems: [1, 3], notTriedItems: [4, 5, 6, 7, 8] },
		});
	});

	test('does not call sent what an earlier try has perhaps sent', async () => {
		sandbox.fault({ times: 2, action: { type: 'hangUpAfterActing' } });
		const { description, context } = await errorOfStopped(sends, { ...retry, waiting: 1 });
		// The second try ends at its first item, which it does not send again.
		expect(description).toContain('Sent: item 2. Perhaps sent: items 0–1. Not tried: items 3–8.');
		expect(context).toMatchObject({
			...{ sentItems: [2], skippedItems: [], perhapsSentItems: [0, 1] },
			...{ failedItem: 0, failedItems: [], notTriedItems: [3, 4, 5, 6, 7, 8] },
		});
	});

	test('is which batches have failed', async () => {
		sandbox.fault({ action: { type: 'hangUpAfterActing' } });
		sandbox.fault({ action: { type: 'status', status: 400 } });
		const { message, description, context } = await errorOfStopped(deletions, { waiting: 3 });
		expect(message).toContain('canceled');
		expect(description).toMatch(
			/1 batch was deleted\. Perhaps deleted: the IDs of item 0\. Not deleted: the IDs of items 1, 3–5\. Not tried: the IDs of items 6–8\.$/,
		);
		expect(context).toMatchObject({
			...{ outcome: 'unknown', batchesDone: 1 },
			...{ perhapsDeletedItems: [0], failedItems: [1, 3, 4, 5], notTriedItems: [6, 7, 8] },
		});
	});

	test('is what an earlier try has perhaps deleted', async () => {
		sandbox.fault({ action: { type: 'status', status: 400 } });
		sandbox.fault({ action: { type: 'hangUpAfterActing' } });
		const { context } = await errorOfStopped(deletions, { ...retry, waiting: 3 });
		// The second try ends at its first batch.
		expect(context).toMatchObject({
			...{ outcome: 'unknown', batchesDone: 1 },
			...{ perhapsDeletedItems: [1], failedItems: [0], notTriedItems: [3, 4, 5, 6, 7, 8] },
		});
	});
});

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
