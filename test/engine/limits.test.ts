// Many requests at once, by one workflow and by two: every one is answered and none refused.

import { DOCUMENTED_LIMITS, ENDPOINTS } from '../../nodes/BusinessData/transport/endpoints';
import { type Sandbox, startSandbox, type WindowMode } from '../../sandbox/server';
import { Engine } from '../support/engine';
import { workflowOf } from '../support/engineWorkflow';
import { credentialFor } from '../support/scaledLimits';

/** 1 s, 10 s and 60 s become 50 ms, 500 ms and 3 s. */
const TIME_SCALE = 0.05;
/** A fifth of the shortest window. */
const LONGEST_LATENCY_MS = 10;

const NODE = 'Business Data';
const readOne = { resource: 'contact', operation: 'getMany', limit: 1, options: {} };

let engine: Engine;
let sandbox: Sandbox;

beforeAll(async () => {
	engine = await Engine.load();
});
afterEach(async () => await sandbox.stop());

async function start(windowMode: WindowMode, timeScale = TIME_SCALE): Promise<Sandbox> {
	const latency = { minMs: 0, maxMs: LONGEST_LATENCY_MS };
	sandbox = await startSandbox({ windowMode, timeScale, latency });
	return sandbox;
}

const itemsOf = (count: number) => Array.from({ length: count }, (_, index) => ({ index }));

test.each<WindowMode>(['sliding', 'fixed'])(
	'two workflows of 65 reads that share a key lose none (%s windows)',
	async (windowMode) => {
		await start(windowMode);
		const credentials = { key: credentialFor(sandbox, TIME_SCALE) };
		const run = async () => await engine.run(workflowOf(itemsOf(65), readOne), credentials);
		const results = await Promise.all([run(), run()]);
		for (const result of results) {
			expect(result.run.status).toBe('success');
			expect(result.items(NODE)).toHaveLength(65);
		}
		expect(sandbox.journal.count()).toBe(130);
		expect(sandbox.journal.answered()).toHaveLength(130);
		expect(sandbox.journal.refused()).toHaveLength(0);
	},
);

test('two credentials with one key share one limiter', async () => {
	await start('sliding');
	const first = credentialFor(sandbox, TIME_SCALE);
	const second = { ...first, baseUrl: `${sandbox.baseUrl}/` };
	await Promise.all([
		engine.run(workflowOf(itemsOf(40), readOne), { key: first }),
		engine.run(workflowOf(itemsOf(40), readOne), { key: second }),
	]);
	expect(sandbox.journal.answered()).toHaveLength(80);
	expect(sandbox.journal.refused()).toHaveLength(0);
});

test('reads come out in input order', async () => {
	await start('sliding');
	const parameters = {
		resource: 'apiRequest',
		operation: 'send',
		method: 'GET',
		path: '=/sandbox/echo?index={{ $json.index }}',
		options: {},
	};
	const result = await engine.run(workflowOf(itemsOf(25), parameters), {
		key: credentialFor(sandbox, TIME_SCALE),
	});
	const indexes = result.json(NODE).map(({ query }) => Number((query as { index: string }).index));
	expect(indexes).toEqual(itemsOf(25).map(({ index }) => index));
	expect(result.items(NODE).map(({ pairedItem }) => pairedItem)).toEqual(
		itemsOf(25).map(({ index }) => ({ item: index })),
	);
});

test('sends go one by one in item order, within their own limit', async () => {
	// Ten minutes become 1.2 s.
	await start('sliding', 0.002);
	const parameters = {
		resource: 'transaction',
		operation: 'send',
		dataMode: 'autoMapInputData',
		options: {},
	};
	const result = await engine.run(workflowOf(itemsOf(7), parameters), {
		key: credentialFor(sandbox, 0.002),
	});
	expect(result.run.status).toBe('success');
	expect(sandbox.journal.documents().map(({ body }) => body)).toEqual(itemsOf(7));
	expect(sandbox.journal.refused()).toHaveLength(0);
});

