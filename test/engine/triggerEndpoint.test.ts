// The trigger watches any list of the service by its path, with the same checks as API Request.

import type { INodeParameters } from 'n8n-workflow';

import { headers, incremental, query } from '../support/parameters';
import { inWords, KEY, reasonOf, useTriggerBench } from '../support/triggerBench';

const bench = useTriggerBench();

const EVENTS = ['recordCreated', 'recordUpdated', 'recordDeleted'];
const watch = (path: string, more: Record<string, unknown> = {}) =>
	bench.trigger({ source: 'endpoint', path, events: EVENTS, ...more });

test('emits created, updated and deleted records of a path', async () => {
	const { poll, pollList } = watch('/txndata/getPayments?status=open');
	expect(await pollList({ payments: [{ id: 'p1', amount: 5 }, { id: 'p2' }] })).toEqual([]);
	expect(bench.service.queries).toEqual([{ status: 'open' }]);
	expect(await pollList({ payments: [{ id: 'p1', amount: 7 }, { id: 'p3' }] })).toEqual([
		{ event: 'recordUpdated', record: { id: 'p1', amount: 7 } },
		{ event: 'recordCreated', record: { id: 'p3' } },
	]);
	expect(await poll()).toEqual([{ event: 'recordDeleted', record: { id: 'p2' } }]);
});

test('starts over when the path changes', async () => {
	const staticData = {};
	const pollAt = async (path: string, ...ids: number[]) => {
		const parameters = { source: 'endpoint', path, events: EVENTS };
		const { pollList } = bench.trigger(parameters, { staticData });
		return inWords(await pollList(ids.map((id) => ({ id }))));
	};
	expect(await pollAt('/list', 1)).toEqual([]);
	expect(await pollAt('/other', 2)).toEqual([]);
	expect(bench.logged()).toContain('because the source changed: the records are remembered');
	expect(await pollAt('/other', 2, 3)).toEqual(['recordCreated 3']);
});

test('a 304 is an error if a fixed header asks for it, but not with Incremental', async () => {
	bench.service.response = (_, response) => response.writeHead(304).end();
	const { poll } = watch('/list', { options: headers({ name: 'If-None-Match', value: '"a"' }) });
	expect(await reasonOf(poll())).toContain('Remove it from the option Headers');
	const sendIn = { parameter: 'If-Modified-Since', sendIn: 'header', format: 'httpDate' };
	const instead = watch('/list', { options: incremental(sendIn) });
	expect(await instead.pollList([{ id: 1 }])).toEqual([]);
	bench.service.response = (_, response) => response.writeHead(304).end();
	expect(await instead.poll()).toEqual([]);
});

const BELOW = 'must be a path below the base URL';
const OUT = 'must not lead out of its folder';
const MARK = (values: object) => ({ options: { deletedWhen: { values } } });
const SINCE = (values: INodeParameters) => ({ options: incremental(values) });
test.each<[object, string]>([
	[{ path: '' }, 'Path: is empty'],
	[{ path: undefined }, 'Path: is empty'],
	[{ path: 'https://example.com/list' }, BELOW],
	[{ path: '/a/../../list' }, OUT],
	[{ path: '/list?apiKey=1' }, 'the key must not be a query parameter'],
	[{ path: `/list/${KEY}` }, 'the key must not be part of a path'],
	[{ path: 5 }, 'Path: is not a text'],
	[{ source: 'other' }, 'Source: is not known'],
	[{ events: ['contactCreated'] }, 'Choose at least one of recordCreated'],
	[{ events: [] }, 'Events: is not a list of known events'],
	[{ events: [EVENTS[0], 'other'] }, 'Events: is not a list'],
	// n8n does not evaluate expressions here.
	[{ events: '={{ 1 }}' }, 'Events: is not'],
	[{ idField: ' ' }, 'ID Field: is empty Enter the field that identifies a record'],
	[{ options: { emitExisting: 'a' } }, 'Emit Existing: must be true or false'],
	[{ options: { changedFields: 'a' } }, 'Changed Fields: must be true or false'],
	[{ options: { watchFields: 1 } }, 'Watch Fields: is not a text'],
	[{ options: { ignoreFields: 1 } }, 'Ignore Fields: is not a text'],
	[{ options: { maxDeletionPercent: -1 } }, 'from 0 to 100 Use 100 for no guard.'],
	[{ options: { maxDeletionPercent: 101 } }, 'Max Deletion Percent: must be a number'],
	[MARK({ field: 'a' }), 'Value: is empty Enter how the service marks'],
	[MARK({ value: 'a' }), 'Field: is empty Enter how the service marks'],
	[MARK({ field: 'a', value: {} }), 'Value: is not a text'],
	[SINCE({ parameter: ' ' }), 'Parameter: is empty Enter '],
	[SINCE({ parameter: 'apiKey' }), 'Incremental: the key must not be a query parameter'],
	[SINCE({ parameter: 'x-api-key', sendIn: 'header' }), 'header x-api-key cannot be set'],
	[SINCE({ timeZone: 'Mars' }), 'Time Zone: is not known'],
	[SINCE({ timeZone: 5 }), 'Time Zone: is not a text'],
	[SINCE({ format: 'custom' }), 'Custom Format: is empty Enter '],
	[SINCE({ format: 'roman' }), 'Format: is not known Use one of '],
	[SINCE({ fullReadHours: -1 }), 'Full Read Hours: must be'],
	[SINCE({ lookbackSeconds: 'x' }), 'Lookback Seconds: must be'],
	[SINCE({ sendIn: 'body' }), 'Send In: is not known Use one of '],
])('%j is refused before any request: %s', async (parameters, message) => {
	const reason = await reasonOf(watch('/list', { ...parameters }).poll());
	expect(reason).toContain(message);
	expect(reason).toMatch(/ (Choose|Enter|Use|Remove|Replace|Set|Write) | credential/);
	expect(bench.service.queries).toEqual([]);
});

test.each<[string, isPart: boolean, Record<string, unknown>]>([
	['the query of a path', true, { path: '=/list?since={{ $now.toMillis() }}' }],
	['a path without a query', false, { path: '={{ "/list" }}' }],
	['the value of a header', true, { options: headers({ name: 'X-A', value: '={{ 5 }}' }) }],
	['the name of a header', true, { options: headers({ name: '={{ "X-A" }}', value: '5' }) }],
	['a query parameter', true, { options: query('limit', '={{ 5 }}') }],
])('with an expression in %s, no deletion is emitted: %s', async (_, isPart, parameters) => {
	const { poll, pollList } = watch('/list', parameters);
	await pollList([{ id: 1 }, { id: 2 }]);
	expect(inWords(await pollList([{ id: 2, name: 'new' }, { id: 3 }]))).toEqual([
		'recordUpdated 2',
		'recordCreated 3',
	]);
	expect(inWords([...(await poll()), ...(await poll())])).toEqual(
		isPart ? [] : ['recordDeleted 1'],
	);
});
