// Many records are deleted with few requests, and never a record that nobody named.

import type { FaultRule } from '../../sandbox/server';
import { type Bench, errorOf, NODE, useBench } from '../support/bench';
import { deleteMany } from '../support/parameters';

const bench = useBench();

const run = async (items: Parameters<Bench['run']>[0], parameters = {}, settings = {}) =>
	await bench.run(items, { ...deleteMany(), ...parameters }, settings);

const idsOf = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `t${index}` }));
const sentIds = () =>
	bench.sandbox.journal.all().map(({ body }) => (body as { ids: unknown[] }).ids);

test('1,000 input items are 10 requests', async () => {
	const result = await run(idsOf(1_000));
	expect(result.run.status).toBe('success');
	expect(bench.sandbox.journal.count('POST /txndata/bulkDeleteTxn')).toBe(10);
	expect(sentIds().every((ids) => ids.length === 100)).toBe(true);
	expect(new Set(sentIds().flat()).size).toBe(1_000);
	expect(result.items(NODE)).toHaveLength(10);
	const paired = result.items(NODE)[9]?.pairedItem as Array<{ item: number }>;
	expect(paired.map(({ item }) => item)).toEqual(
		Array.from({ length: 100 }, (_, index) => 900 + index),
	);
	expect(result.json(NODE)[0]).toMatchObject({ count: 100, response: { deleted: 100 } });
});

test('100,000 IDs in one item work, in memory that grows only with the IDs', async () => {
	const ids = Array.from({ length: 100_000 }, (_, index) => `transaction-${index}`);
	const before = process.memoryUsage().heapUsed;
	const result = await run([{ id: ids }], { options: { batchSize: 10_000 } });
	expect(result.run.status).toBe('success');
	expect(bench.sandbox.journal.count()).toBe(10);
	expect(new Set(sentIds().flat()).size).toBe(100_000);
	// The IDs themselves take about 10 MB, and are kept by the item, the requests and the journal.
	expect(process.memoryUsage().heapUsed - before).toBeLessThan(300 * 1024 * 1024);
});

test('each ID goes out once, and is paired with every item that names it', async () => {
	const ids = ['a, b', ['b', 'c'], '["c", "a", "c"]', 7, ' 7 ', '\u00e9', 'e\u0301'];
	const result = await run(
		ids.map((id) => ({ id })),
		{ options: { batchSize: 3 } },
	);
	expect(sentIds()).toEqual([
		['a', 'b', 'c'],
		[7, '\u00e9'],
	]);
	expect(result.items(NODE)).toMatchObject([
		{ json: { count: 3, ids: ['a', 'b', 'c'] }, pairedItem: [0, 1, 2].map((item) => ({ item })) },
		{ json: { count: 2, ids: [7, '\u00e9'] }, pairedItem: [3, 4, 5, 6].map((item) => ({ item })) },
	]);
});

test.each<[unknown, number[]]>([
	[1, [1, 1, 1]],
	['2', [2, 1]],
	[10_000, [3]],
])('batches of %j', async (batchSize, sizes) => {
	await run([{ id: 'a' }, { id: 'b,c' }], { options: { batchSize } });
	expect(sentIds().map(({ length }) => length)).toEqual(sizes);
});

test.each([0, -1, 1.5, 10_001, '', 'all', null])('batches of %j are refused', async (batchSize) => {
	const result = await run([{ id: 'a' }], { options: { batchSize } });
	expect(errorOf(result).message).toBe('Batch Size: must be a whole number from 1 to 10000');
	expect(bench.sandbox.journal.count()).toBe(0);
});

test.each([undefined, null, '', ' ', [], 'a,,b', ['a', null], {}, true])(
	'%j as an ID is an error, and nothing goes out',
	async (id) => {
		const error = errorOf(await run([{ id: 'good' }, { id: id }]));
		expect(error.message).toMatch(/^IDs: /);
		expect(error.context).toMatchObject({ itemIndex: 1, outcome: 'notSent' });
		expect(bench.sandbox.journal.count()).toBe(0);
	},
);

test('an empty response is shown by its status', async () => {
	bench.sandbox.fault({ action: { type: 'emptyBody' } });
	const [item] = (await run([{ id: 'a' }])).json(NODE);
	expect(item).toEqual({ count: 1, ids: ['a'], response: { statusCode: 200 } });
});

test('with continue on error, only the item without an ID fails', async () => {
	const items = [{ id: 'a' }, { id: '' }, { id: 'b' }];
	const result = await run(items, {}, { onError: 'continueErrorOutput' });
	expect(sentIds()).toEqual([['a', 'b']]);
	expect(result.items(NODE, 0)).toHaveLength(1);
	expect(result.items(NODE, 1).map(({ pairedItem }) => pairedItem)).toEqual([{ item: 1 }]);
});

test('when no item has an ID, no request goes out at all', async () => {
	const result = await run([{ id: '' }, {}], {}, { onError: 'continueRegularOutput' });
	expect(result.items(NODE)).toHaveLength(2);
	expect(bench.sandbox.journal.count()).toBe(0);
});

