// Bulk deletions take few requests and delete only records that an item names.

import type { IDataObject } from 'n8n-workflow';

import type { FaultRule } from '../../sandbox/server';
import { type Bench, errorOf, expectLists, NODE, useBench } from '../support/bench';
import { deleteMany, ERROR_OUTPUT, query } from '../support/parameters';

const bench = useBench();

const run = async (items: Parameters<Bench['run']>[0], parameters = {}, settings = {}) =>
	await bench.run(items, { ...deleteMany(), ...parameters }, settings);

const idsOf = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `t${index}` }));
const sentIds = () =>
	bench.sandbox.journal.all().map(({ body }) => (body as { ids: unknown[] }).ids);

test('deletes the records of 1,000 items with 10 requests', async () => {
	const result = await run(idsOf(1_000));
	expect(bench.sandbox.journal.count('POST /txndata/bulkDeleteTxn')).toBe(10);
	expect(sentIds().every((ids) => ids.length === 100)).toBe(true);
	expect(new Set(sentIds().flat()).size).toBe(1_000);
	expect(result.json(NODE)).toMatchObject(
		Array(10).fill({ count: 100, response: { deleted: 100 } }),
	);
	expect(result.items(NODE)[9]?.pairedItem).toEqual(
		Array.from({ length: 100 }, (_, index) => ({ item: 900 + index })),
	);
});

test.each([404, 405])(
	'the error for a missing endpoint (%i) points to the credential',
	async (status) => {
		bench.respond(status);
		const { description } = errorOf(await run(idsOf(1)));
		expect(description).toContain(
			'Those of Delete Many are set in the credential, under Customize',
		);
	},
);

test('sends each ID once and pairs the result with every item that names it', async () => {
	const ids = ['a, b', ['b', 'c'], ['b', 'c'], '["c", "a", "c"]', 7, ' 7 ', '\u00e9', 'e\u0301'];
	const result = await run(
		ids.map((id) => ({ id })),
		{ options: { batchSize: 3 } },
	);
	expect(sentIds()).toEqual([
		['a', 'b', 'c'],
		[7, '\u00e9'],
	]);
	expect(result.items(NODE)).toMatchObject([
		{
			json: { count: 3, ids: ['a', 'b', 'c'] },
			pairedItem: [0, 1, 2, 3].map((item) => ({ item })),
		},
		{ json: { count: 2, ids: [7, '\u00e9'] }, pairedItem: [4, 5, 6, 7].map((item) => ({ item })) },
	]);
});

test.each<[unknown, number[]]>([
	[1, [1, 1, 1]],
	['2', [2, 1]],
	[10_000, [3]],
	...[0, -1, 1.5, 10_001, '', 'all', null].map((size): [unknown, number[]] => [size, []]),
])('Batch Size %j sends batches of these sizes: %j', async (batchSize, sizes) => {
	const result = await run([{ id: 'a' }, { id: 'b,c' }], { options: { batchSize } });
	expect(sentIds().map(({ length }) => length)).toEqual(sizes);
	if (sizes.length > 0) return;
	expect(errorOf(result).message).toBe('Batch Size: must be a whole number from 1 to 10000');
});

test('an item without an ID fails before any request, and alone with continue on error', async () => {
	const items = ['a', '', 'b'].map((id) => ({ id }));
	expect(errorOf(await run(items)).context).toMatchObject({ itemIndex: 1, outcome: 'notSent' });
	expect(sentIds()).toEqual([]);
	const result = await run(items, {}, ERROR_OUTPUT);
	expect(sentIds()).toEqual([['a', 'b']]);
	expect(result.items(NODE, 0)).toHaveLength(1);
	expect(result.items(NODE, 1)).toMatchObject([{ pairedItem: { item: 1 } }]);
});

test('a dry run outputs the requests and sends none', async () => {
	const result = await run([{ id: 'a' }, { id: 'b' }, { id: 'c' }], {
		dryRun: true,
		options: { batchSize: 2, ...query('force', 'true') },
	});
	expect(bench.sandbox.journal.count()).toBe(0);
	const request = {
		dryRun: true,
		method: 'POST',
		path: '/txndata/bulkDeleteTxn',
		query: [{ name: 'force', value: 'true' }],
	};
	expect(result.json(NODE)).toEqual([
		{ ...request, count: 2, body: { ids: ['a', 'b'] }, waitSeconds: 0 },
		{ ...request, count: 1, body: { ids: ['c'] }, waitSeconds: 0 },
	]);
});

