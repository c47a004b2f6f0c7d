// What n8n's expressions failed to make, in the form in which users meet it: nothing goes out, and the error
// names the field and the expression. `npm run test:faults` tries every field.

import type { INode } from 'n8n-workflow';

import { useDeduplicator } from '../support/deduplicator';
import { errorOf, NO_LIMITS, NODE, useBench } from '../support/bench';
import { apiRequest, deleteMany, read, send } from '../support/parameters';

const bench = useBench({ limits: NO_LIMITS });
useDeduplicator();

const ITEM = {
	id: 1,
	empty: '',
	nothing: null,
	list: [1, 2],
	customer: { name: 'a' },
	date: 'tomorrow',
};
const field = (value: string, name = 'a', type = 'string') => ({
	...send(),
	dataMode: 'defineBelow',
	assignments: { assignments: [{ id: 'a', name, type, value }] },
});
const json = (jsonBody: string) => ({ ...send(), dataMode: 'json', jsonBody });
const query = (value: string) => ({ queryParameters: { parameters: [{ name: 'a', value }] } });
const header = (value: string) => ({ headerParameters: { parameters: [{ name: 'X-A', value }] } });

const NO_VALUE = '{{ $json.missing }} has no value (undefined)';

test.each<[INode['parameters'], string]>([
	[apiRequest('DELETE', '=/contacts/{{ $json.missing }}/lines'), `Path: ${NO_VALUE}`],
	[apiRequest('DELETE', '=/contacts/{{ $json.missing }}'), `Path: ${NO_VALUE}`],
	[
		apiRequest('DELETE', '=/contacts/{{ $json.empty }}'),
		'Path: {{ $json.empty }} leaves a segment of the path empty',
	],
	[
		apiRequest('DELETE', '={{ "/contacts/" + $json.missing }}'),
		'Path: a segment is the text "undefined", which stands for no value',
	],
	[apiRequest('GET', '=/contacts?id={{ $json.missing }}'), `Path: ${NO_VALUE}`],
	[
		apiRequest('GET', '={{ "/contacts?id=" + $json.missing }}'),
		'Path: "id" is the text "undefined", which stands for no value',
	],
	[read(query('={{ $json.missing }}')), `Query Parameters: "a": ${NO_VALUE}`],
	[
		read(query('=after {{ DateTime.fromISO($json.date) }}')),
		'Query Parameters: "a": {{ DateTime.fromISO($json.date) }} is an invalid date',
	],
	[
		read(header('=for {{ $json.customer }}')),
		'Headers: "X-A": {{ $json.customer }} is an object, not a text',
	],
	[read({ maxWait: '={{ $json.missing }}' }), `Max Wait: ${NO_VALUE}`],
	[field('={{ $json.missing }}'), `Fields: "a": ${NO_VALUE}`],
	[field('=Dear {{ $json.nothing }}'), 'Fields: "a": {{ $json.nothing }} is null'],
	[
		field('={{ $json.id + $json.missing }}'),
		'Fields: "a": {{ $json.id + $json.missing }} is not a number that JSON can hold (NaN)',
	],
	[field('a', '={{ $json.missing }}'), `Fields: "name": ${NO_VALUE}`],
	[
		field('={{ $json.date }}', 'a', 'number'),
		'Fields: "a" expects Number, but the value is the text "tomorrow"',
	],
	[json('={"name": "{{ $json.missing }}"}'), `JSON Body: ${NO_VALUE}`],
	[
		json('={{ ({ lines: [{ due: new Date($json.date) }] }) }}'),
		'JSON Body: {{ ({ lines: [{ due: new Date($json.date) }] }) }}: "lines.0.due" is an invalid date',
	],
	[send({ sendOnceKey: '=INV-{{ $json.missing }}' }), `Send Once Key: ${NO_VALUE}`],
	[send({ sendOnceKey: '=INV-{{ $json.empty }}' }), 'Send Once Key: {{ $json.empty }} is empty'],
	[{ ...deleteMany(), ids: '={{ $json.missing }}' }, `IDs: ${NO_VALUE}`],
	[{ ...deleteMany(), ids: '=INV-{{ $json.empty }}' }, 'IDs: {{ $json.empty }} is empty'],
	[{ ...deleteMany(), dryRun: '={{ $json.missing }}' }, `Dry Run: ${NO_VALUE}`],
])('%j is refused: %s', async (parameters, message) => {
	const error = errorOf(await bench.run([ITEM], parameters));
	expect(error.message).toBe(message);
	expect(error.context.outcome).toBe('notSent');
	expect(bench.sandbox.journal.all()).toEqual([]);
});

test.each<[INode['parameters'], object]>([
	[apiRequest('GET', '=/sandbox/echo?a={{ $json.id }}'), { query: { a: '1' } }],
	[
		apiRequest('GET', '=/sandbox/{{ "echo" }}', query('={{ $json.id }}/{{ false }}')),
		{ query: { a: '1/false' } },
	],
	[apiRequest('GET', '/sandbox/echo', query('=[{{ $json.empty }}]')), { query: { a: '[]' } }],
	[apiRequest('GET', '/sandbox/echo', query('null')), { query: { a: 'null' } }],
	[
		{
			...apiRequest('POST', '/sandbox/echo'),
			dataMode: 'json',
			jsonBody: '={"ids": [{{ $json.list }}]}',
		},
		{ body: { ids: [1, 2] } },
	],
])('%j goes out', async (parameters, expected) => {
	const result = await bench.run([ITEM], parameters);
	expect(result.json(NODE)).toMatchObject([expected]);
});

test('a key in the expression is not shown', async () => {
	const key = bench.sandbox.apiKey;
	const error = errorOf(await bench.run([{}], apiRequest('GET', `=/a/{{ $json.a["${key}"] }}`)));
	expect(error.message).toBe('Path: {{ $json.a["****"] }} has no value (undefined)');
});

test('one key in two forms of Unicode is one', async () => {
	const items = [{ key: '\u00e9' }, { key: 'e\u0301' }];
	const result = await bench.run(items, send({ sendOnceKey: '={{ $json.key }}' }));
	expect(result.json(NODE)).toMatchObject([{ status: 'sent' }, { skipped: true }]);
});
