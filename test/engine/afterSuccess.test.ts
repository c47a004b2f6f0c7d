// What fails after the service has accepted a request: nobody may take it for "not sent", or send it again.

import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';

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
const items = ['a', 'b', 'c'].map((id) => ({ id }));
const context = { outcome: 'unknown', perhapsSentItems: [0], notTriedItems: [1, 2] };

test.each([{}, RETRY_ON_FAIL])('a full disk behind the response (%j)', async (settings) => {
	const error = errorOf(await bench.run(items, echo(), settings));
	expect(acted().map(({ body }) => body)).toEqual([{ id: 'a' }]);
	expect(error.message).toContain(`The service has accepted the request, but`);
	expect(error.message).toContain(FULL);
	expect(error.context).toMatchObject(context);
});

test('with a Send Once Key, the document is not sent by a re-run', async () => {
	const parameters = echo({ sendOnceKey: '={{ $json.id }}' });
	expect(errorOf(await bench.run([{ id: 'a' }], parameters)).context.outcome).toBe('unknown');
	expect((await bench.run([{ id: 'a' }], parameters)).run.status).toBe('success');
	expect(acted()).toHaveLength(1);
});
