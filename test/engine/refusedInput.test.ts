// Input that would send the key somewhere else, send it in a wrong place, or slip past a limit: refused
// before any request.

import { errorOf, itemsOf, NODE, type ShownError, useBench } from '../support/bench';
import { apiRequest, deleteMany, read, send, SEND_ENDPOINT } from '../support/parameters';

const bench = useBench();

const OPERATIONS = {
	'a read': read,
	'a send': send,
	'a deletion': deleteMany,
	'an API request': (options: object) => apiRequest('POST', '/txndata/sendTxn', { ...options }),
};
const operations = Object.entries(OPERATIONS);

/** Runs the node; it must fail without any request. */
async function refusalOf(
	parameters: Parameters<typeof bench.run>[1],
	items: Parameters<typeof bench.run>[0] = itemsOf(1),
): Promise<ShownError> {
	const error = errorOf(await bench.run(items, parameters));
	expect(bench.sandbox.journal.all()).toEqual([]);
	expect(error.context.outcome).toBe('notSent');
	return error;
}

describe('the key as a query parameter', () => {
	test.each(operations)('is refused in the options of %s', async (_, parameters) => {
		for (const name of ['apiKey', 'apikey', 'APIKEY', ' apiKey ']) {
			const queryParameters = { parameters: [{ name, value: bench.sandbox.apiKey }] };
			const error = await refusalOf(parameters({ queryParameters }));
			expect(error.message).toBe(
				'Query Parameters: the key must not be a query parameter (apiKey)',
			);
			expect(error.description).toContain('in the header x-api-key');
		}
	});

	test.each(['apiKey', 'ApiKey', 'a=1&apikey', '%61piKey', 'api%4bey', '+apiKey'])(
		'is refused in the path: ?%s=…',
		async (name) => {
			const path = `/masterdata/getContacts?${name}=${bench.sandbox.apiKey}`;
			const error = await refusalOf(apiRequest('GET', path));
			expect(error.message).toBe('Path: the key must not be a query parameter (apiKey)');
		},
	);

	test.each(['pageParameter', 'pageSizeParameter'])('is refused as %s', async (name) => {
		const pagination = { values: { type: 'pageNumber', [name]: 'apiKey' } };
		const error = await refusalOf(read({ pagination }));
		expect(error.message).toBe('Pagination: the key must not be a query parameter (apiKey)');
	});
});

describe('the key outside its header', () => {
	const named = (value: string) => ({ parameters: [{ name: 'token', value }] });

	test.each<[string, (key: string) => Parameters<typeof bench.run>[1]]>([
		['in a path', (key) => apiRequest('GET', `/masterdata/${key}`)],
		['in the query of a path', (key) => apiRequest('GET', `/masterdata/getContacts?token=${key}`)],
		['in a query parameter', (key) => read({ queryParameters: named(`Bearer ${key}`) })],
		['in a Dry Run', (key) => ({ ...deleteMany({ queryParameters: named(key) }), dryRun: true })],
		['in another header', (key) => send({ headerParameters: named(key.toUpperCase()) })],
	])('is refused %s', async (_, parameters) => {
		const error = await refusalOf(parameters(bench.sandbox.apiKey));
		expect(error.message).toBe(
			'API Key: the key must not be part of a path, a query parameter or a header',
		);
	});
});

