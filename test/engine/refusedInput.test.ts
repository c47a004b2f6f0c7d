// Input that must not go out, because it would send the key elsewhere, slip past a limit, or is what an expression
// failed to make: refused before any request. `npm run test:faults` tries every field.

import type { IDataObject, INode } from 'n8n-workflow';

import { errorOf, NODE, useBench } from '../support/bench';
import { useDeduplicator } from '../support/deduplicator';
import { apiRequest, deleteMany, read, send } from '../support/parameters';

const bench = useBench();
useDeduplicator();

type Parameters = INode['parameters'];
const OPERATIONS = {
	'a read': read,
	'a send': send,
	'a deletion': deleteMany,
	'an API request': (options: Parameters) => apiRequest('POST', '/txndata/sendTxn', options),
};
const operations = Object.entries(OPERATIONS);

/** Runs the node; it must fail without any request. */
async function refusalOf(parameters: Parameters, items: object[] = [{ id: 0 }]) {
	const error = errorOf(await bench.run(items as IDataObject[], parameters));
	expect(bench.sandbox.journal.all()).toEqual([]);
	expect(error.context.outcome).toBe('notSent');
	expect(error.description).toBeTruthy();
	return error;
}

const query = (name: string, value: string) => ({
	queryParameters: { parameters: [{ name, value }] },
});
const headers = (...parameters: Array<{ name: string; value: string }>) => ({
	headerParameters: { parameters },
});
const AS_QUERY = 'the key must not be a query parameter (apiKey)';
const OUTSIDE = 'API Key: the key must not be part of a path, a query parameter or a header';

describe.each(operations)('of %s', (_, parameters) => {
	test.each<[Parameters, string]>([
		...['apiKey', 'APIKEY', ' apiKey '].map((name): [Parameters, string] => [
			query(name, 'a'),
			`Query Parameters: ${AS_QUERY}`,
		]),
		...['x-api-key', ' X-Api-Key ', 'Host', 'X-HTTP-Method-Override', 'Transfer-Encoding'].map(
			(name): [Parameters, string] => [
				headers({ name, value: 'a' }),
				`Headers: the header ${name.trim()} cannot be set here`,
			],
		),
		[
			headers({ name: 'X-Tenant', value: 'a' }, { name: 'x-tenant', value: 'b' }),
			'Headers: x-tenant is there twice',
		],
		[
			headers({ name: 'Accept', value: 'a\r\nx-api-key: b' }),
			'Headers: the value of Accept contains characters that a header cannot have',
		],
	])('%j is refused', async (options, message) => {
		expect((await refusalOf(parameters(options))).message).toBe(message);
	});

	test.each(['{{ $json.id % 2 }}', '{{ $("Start").item.json.id % 2 }}'])(
		'three items, the second with a key of its own by %s, are refused',
		async (digit) => {
			bench.credential.apiKey = `=${'0'.repeat(63)}${digit}`;
			const { message } = await refusalOf(parameters({}), [{ id: 0 }, { id: 1 }, { id: 2 }]);
			expect(message).toBe('Credential: is not the same for items 0–1');
		},
	);
});

test.each(['{{ $json.digit }}', '{{ $("Start").first().json.digit }}'])(
	'an expression in the credential that gives all items the same key is none: %s',
	async (digit) => {
		const { apiKey } = bench.sandbox;
		bench.credential.apiKey = `=${apiKey.slice(0, -1)}${digit}`;
		const items = ['a', 'b'].map((id) => ({ id, digit: apiKey.slice(-1) }));
		await bench.run(items, send());
		expect(bench.documents()).toEqual(items);
	},
);

test.each<[string, (key: string) => Parameters]>([
	[`Path: ${AS_QUERY}`, (key) => apiRequest('GET', `/masterdata?a=1&%61pik%45y=${key}`)],
	...['pageParameter', 'pageSizeParameter'].map((name): [string, () => Parameters] => [
		`Pagination: ${AS_QUERY}`,
		() => read({ pagination: { values: { type: 'pageNumber', [name]: 'apiKey' } } }),
	]),
	[OUTSIDE, (key) => apiRequest('GET', `/masterdata/${key}`)],
	[OUTSIDE, (key) => apiRequest('GET', `/masterdata/getContacts?token=${key}`)],
	[OUTSIDE, (key) => read(query('token', `Bearer ${key}`))],
	[OUTSIDE, (key) => ({ ...deleteMany(query('token', key)), dryRun: true })],
	[OUTSIDE, (key) => send(headers({ name: 'token', value: key.toUpperCase() }))],
])('the key in a wrong place is refused: %s', async (message, parameters) => {
	expect((await refusalOf(parameters(bench.sandbox.apiKey))).message).toBe(message);
});