describe('a failed batch', () => {
	const refused = { type: 'status', status: 400, body: { message: 'no such id' } } as const;
	const lost = { type: 'hangUpAfterActing' } as const;

	const second = { after: 1, action: refused };
	const SOME = { deletedIds: [...'abefgh'], failedIds: ['c', 'd'], notTriedIds: ['i', 'j'] };

	interface Row {
		name: string;
		rules: FaultRule[];
		requests: number;
		lists: string;
		items?: IDataObject[];
		ids?: object;
	}

	// The first batch goes alone, then three at a time.
	test.each<Row>([
		{
			name: 'the first',
			rules: [{ action: lost }],
			requests: 1,
			lists: 'Perhaps deleted: items 0–1. Not tried: items 2–19.',
		},
		{
			name: 'the second and all after it',
			rules: [{ ...second, times: Infinity }],
			requests: 4,
			lists: 'Deleted: items 0–1. Not deleted: items 2–7. Not tried: items 8–19.',
		},
		{
			name: 'the second, while the others get no response',
			rules: [second, { after: 1, times: 2, action: lost }],
			requests: 4,
			lists:
				'Deleted: items 0–1. Perhaps deleted: items 4–7. Not deleted: items 2–3. Not tried: items 8–19.',
		},
		{
			name: 'the second of the five batches of one item',
			rules: [second],
			requests: 4,
			lists: 'Deleted: 6 IDs of item 0. Not deleted: 2 IDs of item 0. Not tried: 2 IDs of item 0.',
			items: [{ id: 'a,b,c,d,e,f,g,h,i,j' }],
			ids: SOME,
		},
	])('stops the rest and lists what was deleted: $name', async (row) => {
		const { rules, requests, lists, items = idsOf(20), ids = {} } = row;
		for (const rule of rules) bench.sandbox.fault(rule);
		const error = errorOf(await run(items, { options: { batchSize: 2 } }));
		const isUnknown = lists.includes('Perhaps');
		expect(error.message).toContain(isUnknown ? 'may have taken effect' : 'no such id');
		expectLists(error, lists);
		expect(error.context).toMatchObject({ outcome: isUnknown ? 'unknown' : 'refused', ...ids });
		expect(error.context.itemIndex).toBe(items.length === 1 ? 0 : undefined);
		expect(bench.sandbox.journal.count()).toBe(requests);
	});
});

test('with continue on error, only the items of a failed batch fail', async () => {
	bench.respond(400, { after: 1 });
	const result = await run(idsOf(5), { options: { batchSize: 2 } }, ERROR_OUTPUT);
	expect(bench.sandbox.journal.count()).toBe(3);
	expect(result.items(NODE, 0)).toHaveLength(2);
	const error = { context: { ids: ['t2', 't3'] } };
	expect(result.items(NODE, 1)).toMatchObject(
		[2, 3].map((item) => ({ pairedItem: { item }, error })),
	);
});

test('uses the endpoint and the name of the ID list from the credential', async () => {
	bench.respond(200, { body: { ok: true } });
	const contactDelete = 'DELETE /masterdata/deleteContacts';
	Object.assign(bench.credential, { customize: true, contactDelete, deleteIdsField: 'contactIds' });
	await run([{ id: 'a' }], { resource: 'contact' });
	expect(bench.sandbox.journal.all()).toMatchObject([
		{ method: 'DELETE', path: '/masterdata/deleteContacts', body: { contactIds: ['a'] } },
	]);
});

describe('a parameter that differs between the items of a batch', () => {
	const items = [
		{ id: 1, isDry: false, company: 'A' },
		{ id: 2, isDry: true, company: 'B' },
	];
	test.each([
		['Dry Run', { dryRun: '={{ $json.isDry }}' }],
		['Options', { options: query('company', '={{ $json.company }}') }],
	])('is an error before any deletion: %s', async (field, own) => {
		expect(errorOf(await run(items, own)).message).toContain(`${field}: `);
		expect(bench.sandbox.journal.count()).toBe(0);
		// With one value for all items, it works.
		const same = items.map(({ id }) => ({ ...items[0], id }));
		expect((await run(same, own)).run.status).toBe('success');
		expect(sentIds()).toEqual([[1, 2]]);
	});
});
