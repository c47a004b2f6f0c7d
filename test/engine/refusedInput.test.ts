// Input that would send the key somewhere else, send it in a wrong place, or slip past a limit: refused
// before any request.

import { errorOf, itemsOf, type ShownError, useBench } from '../support/bench';
import { apiRequest, deleteMany, read, send } from '../support/parameters';

const bench = useBench();

type Parameters = ReturnType<typeof read>;
const OPERATIONS = {
	'a read': read,
	'a send': send,
	'a deletion': deleteMany,
	'an API request': (options: Parameters) => apiRequest('POST', '/txndata/sendTxn', options),
};
const operations = Object.entries(OPERATIONS);

/** Runs the node; it must fail without any request. */
async function refusalOf(parameters: Parameters, items = itemsOf(1)): Promise<ShownError> {
	const error = errorOf(await bench.run(items, parameters));
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
});

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