describe('a path', () => {
	// The tests of parsePath have all forms.
	test.each(['//elsewhere.example/masterdata', '/masterdata/../../admin', '/a%252e%252e%2fb', ' '])(
		'that leaves the base URL or may be taken for another is refused: %j',
		async (path) => {
			bench.credential.baseUrl = `${bench.sandbox.baseUrl}/below/this`;
			const error = await refusalOf(apiRequest('POST', path));
			expect(error.message).toMatch(/^Path: /);
		},
	);

	test('stays below a base URL that has a path itself', async () => {
		bench.credential.baseUrl = `${bench.sandbox.baseUrl}/below/this/`;
		await bench.run([{}], apiRequest('GET', 'masterdata/getContacts'));
		const [request] = bench.sandbox.journal.all();
		expect(request?.path).toBe('/below/this/masterdata/getContacts');
	});
});

describe('what an expression makes', () => {
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

	const NO_VALUE = '{{ $json.missing }} has no value (undefined)';

	test.each<[Parameters, string]>([
		[apiRequest('DELETE', '=/contacts/{{ $json.missing }}/lines'), `Path: ${NO_VALUE}`],
		[apiRequest('DELETE', '=/contacts/{{ $json.missing }}'), `Path: ${NO_VALUE}`],
		[
			apiRequest('DELETE', '=/contacts/{{ $json.empty }}'),
			'Path: {{ $json.empty }} leaves a segment of the path empty',
		],
		[
			apiRequest('DELETE', '={{ "/contacts/" + $json.empty }}'),
			'Path: {{ "/contacts/" + $json.empty }} leaves a segment of the path empty',
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
		[read(query('a', '={{ $json.missing }}')), `Query Parameters: "a": ${NO_VALUE}`],
		[
			read(query('a', '=after {{ DateTime.fromISO($json.date) }}')),
			'Query Parameters: "a": {{ DateTime.fromISO($json.date) }} is an invalid date',
		],
		[
			read(headers({ name: 'X-A', value: '=for {{ $json.customer }}' })),
			'Headers: "X-A": {{ $json.customer }} is an object, not a text',
		],
		[read({ maxWait: '={{ $json.missing }}' }), `Max Wait: ${NO_VALUE}`],
		[field('={{ $json.missing }}'), `Fields: "a": ${NO_VALUE}`],
		[field('=Dear {{ $json.nothing }}'), 'Fields: "a": {{ $json.nothing }} is null'],
		[
			field('={{ $json.id + $json.missing }}'),
			'Fields: "a": {{ $json.id + $json.missing }} is not a number that JSON can hold (NaN)',
		],
		[
			field('={{ "{id: " + $json.missing + "}" }}', 'a', 'object'),
			'Fields: "a.id" is the text "undefined", which stands for no value',
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
		...['=INV-{{ $json.list }}', '={{ $json.list }}-INV', '=a, INV-{{ $json.list }}, b'].map(
			(ids): [Parameters, string] => [
				{ ...deleteMany(), ids },
				'IDs: {{ $json.list }} is a list, not a text',
			],
		),
		[json('={"id": "INV-{{ $json.list }}"}'), 'JSON Body: {{ $json.list }} is a list, not a text'],
		[
			apiRequest('GET', '/contacts', query('a', '={{ "\\ud83d" }}')),
			'Query Parameters: "a" holds half of a character',
		],
		[{ ...deleteMany(), dryRun: '={{ $json.missing }}' }, `Dry Run: ${NO_VALUE}`],
	])('%j is refused: %s', async (parameters, message) => {
		expect((await refusalOf(parameters, [ITEM])).message).toBe(message);
	});

	test.each<[Parameters, object]>([
		[apiRequest('GET', '=/sandbox/echo?a={{ $json.id }}'), { query: { a: '1' } }],
		[
			apiRequest('GET', '=/sandbox/{{ "echo" }}', query('a', '={{ $json.id }}/{{ false }}')),
			{ query: { a: '1/false' } },
		],
		[
			apiRequest('GET', '/sandbox/echo', query('a', '=[{{ $json.empty }}]')),
			{ query: { a: '[]' } },
		],
		[apiRequest('GET', '/sandbox/echo', query('a', 'null')), { query: { a: 'null' } }],
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

	test('what a person wrote beside it may be any text', async () => {
		const { assignments } = field('={{ $json.id }}').assignments;
		const written = { id: 'b', name: 'b', type: 'string', value: 'null' };
		const parameters = { ...field(''), assignments: { assignments: [...assignments, written] } };
		expect((await bench.run([ITEM], parameters)).run.status).toBe('success');
		expect(bench.documents()).toEqual([{ a: '1', b: 'null' }]);
	});

	test('a path that is meant to end with a slash goes out', async () => {
		await bench.run([ITEM], apiRequest('DELETE', '={{ "/contacts/" + $json.id + "/" }}'));
		expect(bench.sandbox.journal.all()).toMatchObject([{ path: '/contacts/1/' }]);
		const empty = apiRequest('DELETE', '={{ "/contacts/" + $json.empty + "/" }}');
		const { message } = errorOf(await bench.run([ITEM], empty));
		expect(message).toMatch(/^Path: a segment is empty/);
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
});
