// Retry On Fail runs the whole node again: what was sent by then, or may have been sent, is not sent again.

import { errorOf, itemsOf, NODE, useBench } from '../support/bench';
import {
	apiRequest,
	deleteMany,
	READ_ENDPOINT,
	RETRY_ON_FAIL,
	send,
	SEND_ENDPOINT,
} from '../support/parameters';

const bench = useBench();

test('after a refusal of the third of five sends, each is sent once', async () => {
	bench.sandbox.fault({ after: 2, action: { type: 'status', status: 400 } });
	const result = await bench.run(itemsOf(5), send(), RETRY_ON_FAIL);
	expect(result.run.status).toBe('success');
	expect(bench.documents()).toEqual(itemsOf(5));
	// The first results of the items come out, in their order.
	expect(result.items(NODE)).toMatchObject(
		itemsOf(5).map((_, item) => ({ json: { id: `doc-${item + 1}` }, pairedItem: { item } })),
	);
});

test('after a time-out, what may have been sent is not sent again', async () => {
	bench.sandbox.fault({ after: 1, action: { type: 'neverAnswer', act: true } });
	const error = errorOf(await bench.run(itemsOf(3), send({ timeout: 1 }), RETRY_ON_FAIL));
	expect(bench.documents()).toEqual(itemsOf(2));
	expect(error.message).toContain('may have taken effect');
	expect(error.context).toMatchObject({
		...{ outcome: 'unknown', sentItems: [0], perhapsSentItems: [1], notTriedItems: [2] },
	});
});

test.each([
	['that got no response', { type: 'neverAnswer' as const, act: false }],
	['that the service could not respond', { type: 'status' as const, status: 503 }],
])('a read among sends %s is retried', async (_, action) => {
	// The first one and its three retries.
	bench.sandbox.fault({ endpoint: READ_ENDPOINT, times: 4, action });
	const parameters = apiRequest(
		'={{ $json.id === 1 ? "GET" : "POST" }}',
		'={{ $json.id === 1 ? "/masterdata/getContacts" : "/txndata/sendTxn" }}',
		{ timeout: 1 },
	);
	const result = await bench.run(itemsOf(3), parameters, RETRY_ON_FAIL);
	expect(result.run.status).toBe('success');
	expect(bench.sandbox.journal.count(READ_ENDPOINT)).toBe(5);
	expect(bench.documents()).toHaveLength(2);
});

test('a batch that was deleted is not deleted again', async () => {
	bench.sandbox.fault({ after: 1, action: { type: 'status', status: 400 } });
	const result = await bench.run(itemsOf(4), deleteMany({ batchSize: 2 }), RETRY_ON_FAIL);
	expect(result.run.status).toBe('success');
	const ids = bench.sandbox.journal.responded().map(({ body }) => (body as { ids: number[] }).ids);
	expect(ids).toEqual([
		[0, 1],
		[2, 3],
	]);
});

test('another execution sends again, and a failed run without Retry On Fail runs once', async () => {
	await bench.run(itemsOf(1), send(), RETRY_ON_FAIL);
	await bench.run(itemsOf(1), send(), RETRY_ON_FAIL);
	expect(bench.documents()).toHaveLength(2);
	bench.sandbox.fault({ after: 1, action: { type: 'status', status: 400 } });
	errorOf(await bench.run(itemsOf(2), send()));
	expect(bench.documents()).toHaveLength(3);
});

test.each(['continueRegularOutput', 'continueErrorOutput'] as const)(
	'does not run the node again for items that failed (%s)',
	async (onError) => {
		bench.sandbox.fault({ action: { type: 'status', status: 400 } });
		bench.sandbox.fault({ after: 1, action: { type: 'hangUpAfterActing' } });
		// An input field of this name would look like a failed run.
		const items = itemsOf(3).map((item) => ({ ...item, error: 'earlier' }));
		const result = await bench.run(items, send(), { ...RETRY_ON_FAIL, onError });
		expect(result.run.status).toBe('success');
		expect(bench.sandbox.journal.count(SEND_ENDPOINT)).toBe(3);
		expect(bench.documents()).toEqual(items.slice(1));
	},
);

test('does not run the node again for a credential that cannot be used', async () => {
	bench.credential.apiKey = '12';
	const execute = jest.spyOn(bench.engine.nodeType(), 'execute');
	await bench.run(itemsOf(1), send(), { ...RETRY_ON_FAIL, onError: 'continueRegularOutput' });
	expect(execute).toHaveBeenCalledTimes(1);
});
