// Sends go out one by one in item order; the first that fails stops the rest, and the error says which
// items were sent, which was not, and which were not tried. Retry On Fail does not undo this.

import type { FaultAction } from '../../sandbox/server';
import { errorOf, itemsOf, NODE, useBench } from '../support/bench';
import { apiRequest, RETRY_ON_FAIL, send, SEND_ENDPOINT } from '../support/parameters';

const bench = useBench();

describe('the first failing send', () => {
	test.each<[string, FaultAction, string, unknown[]]>([
		[
			'that was refused',
			{ type: 'status', status: 400 },
			'Sent: items 0–1. Not sent: item 2. Not tried: items 3–4.',
			itemsOf(2),
		],
		[
			'that may have taken effect',
			{ type: 'hangUpAfterActing' },
			'Sent: items 0–1. Perhaps sent: item 2. Not tried: items 3–4.',
			itemsOf(3),
		],
	])('%s stops the rest', async (_, action, sentence, sent) => {
		bench.sandbox.fault({ after: 2, action });
		const error = errorOf(await bench.run(itemsOf(5), send()));
		expect(error.description).toContain(sentence);
		expect(error.context).toMatchObject({
			sentItems: [0, 1],
			notTriedItems: [3, 4],
			itemIndex: 2,
		});
		expect(bench.documents()).toEqual(sent);
		expect(bench.sandbox.journal.count()).toBe(3);
	});

	test('may be the very first', async () => {
		bench.sandbox.fault({ action: { type: 'status', status: 400 } });
		const error = errorOf(await bench.run(itemsOf(2), send()));
		expect(error.description).toMatch(
			/run the node again\. Not sent: item 0\. Not tried: item 1\.$/,
		);
	});

	test('may be the last', async () => {
		bench.sandbox.fault({ after: 2, action: { type: 'status', status: 400 } });
		const error = errorOf(await bench.run(itemsOf(3), send()));
		expect(error.description).toMatch(/Sent: items 0–1\. Not sent: item 2\.$/);
	});

	test('stops an API request that is no read as well', async () => {
		bench.sandbox.fault({ after: 1, action: { type: 'status', status: 500 } });
		const error = errorOf(await bench.run(itemsOf(3), apiRequest('POST', '/sandbox/echo')));
		expect(error.context).toMatchObject({
			sentItems: [0],
			perhapsSentItems: [1],
			notTriedItems: [2],
		});
		expect(bench.sandbox.journal.count()).toBe(2);
	});
});

describe('a mistake in the last item', () => {
	const parameters = {
		...send(),
		dataMode: 'json',
		jsonBody: '={{ $json.id === 4 ? "{" : { id: $json.id } }}',
	};

	test('leaves nothing sent', async () => {
		const error = errorOf(await bench.run(itemsOf(5), parameters));
		expect(error.message).toMatch(/^JSON Body: is not valid JSON/);
		expect(error.context).toMatchObject({ itemIndex: 4, outcome: 'notSent' });
		expect(bench.sandbox.journal.count()).toBe(0);
	});

	test('fails that item alone when the node continues on error', async () => {
		const result = await bench.run(itemsOf(5), parameters, { onError: 'continueErrorOutput' });
		expect(bench.documents()).toEqual(itemsOf(4));
		expect(result.items(NODE, 1).map(({ pairedItem }) => pairedItem)).toEqual([{ item: 4 }]);
	});
});

describe('Retry On Fail', () => {
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
});
