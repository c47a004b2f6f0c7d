// The state of a Send Once Key: kept per workflow, business and endpoint, shown, and changed by hand.

import type { INode } from 'n8n-workflow';

import type { FaultAction } from '../../sandbox/server';
import { errorOf, hintsOf, itemsOf, NODE, type ShownError, useBench } from '../support/bench';
import { useDeduplicator } from '../support/deduplicator';
import { linksTo, NODE_TYPE, nodeOf, workflowOf } from '../support/engineWorkflow';
import {
	apiRequest,
	CONTINUE_ON_ERROR,
	headers,
	ONCE,
	query,
	send,
	sentDocument,
} from '../support/parameters';
import { DELETED } from '../support/processedRows';

/** An ID that is not in n8n's table of workflows, mocked here; `test/n8n` asks the real one. */
const mockUnknown = 'workfl0w';
jest.mock('../../nodes/BusinessData/n8nInternals/services', () => ({
	...jest.requireActual<object>('../../nodes/BusinessData/n8nInternals/services'),
	isSavedWorkflow: async (id: string) => await Promise.resolve(id !== mockUnknown),
}));

const bench = useBench();
const store = useDeduplicator();
const loseResponse = () => bench.sandbox.fault({ action: { type: 'hangUpAfterActing' } });
const change = async (operation: 'markAsSent' | 'release', id: string) =>
	(await bench.run([{ id }], sentDocument(operation))).json(NODE);

describe('the record of a Send Once Key', () => {
	// The unit tests cover another endpoint, base URL and credential.
	test.each<[string, Partial<INode>, INode['parameters'], fields: object]>([
		['a copied, replaced or renamed node', { id: 'another' }, send(), {}],
		['an API Request to the same path', {}, apiRequest('POST', '/txndata/sendTxn'), {}],
		['a node with another API key', {}, send(), { apiKey: 'b'.repeat(64) }],
	])('is shared by %s', async (_, node, parameters, fields) => {
		await bench.run([{ id: 'a' }], send(ONCE));
		Object.assign(bench.credential, fields);
		const again = { ...parameters, dataMode: 'autoMapInputData', options: ONCE };
		await bench.run([{ id: 'a' }], again, node);
		expect(bench.documents()).toHaveLength(1);
	});

	test('is separate per workflow, but can be read from another workflow', async () => {
		await bench.run([{ id: 'a' }], send(ONCE));
		const workflow = workflowOf([{ id: 'a' }], send(ONCE));
		await bench.engine.run({ ...workflow, id: 'other' }, { key: bench.credential });
		expect(bench.documents()).toHaveLength(2);
		const get = workflowOf([{ id: 'a' }], sentDocument('get', { workflowId: 'workflow' }));
		const result = await bench.engine.run({ ...get, id: 'errors' }, { key: bench.credential });
		expect(result.json(NODE)).toMatchObject([{ state: 'sent' }]);
	});

	test('is kept if Send Once Memory is raised or lowered', async () => {
		await bench.run(itemsOf(2), send({ ...ONCE, sendOnceMaxEntries: 1_001 }));
		await bench.run(itemsOf(2), send({ ...ONCE, sendOnceMaxEntries: 2 }));
		await bench.run([{ id: 2 }], send({ ...ONCE, sendOnceMaxEntries: 2 }));
		await bench.run(itemsOf(3), send(ONCE));
		expect(bench.documents()).toEqual(itemsOf(3));
	});
});

describe('the same key with other content', () => {
	const invoice = { id: 'a', lines: [{ price: 1, at: '10:00' }], meta: { 'sent.at': '10:00' } };
	const later = { meta: { 'sent.at': '11:00' }, lines: [{ at: '11:00', price: 1 }], id: 'a' };

	test.each([false, true])('is an error, whether concurrent or later: %p', async (isTogether) => {
		const first = bench.run([invoice], send(ONCE));
		if (!isTogether) await first;
		const error = errorOf(await bench.run([{ ...invoice, id: 'a', total: 5 }], send(ONCE)));
		await first;
		expect(error.message).toMatch(/^Send Once Key: a was used before, with other content/);
		expect(error.description).toContain('Send Once Ignore Fields counts from the first send');
		expect(error.context.outcome).toBe('notSent');
		expect(bench.documents()).toEqual([invoice]);
	});

	test.each([{ sendOnceIgnoreFields: 'meta.sent.at, lines.*.at' }, { sendOnceContent: 'ignore' }])(
		'is skipped without an error with %j',
		async (options) => {
			await bench.run([invoice], send({ ...ONCE, ...options }));
			expect((await bench.run([later], send({ ...ONCE, ...options }))).run.status).toBe('success');
			expect(bench.documents()).toEqual([invoice]);
		},
	);

	test.each([
		[{}, false],
		[{ sendOnceIgnoreFields: 'document' }, true],
	])('is an error if only the query differs, unless ignored: %j', async (options, isSkipped) => {
		const all = { sendOnceKey: 'k', ...query('document', '={{ $json.id }}'), ...options };
		const parameters = { ...apiRequest('POST', '/sandbox/echo', all), contentType: 'none' };
		const { run } = await bench.run(itemsOf(2), parameters);
		expect(run.status).toBe(isSkipped ? 'success' : 'error');
		expect(bench.sandbox.journal.count()).toBe(1);
	});
});

