// Sends go out one by one in item order; the first that fails stops the rest, and the error says which
// items were sent, which was not, and which were not tried.

import type { FaultAction } from '../../sandbox/server';
import { errorOf, itemsOf, useBench } from '../support/bench';
import { apiRequest, send } from '../support/parameters';

const bench = useBench();
const refused = { type: 'status', status: 400 } as const;

test.each<[number, number, FaultAction, string, object]>([
	[
		...([0, 2, refused, 'Not sent: item 0. Not tried: item 1.'] as const),
		{ outcome: 'refused', sentItems: [], failedItems: [0], notTriedItems: [1] },
	],
	[
		...([2, 5, refused, 'Sent: items 0–1. Not sent: item 2. Not tried: items 3–4.'] as const),
		{ outcome: 'refused', sentItems: [0, 1], failedItems: [2], notTriedItems: [3, 4] },
	],
	[
		...([2, 3, refused, 'Sent: items 0–1. Not sent: item 2.'] as const),
		{ outcome: 'refused', sentItems: [0, 1], failedItems: [2], notTriedItems: [] },
	],
	[
		...([1, 3, { type: 'hangUpAfterActing' }] as const),
		'Sent: item 0. Perhaps sent: item 1. Not tried: item 2.',
		{ outcome: 'unknown', sentItems: [0], perhapsSentItems: [1], notTriedItems: [2] },
	],
])('send %d of %d with %j stops the rest', async (itemIndex, count, action, sentence, context) => {
	for (const parameters of [send(), apiRequest('POST', '/sandbox/echo')]) {
		const before = bench.sandbox.journal.count();
		bench.sandbox.fault({ after: itemIndex, action });
		const error = errorOf(await bench.run(itemsOf(count), parameters));
		expect(error.description?.endsWith(sentence)).toBe(true);
		expect(error.context).toMatchObject({ ...context, itemIndex });
		expect(bench.sandbox.journal.count() - before).toBe(itemIndex + 1);
		bench.sandbox.clearFaults();
	}
	const sent = (context as { perhapsSentItems?: number[] }).perhapsSentItems?.length ?? 0;
	expect(bench.documents()).toEqual(itemsOf(itemIndex + sent));
});

test('a mistake in the last item leaves nothing sent', async () => {
	const jsonBody = '={{ $json.id === 4 ? "{" : { id: $json.id } }}';
	const parameters = { ...send(), dataMode: 'json', jsonBody };
	const error = errorOf(await bench.run(itemsOf(5), parameters));
	expect(error.message).toMatch(/^JSON Body: is not valid JSON/);
	expect(error.context).toMatchObject({ itemIndex: 4, outcome: 'notSent' });
	expect(bench.sandbox.journal.count()).toBe(0);
});