describe('a header', () => {
	const headers = (name: string) => ({
		headerParameters: { parameters: [{ name, value: 'abc' }] },
	});

	test.each(operations)('x-api-key of the user is refused for %s', async (_, parameters) => {
		for (const name of ['x-api-key', 'X-API-KEY', ' X-Api-Key ']) {
			const error = await refusalOf(parameters(headers(name)));
			expect(error.message).toBe(`Headers: the header ${name.trim()} cannot be set here`);
			expect(error.description).toBe('Remove it: the key is sent by the credential.');
		}
	});

	test.each(['Host', 'X-HTTP-Method-Override', 'Transfer-Encoding'])(
		'%s, which could reroute the request, is refused',
		async (name) => {
			const error = await refusalOf(read(headers(name)));
			expect(error.message).toBe(`Headers: the header ${name} cannot be set here`);
		},
	);

	test.each(operations)('that is there twice is refused for %s', async (_, parameters) => {
		for (const name of ['X-Tenant', 'x-tenant']) {
			const both = [
				{ name: 'X-Tenant', value: 'a' },
				{ name, value: 'b' },
			];
			const error = await refusalOf(parameters({ headerParameters: { parameters: both } }));
			expect(error.message).toBe(`Headers: ${name} is there twice`);
		}
	});

	test('with a line break is refused', async () => {
		const parameters = [{ name: 'Accept', value: 'a\r\nx-api-key: b' }];
		const error = await refusalOf(read({ headerParameters: { parameters } }));
		expect(error.message).toMatch(/^Headers: .* contains characters that a header cannot have$/);
	});
});

describe('a path', () => {
	// More of them are in the unit tests.
	test.each([
		...['https://elsewhere.example/masterdata/getContacts', '//elsewhere.example/masterdata'],
		...[
			'/\\elsewhere.example',
			'@elsewhere.example/\\',
			'/masterdata/../../admin',
			'/%252e%252e/admin',
		],
		...['/masterdata%2F..%2Fadmin', '/masterdata#/getContacts', '/masterdata/%00', '   '],
	])('that leaves the base URL or may be taken for another is refused: %j', async (path) => {
		bench.credential.baseUrl = `${bench.sandbox.baseUrl}/below/this`;
		const error = await refusalOf(apiRequest('POST', '={{ $json.path }}'), [{ path }]);
		expect(error.message).toMatch(/^Path: /);
		expect(error.description).toBeTruthy();
	});

	test('stays below a base URL that has a path itself', async () => {
		bench.credential.baseUrl = `${bench.sandbox.baseUrl}/below/this/`;
		await bench.run([{}], apiRequest('GET', 'masterdata/getContacts'));
		const [request] = bench.sandbox.journal.all();
		expect(request?.path).toBe('/below/this/masterdata/getContacts');
	});
});

describe('a path with a limit of its own', () => {
	const variants = [
		'/txndata/sendTxn/',
		'/TXNDATA/SendTXN',
		'txndata/sendTxn',
		'/txndata/%73end%54xn?copy=1',
	];
	const items = variants.map((path) => ({ path }));

	test('is counted against it however it is written', async () => {
		const parameters = apiRequest('POST', '={{ $json.path }}', { maxWait: 1 });
		const result = await bench.run(items, parameters, { onError: 'continueErrorOutput' });
		expect(bench.sandbox.journal.count(SEND_ENDPOINT)).toBe(3);
		expect(bench.sandbox.journal.refused()).toEqual([]);
		expect(result.items(NODE, 0)).toHaveLength(3);
		const [waiting] = result.items(NODE, 1);
		expect(waiting?.pairedItem).toEqual({ item: 3 });
		expect(waiting?.error?.message).toMatch(/^Not sent: the limits leave no room for at least /);
		const seconds = (waiting?.error as ShownError | undefined)?.context.retryAfterSeconds;
		expect(seconds).toBeGreaterThanOrEqual(590);
		expect(seconds).toBeLessThanOrEqual(602);
	});

	test('shares it with the operation for it', async () => {
		await bench.run(itemsOf(2), send());
		const parameters = apiRequest('POST', '={{ $json.path }}', { maxWait: 1 });
		const result = await bench.run(items, parameters, { onError: 'continueErrorOutput' });
		expect(result.items(NODE, 0)).toHaveLength(1);
		expect(result.items(NODE, 1)).toHaveLength(3);
		expect(bench.sandbox.journal.refused()).toEqual([]);
	});
});