test.each<[string, INode['parameters']]>([
	['was skipped', ONCE],
	['comes from a Dry Run', { dryRun: true }],
])('an item that %s is refused as a document by the next send', async (problem, options) => {
	await bench.run([{ id: 'a' }], send(ONCE));
	const workflow = workflowOf([{ id: 'a' }], send(options));
	workflow.nodes.push(nodeOf('Behind', NODE_TYPE, send()));
	workflow.connections[NODE] = linksTo('main', 'Behind');
	const error = errorOf(await bench.engine.run(workflow, { key: bench.credential }));
	expect(error.message).toBe(`Data to Send: the input item ${problem}`);
	expect(bench.documents()).toEqual([{ id: 'a' }]);
});

describe('Sent Document', () => {
	test('Get, Mark as Sent and Release output the state, and sends follow it', async () => {
		loseResponse();
		await bench.run([{ id: 'a' }], send(ONCE));
		const states = { sendOnceKey: 'a', sentWith: 'transaction:send' };
		const get = async () => (await bench.run([{ id: 'a' }], sentDocument('get'))).json(NODE);
		expect(await get()).toEqual([{ ...states, state: 'perhapsSent' }]);
		expect(await change('markAsSent', 'a')).toEqual([{ ...states, state: 'sent' }]);
		expect(await get()).toEqual([{ ...states, state: 'sent' }]);
		await bench.run([{ id: 'a' }], send(ONCE));
		expect(bench.documents()).toHaveLength(1);
		expect(await change('release', 'a')).toEqual([{ ...states, state: 'notSent' }]);
		expect(await get()).toEqual([{ ...states, state: 'notSent' }]);
		await bench.run([{ id: 'a' }], send(ONCE));
		expect(bench.documents()).toHaveLength(2);
		expect(await get()).toEqual([{ ...states, state: 'sent' }]);
	});

	test.each(['markAsSent', 'release'] as const)(
		'%s hints that no send has used the key',
		async (operation) => {
			await bench.run([{ id: 'a' }], send(ONCE));
			const hints = async (workflowId: string) =>
				hintsOf(await bench.run([{ id: 'a' }], sentDocument(operation, { workflowId })));
			const hint = expect.stringMatching(
				/^1 item \(0\): no send .* check Workflow ID, the credential and Sent With/,
			) as string;
			expect(await hints('another')).toEqual([hint]);
			expect(await hints('workflow')).toEqual([]);
		},
	);

	test('changes nothing if a later item is invalid', async () => {
		errorOf(await bench.run([{ id: 'a' }, { id: '' }], sentDocument('markAsSent')));
		expect(await bench.statesOf('a')).toEqual(['notSent']);
		const result = await bench.run(
			[{ id: 'a' }, { id: '' }],
			sentDocument('markAsSent'),
			CONTINUE_ON_ERROR,
		);
		expect(result.items(NODE).map(({ error }) => error?.context.outcome)).toEqual([
			undefined,
			'notSent',
		]);
		expect(await bench.statesOf('a')).toEqual(['sent']);
	});

	test('finds the key of an API Request by its endpoint', async () => {
		await bench.run([{ id: 'a' }], apiRequest('POST', '/sandbox/echo', ONCE));
		const ask = { sentWith: 'apiRequest', endpoint: 'POST /sandbox/echo' };
		const result = await bench.run([{ id: 'a' }], sentDocument('get', ask));
		expect(result.json(NODE)).toMatchObject([{ state: 'sent', sentWith: 'apiRequest' }]);
	});

	test.each([
		[{ sendOnceKey: "={{ '' }}" }, /^Send Once Key: is empty/],
		[{ sendOnceKey: 'k'.repeat(300) }, /^Send Once Key: has 300 characters; at most 255/],
		[{ workflowId: "={{ '' }}" }, /^Workflow ID: is empty/],
		[{ sentWith: 'apiRequest', endpoint: 'nothing' }, /^Endpoint: is not a method and a path/],
		[{ sentWith: 'apiRequest', endpoint: 'GET /sandbox/echo' }, /^Endpoint: GET sends nothing/],
		[
			{ sentWith: 'apiRequest', endpoint: '=POST /contacts/{{ $json.none }}/lines' },
			/^Endpoint: {{ \$json.none }} leaves a segment of the path empty/,
		],
		[
			{ sentWith: 'apiRequest', endpoint: "={{ 'POST /contacts/' + $json.none + '/lines' }}" },
			/^Endpoint: a segment is empty/,
		],
		[{ sentWith: 'contact:send' }, /^Sent With: is not known/],
	])('is an error with %j', async (parameters, message) => {
		const result = await bench.run([{ id: 'a', none: '' }], sentDocument('release', parameters));
		const error = errorOf(result);
		expect(error.message).toMatch(message);
		// Its fields are not options, so there is none to remove.
		expect(error.description).not.toContain('remove the option');
		expect(store.text).toBe('');
	});

	test.each([
		...(['get', 'markAsSent', 'release'] as const).map((one) => [one, mockUnknown] as const),
		['markAsSent', DELETED] as const,
	])('%s for a workflow unknown to n8n is an error: %s', async (operation, workflowId) => {
		const parameters = sentDocument(operation, { workflowId });
		const error = errorOf(await bench.run([{ id: 'a' }], parameters));
		expect(error.message).toBe('Workflow ID: there is no such workflow in n8n');
		expect(error.description).toContain('Enter the ID of the workflow');
	});
});

