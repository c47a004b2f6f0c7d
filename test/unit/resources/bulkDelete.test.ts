/** Delete Many: which IDs are collected, into which requests they go, and what comes out. */
import type { IDataObject } from 'n8n-workflow';

import { deleteMany } from '../../../nodes/BusinessData/resources/transaction/deleteMany.operation';
import { Run } from '../../../nodes/BusinessData/resources/run';
import { fakeContext, type Setup } from './fakeContext';

const ENDPOINT = '/txndata/bulkDeleteTxn';

/** Runs the operation; `ids` are the values of the parameter IDs, one per item. */
async function runWith(ids: unknown[], setup: Setup = {}, parameters: IDataObject = {}) {
	const { context, sent } = fakeContext({
		items: ids.map((_, index) => ({ index })),
		parameters: (index) => ({ ids: ids[index], ...parameters }) as IDataObject,
		answer: () => ({ ok: true }),
		...setup,
	});
	const result = Run.during(context, async (run) => await deleteMany.execute(run));
	return { outputs: await result.catch((error: unknown) => ({ error })), sent };
}
const sentIds = async (...ids: unknown[]) =>
	(await runWith(ids)).sent.map(({ body }) => (body as { ids: unknown }).ids);
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

describe('IDs', () => {
	test('that cannot be used in one item send nothing', async () => {
		const { outputs, sent } = await runWith(['good', 'a,']);
		expect(outputs).toMatchObject({
			error: {
				message: 'IDs: an ID is empty',
				description: expect.stringContaining('Nothing is deleted for this item.') as string,
				context: { itemIndex: 1, outcome: 'notSent' },
			},
		});
		expect(sent).toEqual([]);
	});

	test.each<[string, unknown[], unknown[]]>([
		['in an item', ['a,b,a'], ['a', 'b']],
		['in several items', ['a', ['b', 'a'], 'b'], ['a', 'b']],
		['as a number and as a text', [7, '7', ' 7 '], [7]],
		['in two forms of Unicode', ['\u00e9', 'e\u0301', ['e\u0301']], ['\u00e9']],
	])('that come again %s go out once', async (_, ids, expected) => {
		expect(await sentIds(...ids)).toEqual([expected]);
	});

	test('that cannot be used are errors of their items when the node continues', async () => {
		const { outputs, sent } = await runWith(['a', '', 'b'], { continueOnFail: true });
		expect(sent.map(({ body }) => body)).toEqual([{ ids: ['a', 'b'] }]);
		expect(outputs).toMatchObject([
			{
				json: { count: 2, ids: ['a', 'b'], response: { ok: true } },
				pairedItem: [{ item: 0 }, { item: 2 }],
			},
			{ json: { index: 1 }, error: { message: 'IDs: an ID is empty' }, pairedItem: { item: 1 } },
		]);
	});

	test('that are all unusable send nothing', async () => {
		const { outputs, sent } = await runWith(['', null], { continueOnFail: true });
		expect(sent).toEqual([]);
		expect(outputs).toHaveLength(2);
	});
});

describe('requests', () => {
	test('are 10 for 1,000 items, each ID in one of them, in order', async () => {
		const { outputs, sent } = await runWith(numbers(1_000));
		expect(sent).toHaveLength(10);
		expect(sent.flatMap(({ body }) => (body as { ids: number[] }).ids)).toEqual(numbers(1_000));
		expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(
			Array<string>(10).fill(`POST ${ENDPOINT}`),
		);
		expect(outputs).toHaveLength(10);
		expect(outputs).toMatchObject({ 9: { json: { count: 100 } } });
	});

	test.each([
		[1, [1, 1, 1]],
		['2', [2, 1]],
		[3, [3]],
		[10_000, [3]],
	])('of batches of %j', async (batchSize, sizes) => {
		const { sent } = await runWith(['a', 'b,c'], {}, { options: { batchSize } });
		expect(sent.map(({ body }) => (body as { ids: unknown[] }).ids.length)).toEqual(sizes);
	});

	test.each([0, -1, 1.5, 10_001, '', 'all', null])(
		'of batches of %j are refused',
		async (batchSize) => {
			const { outputs, sent } = await runWith(['a'], {}, { options: { batchSize } });
			expect(outputs).toMatchObject({
				error: { message: 'Batch Size: must be a whole number from 1 to 10000' },
			});
			expect(sent).toEqual([]);
		},
	);

	test('go where the credential says, under the name it says', async () => {
		const credential = { transactionDelete: 'DELETE /v2/txn', deleteIdsField: 'records' };
		const { sent } = await runWith(['a'], {
			credential: { customize: true, limits: { general: [] }, ...credential },
		});
		expect(sent).toMatchObject([{ method: 'DELETE', path: '/v2/txn', body: { records: ['a'] } }]);
	});

	test('carry the options', async () => {
		const options = {
			queryParameters: { parameters: [{ name: 'force', value: true }] },
			timeout: 5,
		};
		const { sent } = await runWith(['a'], {}, { options });
		expect(sent).toMatchObject([{ path: `${ENDPOINT}?force=true`, options: { timeout: 5_000 } }]);
	});
});

