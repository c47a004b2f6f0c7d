// Input that is refused before any request, because it would leak the key, bypass a limit, or is what a failed expression
// left. `npm run test:faults` tries every field.

import type { IDataObject, INode } from 'n8n-workflow';

import { CredentialsHelper } from '../support/credentialsHelper';
import { errorOf, NODE, useBench } from '../support/bench';
import { useDeduplicator } from '../support/deduplicator';
import { apiRequest, deleteMany, headers, query, read, send } from '../support/parameters';
import { callTool } from '../support/toolWorkflow';

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

/** The error of a run that must fail before any request. */
async function refusalOf(parameters: Parameters, items: object[] = [{ id: 0 }]) {
	const error = errorOf(await bench.run(items as IDataObject[], parameters));
	expect(bench.sandbox.journal.all()).toEqual([]);
	expect(error.context.outcome).toBe('notSent');
	expect(error.description).toBeTruthy();
	return error;
}

const AS_QUERY = 'the key must not be a query parameter (apiKey)';
const OUTSIDE = 'API Key: the key must not be part of a path, a query parameter or a header';

describe.each(operations)('%s', (_, parameters) => {
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
			'Headers: x-tenant appears twice',
		],
	])('is refused with %j', async (options, message) => {
		expect((await refusalOf(parameters(options))).message).toBe(message);
	});

	test.each([
		'{{ $json.id % 2 }}',
		'{{ $("Start").item.json.id % 2 }}',
		'{{ $input.item?.json.other ?? 0 }}',
	])('is refused if its items have different API keys by %s', async (digit) => {
		bench.credential.apiKey = `=${'0'.repeat(63)}${digit}`;
		const { message } = await refusalOf(parameters({}), [
			{ id: 0 },
			{ id: 1, other: 1 },
			{ id: 2 },
		]);
		expect(message).toBe('Credential: is not the same for items 0–1');
	});
});

test.each(['{{ $json.digit }}', '{{ $("Start").first().json.digit }}'])(
	'a credential expression that gives all items the same key is allowed: %s',
	async (digit) => {
		const { apiKey } = bench.sandbox;
		bench.credential.apiKey = `=${apiKey.slice(0, -1)}${digit}`;
		const items = ['a', 'b'].map((id) => ({ id, digit: apiKey.slice(-1) }));
		await bench.run(items, send());
		expect(bench.documents()).toEqual(items);
	},
);

test.each([
	['without an expression', (apiKey: string) => apiKey, 2],
	[
		'whose expression is the same for all items',
		(apiKey: string) => `={{ $vars.none ?? "${apiKey}" }}`,
		2,
	],
	['whose expression may vary by item', (apiKey: string) => `={{ $json.none ?? "${apiKey}" }}`, 21],
])('a credential %s is read no more often than twenty items need', async (_, write, times) => {
	bench.credential.apiKey = write(bench.sandbox.apiKey);
	const read = jest.spyOn(CredentialsHelper.prototype, 'getDecrypted');
	const items = Array.from({ length: 20 }, (_item, index) => ({ id: `${index}` }));
	await bench.run(items, { ...deleteMany(), dryRun: true });
	expect(read).toHaveBeenCalledTimes(times);
});

test.each<[string, (key: string) => Parameters]>([
	[`Path: ${AS_QUERY}`, (key) => apiRequest('GET', `/masterdata?a=1&%61pik%45y=${key}`)],
	[OUTSIDE, (key) => apiRequest('GET', `/masterdata/${key}`)],
	[OUTSIDE, (key) => apiRequest('GET', `/masterdata/getContacts?token=${key}`)],
	[OUTSIDE, (key) => read(query('token', `Bearer ${key}`))],
	[OUTSIDE, (key) => ({ ...deleteMany(query('token', key)), dryRun: true })],
	[OUTSIDE, (key) => send(headers({ name: 'token', value: key.toUpperCase() }))],
])('the key outside its header is refused: %s', async (message, parameters) => {
	expect((await refusalOf(parameters(bench.sandbox.apiKey))).message).toBe(message);
});