describe('Dry Run', () => {
	const items = [{ id: 'sent' }, { id: 'new' }, { id: 'lost' }, { id: 'next' }, { id: 'new' }];

	test('predicts what a run does and changes nothing', async () => {
		await bench.run([{ id: 'sent' }], send(ONCE));
		loseResponse();
		await bench.run([{ id: 'lost' }], send(ONCE));
		const before = store.text;
		const journal = bench.sandbox.journal.count();
		const shown = (await bench.run(items, send({ ...ONCE, dryRun: true }))).json(NODE);
		expect(store.text).toBe(before);
		expect(bench.sandbox.journal.count()).toBe(journal);
		expect(shown.map(({ state }) => state)).toEqual([
			'sent',
			'notSent',
			'perhapsSent',
			'notSent',
			'sent',
		]);
		// Two of the three slots are in use.
		expect(shown[1]?.waitSeconds).toBe(0);
		expect(shown[3]?.waitSeconds).toBeGreaterThan(590);

		const result = await bench.run(items, send(ONCE));
		expect(result.ms / 1000).toBeCloseTo(Number(shown[3]?.waitSeconds), -1);
		const requests = bench.sandbox.journal.all().slice(journal);
		const wouldGo = shown.filter(({ state }) => state === 'notSent');
		expect(wouldGo.map(({ method, path, body }) => ({ method, path, body }))).toEqual(
			requests.map(({ method, path, body }) => ({ method, path, body })),
		);
		expect(result.json(NODE).map(({ skipped = false }) => skipped)).toEqual(
			shown.map(({ state }) => state !== 'notSent'),
		);
		expect(hintsOf(result)).toContainEqual(expect.stringContaining('1 item (2): perhaps sent'));
	});

	test('outputs no state without a key', async () => {
		const [shown] = (await bench.run([{ id: 'a' }], send({ dryRun: true }))).json(NODE);
		expect(shown).toEqual({
			dryRun: true,
			method: 'POST',
			path: '/txndata/sendTxn',
			body: { id: 'a' },
			waitSeconds: 0,
		});
		expect(bench.sandbox.journal.count()).toBe(0);
	});
});

describe('Result Field', () => {
	const failures = { failureValues: 'false, 7' };
	const successes = { failureValues: 'held', successValues: 'sent, queued' };

	test.each<[object, unknown, boolean]>([
		[{}, { state: false }, true],
		[{}, { state: 'held' }, false],
		[failures, { state: 7 }, true],
		[failures, { state: 'ok' }, false],
		[successes, { state: 'queued' }, false],
		[successes, { state: 'Sent' }, true],
		[successes, { state: null }, true],
		[successes, { state: { code: 'held' } }, true],
		[{ failureValues: '', successValues: 'null' }, { state: null }, false],
		// A body without the field, such as a list of contacts, is a success.
		[successes, {}, false],
		[successes, [], false],
		[successes, 'held', false],
	])('with %j makes %j a failure: %p', async (values, body, isFailure) => {
		Object.assign(bench.credential, { resultField: 'state', ...values });
		bench.respond(200, { body });
		const result = await bench.run([{ id: 'a' }], send(ONCE));
		const refused = { outcome: 'refused', statusCode: 400 };
		if (isFailure) expect(errorOf(result).context).toMatchObject(refused);
		else expect(result.run.status).toBe('success');
		expect(await bench.statesOf('a')).toEqual([isFailure ? 'notSent' : 'sent']);
		expect(bench.sandbox.journal.count()).toBe(1);
	});
});

