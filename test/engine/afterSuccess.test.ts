// What fails after the service has accepted a request: nobody may take it for "not sent", or send it again.

import { BinaryDataService } from 'n8n-core';
import { Container } from '@n8n/di';

import { errorOf, NO_LIMITS, useBench } from '../support/bench';
import { useDeduplicator } from '../support/deduplicator';
import { apiRequest, RETRY_ON_FAIL } from '../support/parameters';

const bench = useBench({ limits: NO_LIMITS });
const echo = (options = {}) => ({
	...apiRequest('POST', '/sandbox/echo', { responseFormat: 'file', ...options }),
	dataMode: 'autoMapInputData',
});
const FULL = 'ENOSPC: no space left on device, write';
useDeduplicator();
beforeEach(() => {
	jest.spyOn(Container.get(BinaryDataService), 'store').mockRejectedValue(new Error(FULL));
});

const acted = () => bench.sandbox.journal.all().filter((entry) => entry.acted);

test.each([{}, RETRY_ON_FAIL])('a full disk behind the response (%j)', async (settings) => {
	const items = ['a', 'b', 'c'].map((id) => ({ id }));
	const error = errorOf(await bench.run(items, echo(), settings));
	expect(acted().map(({ body }) => body)).toEqual([{ id: 'a' }]);
	expect(error.message).toContain('The service has accepted the request');
	expect(error.message).toContain(FULL);
	expect(error.description).toContain('Perhaps sent: item 0. Not tried: items 1–2.');
	expect(error.context).toMatchObject({
		outcome: 'unknown',
		sentItems: [],
		perhapsSentItems: [0],
		notTriedItems: [1, 2],
	});
});

test('with a Send Once Key, the document is not sent by a re-run', async () => {
	const parameters = echo({ sendOnceKey: '={{ $json.id }}' });
	expect(errorOf(await bench.run([{ id: 'a' }], parameters)).context.outcome).toBe('unknown');
	const again = await bench.run([{ id: 'a' }], parameters);
	expect(again.run.status).toBe('success');
	expect(acted()).toHaveLength(1);
});

test('a response that breaks off', async () => {
	bench.sandbox.fault({ action: { type: 'truncate' } });
	const error = errorOf(await bench.run([{ id: 'a' }, { id: 'b' }], echo(), RETRY_ON_FAIL));
	expect(error.context).toMatchObject({
		outcome: 'unknown',
		perhapsSentItems: [0],
		notTriedItems: [1],
	});
	expect(acted()).toHaveLength(1);
});