describe('a path', () => {
	// The tests of parsePath cover all forms.
	test.each(['//elsewhere.example/masterdata', '/masterdata/../../admin', '/a%252e%252e%2fb', ' '])(
		'that leaves the base URL or is ambiguous is refused: %j',
		async (path) => {
			bench.credential.baseUrl = `${bench.sandbox.baseUrl}/below/this`;
			const error = await refusalOf(apiRequest('POST', path));
			expect(error.message).toMatch(/^Path: /);
		},
	);

	test('is appended to the path of the base URL', async () => {
		bench.credential.baseUrl = `${bench.sandbox.baseUrl}/below/this/`;
		await bench.run([{}], apiRequest('GET', 'masterdata/getContacts'));
		const [request] = bench.sandbox.journal.all();
		expect(request?.path).toBe('/below/this/masterdata/getContacts');
	});
});

describe('an expression', () => {
	const ITEM = {
		id: 1,
		empty: '',
		nothing: null,
		list: [1, 2],
		client: { name: 'a' },
		date: 'tomorrow',
		folder: 'C:\\',
	};
	/** A JSON text that ends with a backslash. */
	const FOLDER = '{{ JSON.stringify($json.folder) }}';
	const field = (value: string, own = {}) => ({
		...send(),
		dataMode: 'defineBelow',
		assignments: { assignments: [{ id: 'a', name: 'a', type: 'string', value, ...own }] },
	});
	/** By field name: makes parameters with an expression in that field. */
	const FIELDS = {
		Path: (path: string) => apiRequest('DELETE', path),
		'Query Parameters': (value: string) => read(query('a', value)),
		Headers: (value: string) => read(headers({ name: 'X-A', value })),
		'Max Wait': (maxWait: string) => read({ maxWait }),
		Fields: field,
		'JSON Body': (jsonBody: string) => ({ ...send(), dataMode: 'json', jsonBody }),
		'Send Once Key': (sendOnceKey: string) => send({ sendOnceKey }),
		IDs: (ids: string) => ({ ...deleteMany(), ids }),
		'Dry Run': (dryRun: string) => ({ ...deleteMany(), dryRun }),
	};

	const NO_VALUE = '{{ $json.missing }} has no value (undefined)';
	const UNDEFINED = 'is the text "undefined", which stands for no value';
	const NO_SEGMENT = 'leaves a segment of the path empty';
	const EMPTY_ID = '"ids" is empty, so a DELETE may delete more than is meant';
	const LIST = '{{ $json.list }} is a list, not a text';
	const PLAIN = 'is plain text here, because the field is set to Fixed';
	const FIXED = `{{ $json.id }} ${PLAIN}`;
	const NOW = '{{ DateTime.now().toISODate() }}';
	const INEXACT =
		'is a number that JavaScript cannot hold exactly (9007199254740992): give it as a text';
	const DATE = 'DateTime.fromISO($json.date)';
	const DUE = '({ lines: [{ due: new Date($json.date) }] })';
	const SUM = '$json.id + $json.missing';

	test.each<[keyof typeof FIELDS, expression: string, problem: string, field?: object]>([
		['Path', '=/contacts/{{ $json.missing }}', NO_VALUE],
		['Path', '=/contacts/{{ $json.empty }}', `{{ $json.empty }} ${NO_SEGMENT}`],
		['Path', '={{ "/contacts/" + $json.empty }}', `{{ "/contacts/" + $json.empty }} ${NO_SEGMENT}`],
		['Path', '={{ "/contacts/" + $json.missing }}', `a segment ${UNDEFINED}`],
		['Query Parameters', '={{ $json.missing }}', `"a": ${NO_VALUE}`],
		['Query Parameters', `=after {{ ${DATE} }}`, `"a": {{ ${DATE} }} is an invalid date`],
		['Query Parameters', '={{ "\\ud83d" }}', '"a" holds half of a character'],
		['Headers', '=for {{ $json.client }}', '"X-A": {{ $json.client }} is an object, not a text'],
		['Max Wait', '={{ $json.missing }}', NO_VALUE],
		['Fields', '=Dear {{ $json.nothing }}', '"a": {{ $json.nothing }} is null'],
		['Fields', `={{ ${SUM} }}`, `"a": {{ ${SUM} }} is not a number that JSON can hold (NaN)`],
		['Fields', '={{ 2 ** 53 }}', `"a": {{ 2 ** 53 }} ${INEXACT}`],
		['Fields', 'a', `"name": ${NO_VALUE}`, { name: '={{ $json.missing }}' }],
		['JSON Body', `={{ ${DUE} }}`, `{{ ${DUE} }}: "lines.0.due" is an invalid date`],
		['JSON Body', '={"id": "INV-{{ $json.list }}"}', LIST],
		[
			'JSON Body',
			'={"a": "{{ "null" }}"}',
			'{{ "null" }} is the text "null", which stands for no value',
		],
		['JSON Body', `={"a": ${FOLDER}, "b": "INV-{{ $json.list }}"}`, LIST],
		['Path', '=/contacts?ids={{ $json.empty }}', EMPTY_ID],
		['Path', '=/contacts?of=a&ids=%20{{ $json.empty }}&all=1', EMPTY_ID],
		['Send Once Key', '=INV-{{ $json.empty }}', '{{ $json.empty }} is empty'],
		['IDs', '=INV-{{ $json.empty }}', '{{ $json.empty }} is empty'],
		['IDs', '={{ $json.list }}-INV', LIST],
		['IDs', '=a, INV-{{ $json.list }}, b', LIST],
		['Dry Run', '={{ $json.missing }}', NO_VALUE],
		['Fields', 'INV-{{ $json.id }}', `"a": ${FIXED}`],
		['Headers', '{{ $json.id }}', `"X-A": ${FIXED}`],
		['IDs', '{{ $json.id }}', FIXED],
		['JSON Body', '{"a": "{{ $json.id }}"}', FIXED],
		['JSON Body', `{"a": "${NOW}"}`, `${NOW} ${PLAIN}`],
		['Send Once Key', '{{ $json.id }}', FIXED],
	])('in %s: %s is refused: %s', async (name, expression, problem, own = {}) => {
		const { message } = await refusalOf(FIELDS[name](expression, own), [ITEM]);
		expect(message).toBe(`${name}: ${problem}`);
	});

	test('that leaves a query parameter of a DELETE empty is refused', async () => {
		const parameters = apiRequest('DELETE', '/contacts', query('ids', '={{ $json.empty }}'));
		const { message } = await refusalOf(parameters, [ITEM]);
		expect(message).toBe(`Query Parameters: ${EMPTY_ID}`);
	});

	test.each(['=/contacts/{{ $json.id }}?force', '/contacts?ids='])(
		'is not blamed for a query of a DELETE that was written empty: %s',
		async (path) => {
			await bench.run([ITEM], apiRequest('DELETE', path));
			expect(bench.sandbox.journal.count()).toBe(1);
		},
	);

	const ECHO = '/sandbox/echo';
	const NULL = '={"a": {{ JSON.stringify($json.nothing) }}, "b": "c"}';
	const AFTER = `={"a": ${FOLDER}, "b": {{ JSON.stringify($json.nothing) }}, "c": [{{ $json.list }}]}`;
	const BOTH = '={{ $json.id }}/{{ false }}';
	const IDS = '={"ids": [{{ $json.list }}]}';
	test.each<[Parameters, object]>([
		[apiRequest('GET', '=/sandbox/echo?a={{ $json.id }}'), { query: { a: '1' } }],
		[apiRequest('GET', '=/sandbox/{{ "echo" }}', query('a', BOTH)), { query: { a: '1/false' } }],
		[apiRequest('GET', ECHO, query('a', '=[{{ $json.empty }}]')), { query: { a: '[]' } }],
		[apiRequest('GET', ECHO, query('a', 'null')), { query: { a: 'null' } }],
		[{ ...apiRequest('POST', ECHO), dataMode: 'json', jsonBody: IDS }, { body: { ids: [1, 2] } }],
		[{ ...apiRequest('POST', ECHO), dataMode: 'json', jsonBody: NULL }, { body: { a: null } }],
		[
			{ ...apiRequest('POST', ECHO), dataMode: 'json', jsonBody: AFTER },
			{ body: { a: 'C:\\', b: null, c: [1, 2] } },
		],
	])('goes out in %j', async (parameters, expected) => {
		const result = await bench.run([ITEM], parameters);
		expect(result.json(NODE)).toMatchObject([expected]);
	});

	test.each([
		['nothing', null],
		['missing', null],
		['client', { name: 'a' }],
	])('for $json.%s goes into JSON Body as the error advises', async (name, a) => {
		const withValue = (code: string) => FIELDS['JSON Body'](`={"a": {{ ${code} }}}`);
		const { description } = await refusalOf(withValue(`$json.${name}`), [ITEM]);
		expect(description).toContain('JSON.stringify(… ?? null)');
		await bench.run([ITEM], withValue(`JSON.stringify($json.${name} ?? null)`));
		expect(bench.documents()).toEqual([{ a }]);
	});

	test('does not restrict a literal text beside it', async () => {
		const parameters = field('={{ $json.id }}');
		const written = { id: 'b', name: 'b', type: 'string', value: 'null' };
		parameters.assignments.assignments.push(written);
		expect((await bench.run([ITEM], parameters)).run.status).toBe('success');
		expect(bench.documents()).toEqual([{ a: '1', b: 'null' }]);
	});

	test('may end a path with a slash, but not leave a segment empty', async () => {
		await bench.run([ITEM], apiRequest('DELETE', '={{ "/contacts/" + $json.id + "/" }}'));
		expect(bench.sandbox.journal.all()).toMatchObject([{ path: '/contacts/1/' }]);
		const empty = apiRequest('DELETE', '={{ "/contacts/" + $json.empty + "/" }}');
		const { message } = errorOf(await bench.run([ITEM], empty));
		expect(message).toMatch(/^Path: a segment is empty/);
	});

	test('is shown in the error with the key masked', async () => {
		const key = bench.sandbox.apiKey;
		const error = errorOf(await bench.run([{}], apiRequest('GET', `=/a/{{ $json.a["${key}"] }}`)));
		expect(error.message).toBe('Path: {{ $json.a["****"] }} has no value (undefined)');
	});

	test('gives one Send Once Key for both Unicode forms of a text', async () => {
		const items = [{ key: '\u00e9' }, { key: 'e\u0301' }];
		const result = await bench.run(items, send({ sendOnceKey: '={{ $json.key }}' }));
		expect(result.json(NODE)).toMatchObject([{ status: 'sent' }, { skipped: true }]);
	});
});

test.each<[string, Parameters]>([
	['Data to Send', send()],
	['JSON Body', { ...send(), dataMode: 'json', jsonBody: '={{ $json }}' }],
	['Data to Send', { ...apiRequest('POST', '/sandbox/echo'), dataMode: 'autoMapInputData' }],
])('a tool refuses to send the input item of its agent: %s, %j', async (field, parameters) => {
	const input = { chatInput: 'Send it', sessionId: 'a' };
	const calls = [{ number: 1 }];
	const responses = await callTool(bench, calls, parameters, {}, { input, agentVersion: 3 });
	expect(bench.sandbox.journal.all()).toEqual([]);
	expect(responses[0]?.error).toContain(`${field}: the input item is that of the agent`);
});