describe('hints in the output panel', () => {
	test('tell of a noticeable wait', async () => {
		await start('sliding', 0.2);
		const result = await engine.run(workflowOf(itemsOf(12), readOne), {
			key: {
				...credentialFor(sandbox),
				customize: true,
				limits: JSON.stringify({
					general: [{ max: 5, windowSeconds: 1 }],
				}),
			},
		});
		const [hint] = result.task(NODE).hints ?? [];
		expect(hint?.message).toMatch(/^7 requests waited \d(\.\d)? s for the limit of 5 per 1 s\.$/);
		expect(hint?.location).toBe('outputPane');
	});

	test('say nothing after short waits', async () => {
		await start('sliding');
		const result = await engine.run(workflowOf(itemsOf(5), readOne), {
			key: credentialFor(sandbox, TIME_SCALE),
		});
		expect(result.task(NODE).hints ?? []).toEqual([]);
	});

	test('point to bulk delete where records are deleted one by one', async () => {
		await start('sliding');
		const parameters = {
			resource: 'apiRequest',
			operation: 'send',
			method: 'DELETE',
			path: '=/txndata/transactions/{{ $json.index }}',
			options: {},
		};
		const result = await engine.run(workflowOf(itemsOf(3), parameters), {
			key: credentialFor(sandbox, TIME_SCALE),
		});
		expect(result.run.status).toBe('success');
		const messages = (result.task(NODE).hints ?? []).map(({ message }) => message);
		expect(messages).toEqual([
			expect.stringContaining('3 items are a DELETE request each. For contacts and transactions,'),
		]);
	});
});

test('the limit status shows what is in use, without a request', async () => {
	await start('sliding', 1);
	const credentials = { key: credentialFor(sandbox) };
	await engine.run(workflowOf([{}], readOne), credentials);
	const status = { resource: 'rateLimit', operation: 'getStatus' };
	const result = await engine.run(workflowOf([{}, {}], status), credentials);
	expect(sandbox.journal.count()).toBe(1);
	const { general, endpoints } = DOCUMENTED_LIMITS;
	const longestFirst = [...general].sort((a, b) => b.windowSeconds - a.windowSeconds);
	const [longest] = longestFirst;
	expect(result.json(NODE)[0]).toEqual({
		limit: `general/${longest?.windowSeconds}s`,
		...longest,
		used: 1,
		usedByOthers: 0,
		remaining: (longest?.max ?? NaN) - 1,
		availableInMs: 0,
		queued: 0,
	});
	expect(result.json(NODE).map(({ limit }) => limit)).toEqual([
		...longestFirst.map(({ windowSeconds }) => `general/${windowSeconds}s`),
		...Object.entries(endpoints).map(([name, { windowSeconds }]) => `${name}/${windowSeconds}s`),
	]);
});

describe('with a longest wait', () => {
	test('an item that would wait longer fails at once, and nothing is sent', async () => {
		await start('sliding', 1);
		const parameters = {
			resource: 'payment',
			operation: 'send',
			dataMode: 'autoMapInputData',
			options: { maxWait: 30 },
		};
		const { max, windowSeconds } = ENDPOINTS.sendPayment.limit;
		const workflow = workflowOf(itemsOf(max + 2), parameters, { onError: 'continueErrorOutput' });
		const result = await engine.run(workflow, { key: credentialFor(sandbox) });
		expect(result.items(NODE, 0)).toHaveLength(max);
		expect(result.items(NODE, 1)).toHaveLength(2);
		for (const { error } of result.items(NODE, 1)) {
			const { context } = error as unknown as { context: Record<string, unknown> };
			expect(context.outcome).toBe('notSent');
			expect(context.retryAfterSeconds).toBeGreaterThan(windowSeconds - 10);
			expect(context.retryAfterSeconds).toBeLessThan(windowSeconds + 2);
		}
		expect(sandbox.journal.documents()).toHaveLength(max);
	});
});
