// Retry On Fail runs the whole node again: what was sent by then, or may have been sent, is not sent again.

import { itemsOf, NODE, useBench } from '../support/bench';
import {
	apiRequest,
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
	expect(result.json(NODE).map(({ id }) => id)).toEqual([
		'doc-1',
		'doc-2',
		'doc-3',
		'doc-4',
		'doc-5',
	]);
	expect(result.items(NODE).map(({ pairedItem }) => pairedItem)).toEqual(
		itemsOf(5).map((_, item) => ({ item })),
	);
});

test('after a time-out, what may have been sent is not sent again', async () => {
	bench.sandbox.fault({ after: 1, action: { type: 'neverAnswer', act: true } });
	const result = await bench.run(itemsOf(3), send({ timeout: 1 }), RETRY_ON_FAIL);
	expect(result.run.status).toBe('error');
	expect(bench.documents()).toEqual(itemsOf(2));
	const { error } = result.run.data.resultData;
	expect(error?.message).toContain('may have taken effect');
	expect(error?.context).toMatchObject({
		outcome: 'unknown',
		sentItems: [0],
		perhapsSentItems: [1],
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
	const parameters = {
		resource: 'transaction',
		operation: 'deleteMany',
		ids: '={{ $json.id }}',
		options: { batchSize: 2 },
	};
	const result = await bench.run(itemsOf(4), parameters, RETRY_ON_FAIL);
	expect(result.run.status).toBe('success');
	const ids = bench.sandbox.journal.responded().map(({ body }) => (body as { ids: number[] }).ids);
	expect(ids).toEqual([
		[0, 1],
		[2, 3],
	]);
});

test('another execution sends again', async () => {
	await bench.run(itemsOf(1), send(), RETRY_ON_FAIL);
	await bench.run(itemsOf(1), send(), RETRY_ON_FAIL);
	expect(bench.sandbox.journal.count(SEND_ENDPOINT)).toBe(2);
});

test('without Retry On Fail nothing is remembered between attempts', async () => {
	bench.sandbox.fault({ after: 1, action: { type: 'status', status: 400 } });
	const result = await bench.run(itemsOf(2), send());
	expect(result.run.status).toBe('error');
	expect(bench.documents()).toHaveLength(1);
});