test('a dry run shows what would go out', async () => {
	const query = [{ name: 'force', value: 'true' }];
	const result = await run([{ id: 'a' }, { id: 'b' }, { id: 'c' }], {
		dryRun: true,
		options: { batchSize: 2, queryParameters: { parameters: query } },
	});
	expect(bench.sandbox.journal.count()).toBe(0);
	const request = { dryRun: true, method: 'POST', path: '/txndata/bulkDeleteTxn', query };
	expect(result.json(NODE)).toEqual([
		{ ...request, count: 2, body: { ids: ['a', 'b'] }, waitSeconds: 0 },
		{ ...request, count: 1, body: { ids: ['c'] }, waitSeconds: 0 },
	]);
});

describe('a batch that fails', () => {
	const refused = { type: 'status', status: 400, body: { message: 'no such id' } } as const;
	const lost = { type: 'hangUpAfterActing' } as const;

	// The first one goes alone, then three go side by side.
	test.each<[string, FaultRule[], number, string, object]>([
		[
			'the first',
			[{ action: lost }],
			1,
			'Perhaps deleted: items 0–1. Not tried: items 2–19.',
			{ outcome: 'unknown', perhapsDeletedItems: [0, 1] },
		],
		[
			'the second and all behind it',
			[{ after: 1, times: Infinity, action: refused }],
			4,
			'Deleted: items 0–1. Not deleted: items 2–7. Not tried: items 8–19.',
			{ outcome: 'refused', deletedItems: [0, 1], failedItems: [2, 3, 4, 5, 6, 7] },
		],
		[
			'the second, and nobody knows of those beside it',
			[
				{ after: 1, action: refused },
				{ after: 1, times: 2, action: lost },
			],
			4,
			'Deleted: items 0–1. Perhaps deleted: items 4–7. Not deleted: items 2–3. Not tried: items 8–19.',
			{ outcome: 'unknown', perhapsDeletedItems: [4, 5, 6, 7], failedItems: [2, 3] },
		],
	])('stops the rest and says how far it got: %s', async (_, rules, requests, words, context) => {
		for (const rule of rules) bench.sandbox.fault(rule);
		const error = errorOf(await run(idsOf(20), { options: { batchSize: 2 } }));
		expect(error.message).toMatch(/no such id|may have taken effect/);
		expect(error.description).toContain(words);
		expect(error.context).toMatchObject(context);
		expect(bench.sandbox.journal.count()).toBe(requests);
	});
});

test('with continue on error, the items of a failed batch fail and the rest goes on', async () => {
	bench.sandbox.fault({ after: 1, action: { type: 'status', status: 400 } });
	const options = { batchSize: 2 };
	const result = await run(idsOf(5), { options }, { onError: 'continueErrorOutput' });
	expect(bench.sandbox.journal.count()).toBe(3);
	expect(result.items(NODE, 0)).toHaveLength(2);
	expect(result.items(NODE, 1).map(({ pairedItem }) => pairedItem)).toEqual([
		{ item: 2 },
		{ item: 3 },
	]);
});

test('the endpoint and the name of the list are settings of the credential', async () => {
	bench.sandbox.fault({ action: { type: 'status', status: 200, body: { ok: true } } });
	const contactDelete = 'DELETE /masterdata/deleteContacts';
	Object.assign(bench.credential, { customize: true, contactDelete, deleteIdsField: 'contactIds' });
	await run([{ id: 'a' }], { resource: 'contact' });
	expect(bench.sandbox.journal.all()).toMatchObject([
		{ method: 'DELETE', path: '/masterdata/deleteContacts', body: { contactIds: ['a'] } },
	]);
});

describe('what differs between items that go out together', () => {
	test.each([
		['Dry Run', { dryRun: '={{ $json.isDry }}' }],
		[
			'Options',
			{
				options: {
					queryParameters: { parameters: [{ name: 'company', value: '={{ $json.company }}' }] },
				},
			},
		],
	])('%s: an error, and nothing is deleted', async (field, parameters) => {
		const items = [
			{ id: 1, isDry: false, company: 'A' },
			{ id: 2, isDry: true, company: 'B' },
		];
		const result = await run(items, parameters);
		expect(result.run.data.resultData.error?.message).toContain(`${field}: `);
		expect(bench.sandbox.journal.count()).toBe(0);
		// The same for all, it works.
		const same = await run(
			items.map(({ id }) => ({ ...items[0], id })),
			parameters,
		);
		expect(same.run.status).toBe('success');
		expect(sentIds()).toEqual([[1, 2]]);
	});

	test('a Dry Run that is not there is not taken for "delete"', async () => {
		const result = await run([{ id: 1 }], { dryRun: '={{ $json.isDryRun }}' });
		expect(result.run.data.resultData.error?.message).toContain('Dry Run: ');
		expect(bench.sandbox.journal.count()).toBe(0);
	});
});