describe('the idempotency header', () => {
	beforeEach(() => (bench.credential.idempotencyHeader = 'Idempotency-Key'));
	const header = 'idempotency-key';
	const values = () => bench.sandbox.journal.all().map(({ headers }) => headers[header]);

	const lost = { type: 'hangUpAfterActing' } as const;
	const refusal = (status: number) => ({ type: 'status', status }) as const;

	test.each<[string, FaultAction[], requests: number, outcome: string | undefined, state: string]>([
		['a lost response', [lost], 2, undefined, 'sent'],
		['a 500 each time', Array<FaultAction>(4).fill(refusal(500)), 4, 'unknown', 'perhapsSent'],
		['a lost response and then a 400', [lost, refusal(400)], 2, 'unknown', 'perhapsSent'],
		['a 409', [refusal(409)], 1, 'unknown', 'perhapsSent'],
		['a 422', [refusal(422)], 1, 'refused', 'notSent'],
	])('has one value for all attempts: %s', async (name, actions, requests, outcome, state) => {
		for (const action of actions) bench.sandbox.fault({ action });
		const result = await bench.run([{ id: 'a' }], send(ONCE));
		if (outcome !== undefined) {
			const error = errorOf(result);
			expect(error.context.outcome).toBe(outcome);
			// n8n could retry what has a cause.
			expect(error).not.toHaveProperty('failure.cause');
			expect(error.description?.includes('idempotency header')).toBe(name.startsWith('a 4'));
		}
		expect(values()).toHaveLength(requests);
		expect(new Set(values()).size).toBe(1);
		// The value does not reveal the key.
		expect(values()[0]).toMatch(/^[\w-]{22}$/);
		expect(await bench.statesOf('a')).toEqual([state]);
		if (state === 'notSent') return;
		const [skipped] = (await bench.run([{ id: 'a' }], send(ONCE))).json(NODE);
		const advice = state === 'sent' ? 'give it another key' : 'Check in the service';
		expect(skipped?.reason).toContain(advice);
		expect(values()).toHaveLength(requests);
	});

	test('is the same after a release', async () => {
		await bench.run([{ id: 'a' }], send(ONCE));
		await change('release', 'a');
		await bench.run([{ id: 'a' }], send(ONCE));
		expect(values()).toEqual([values()[0], values()[0]]);
	});

	test('leaves a document perhaps sent after a stop before the retry', async () => {
		bench.sandbox.fault({ after: 2, action: { type: 'hangUpAfterActing' } });
		const isLost = async () => (await bench.statesOf('2')).includes('perhapsSent');
		const result = await bench.stoppedWhen(isLost, itemsOf(4), send(ONCE));
		const { message, context } = result.task(NODE).error as unknown as ShownError;
		expect(message).toContain('canceled');
		const lists = { perhapsSentItems: [2], failedItems: [], notTriedItems: [3] };
		expect(context).toMatchObject({ outcome: 'unknown', sentItems: [0, 1], ...lists });
	});

	test('does not make a re-run safe if Max Wait allows no retry', async () => {
		bench.respond(503, { act: true, headers: { 'retry-after': '30' } });
		const error = errorOf(await bench.run([{ id: 'a' }], send({ ...ONCE, maxWait: 5 })));
		expect(error.context).toMatchObject({ outcome: 'unknown' });
		expect(error.context).not.toHaveProperty('retryAfterSeconds');
		expect(error.description).toContain('Check in the service before you run it again');
		expect(error.description).not.toContain('not retried');
	});

	test('is not sent without a Send Once Key and cannot be set by hand', async () => {
		await bench.run([{ id: 'a' }], send());
		expect(values()).toEqual([undefined]);
		const byHand = headers({ name: 'idempotency-Key', value: 'mine' });
		const result = await bench.run([{ id: 'a' }], send({ ...ONCE, ...byHand }));
		expect(errorOf(result).message).toContain('is the idempotency header of the credential');
	});
});