describe('outputs', () => {
	test('are paired with every item that names an ID of theirs', async () => {
		const { outputs } = await runWith(['a,b', 'c', 'b,d'], {}, { options: { batchSize: 2 } });
		expect(outputs).toEqual([
			{
				json: { count: 2, ids: ['a', 'b'], response: { ok: true } },
				pairedItem: [{ item: 0 }, { item: 2 }],
			},
			{
				json: { count: 2, ids: ['c', 'd'], response: { ok: true } },
				pairedItem: [{ item: 1 }, { item: 2 }],
			},
		]);
	});

	test('show an empty answer as null', async () => {
		const { outputs } = await runWith(['a'], { answer: () => '' });
		expect(outputs).toMatchObject([{ json: { response: null } }]);
	});

	test('of a dry run show what would go out, and nothing does', async () => {
		const { outputs, sent } = await runWith(['a', 5], {}, { dryRun: true });
		expect(sent).toEqual([]);
		expect(outputs).toEqual([
			{
				json: { dryRun: true, method: 'POST', path: ENDPOINT, count: 2, body: { ids: ['a', 5] } },
				pairedItem: [{ item: 0 }, { item: 1 }],
			},
		]);
	});
});

describe('a batch that fails', () => {
	const refuseAfter = (requests: number) => (_: unknown, count: number) => {
		if (count > requests) throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
		return { ok: true };
	};
	const parameters = { options: { batchSize: 2 } };

	test('stops the rest and says how far it got', async () => {
		const ids = numbers(20);
		const { outputs, sent } = await runWith(ids, { answer: refuseAfter(1) }, parameters);
		// The three that were under way side by side.
		expect(sent).toHaveLength(4);
		expect(outputs).toMatchObject({
			error: {
				message: expect.stringContaining('may have taken effect') as string,
				description: expect.stringMatching(
					/1 batch was deleted\. Perhaps deleted: the IDs of items 2–7\. Not tried: the IDs of items 8–19\.$/,
				) as string,
				context: { outcome: 'unknown', batchesDone: 1, perhapsDeletedItems: [2, 3, 4, 5, 6, 7] },
			},
		});
	});

	test('as the first one is the only one: it goes alone', async () => {
		const { outputs, sent } = await runWith(numbers(20), { answer: refuseAfter(0) }, parameters);
		expect(sent).toHaveLength(1);
		expect(outputs).toMatchObject({
			error: { context: { batchesDone: 0, perhapsDeletedItems: [0, 1] } },
		});
	});

	test('is said to have been deleted perhaps, when one that failed beside it may have been', async () => {
		const answer = (_: unknown, count: number) => {
			// The second certainly does not reach the service, nobody knows of the third.
			if (count === 2) throw Object.assign(new Error('expired'), { code: 'CERT_HAS_EXPIRED' });
			return refuseAfter(2)(_, count);
		};
		const { outputs } = await runWith(numbers(20), { answer }, parameters);
		expect(outputs).toMatchObject({
			error: {
				description: expect.stringMatching(
					/Perhaps deleted: the IDs of items 4–7\. Not deleted: the IDs of items 2–3\. Not tried: the IDs of items 8–19\.$/,
				) as string,
				context: {
					...{ outcome: 'unknown', perhapsDeletedItems: [4, 5, 6, 7], failedItems: [2, 3] },
				},
			},
		});
	});

	test('is an error of each of its items when the node continues', async () => {
		const ids = ['a', 'b', 'c'];
		const setup = { answer: refuseAfter(1), continueOnFail: true };
		const { outputs, sent } = await runWith(ids, setup, parameters);
		expect(sent).toHaveLength(2);
		expect(outputs).toMatchObject([
			{ json: { count: 2 } },
			{ json: { index: 2 }, error: { context: { outcome: 'unknown' } }, pairedItem: { item: 2 } },
		]);
	});

	test('is told as canceled when the execution was stopped meanwhile', async () => {
		const stop = new AbortController();
		const answer = () => {
			stop.abort();
			return {};
		};
		const setup = { answer, statusCode: 500, stopped: stop.signal };
		const { outputs } = await runWith(['a'], setup, parameters);
		expect(outputs).toMatchObject({
			error: {
				message:
					'The request may have taken effect: it was under way when the execution was canceled',
				context: { outcome: 'unknown' },
			},
		});
	});

	test('is not counted as deleted when the execution is stopped later', async () => {
		const stop = new AbortController();
		const answer = (_: unknown, count: number) => {
			if (count === 3) stop.abort();
			return refuseAfter(1)(_, count);
		};
		const setup = { answer, continueOnFail: true, stopped: stop.signal };
		const { outputs } = await runWith(['a', 'b', 'c', 'd', 'e'], setup, parameters);
		expect(outputs).toMatchObject({
			error: {
				message: expect.stringContaining('canceled') as string,
				context: { batchesDone: 1 },
			},
		});
	});
});
