// Responses of every kind: which become an item, a file or an error, and how much of the service's text users see.

import type { INode, INodeParameters } from 'n8n-workflow';

import type { FaultAction } from '../../sandbox/server';
import { errorOf, hintsOf, itemsOf, NODE, useBench } from '../support/bench';
import {
	apiRequest,
	ERROR_OUTPUT,
	headers,
	pages,
	read,
	READ_ENDPOINT,
	send,
	SEND_ENDPOINT,
} from '../support/parameters';

const bench = useBench();

/** Sets the response to the next request. */
const response = (changes: Partial<Extract<FaultAction, { type: 'status' }>>) =>
	bench.respond(200, { act: true, ...changes });
/** The output of a GET request, as JSON. */
const get = async (path: string, options = {}) => {
	const result = await bench.run([{}], apiRequest('GET', path, options));
	expect(result.run.status).toBe('success');
	return result.json(NODE);
};

test.each<[FaultAction | undefined, body: string, contentType: string, words: string]>([
	[{ type: 'brokenJson' }, '', '', 'response format Text or File'],
	...(
		[
			['{"error":{"message":"Kein Mandant"}}', 'application/json', 'said: Kein Mandant'],
			['{"ok":false,"messages":[{"text":"Kein Abo"}]}', 'application/json', 'text: Kein Abo'],
			['Wartung bis 18 Uhr', 'text/plain', 'The response begins with: Wartung bis 18 Uhr'],
			['<?xml version="1.0"?><error>Kein Zugriff</error>', 'text/xml', '<error>Kein Zugriff'],
		] as const
	).map((row): [undefined, ...typeof row] => [undefined, ...row]),
])(
	'the error of a read quotes a response it cannot use: %j %s',
	async (action, body, contentType, words) => {
		if (action === undefined) response({ body, contentType });
		else bench.sandbox.fault({ action });
		const { description, context, message } = errorOf(await bench.run([{}], read()));
		expect(description).toContain(words);
		expect(context.statusCode).toBe(200);
		expect(context.responseBody).toContain(body);
		expect(message).not.toContain('web page');
	},
);

const UNDONE = { message: 'Kontingent erschöpft' };
test.each<[string, bodies: object[], hint: string]>([
	[
		'a failure with status 200 and an empty list',
		[{ success: false, ...UNDONE, data: [] }],
		'what looks like a failure: 0 items were read. The service said: Kontingent',
	],
	[
		'a failure beside the records',
		[{ data: [{ id: 1 }], errors: [UNDONE] }],
		'The response has items and, beside them, what looks like a failure: 1 item was read',
	],
	[
		'a failure beside the records of an earlier page',
		[{ data: [{ id: 1 }], success: false }, { data: [{ id: 2 }] }, { data: [] }],
		'Page 1 has items and, beside them, what looks like a failure: 2 items were read',
	],
	[
		'a later page without a list',
		[{ data: [{ id: 1 }] }, { code: 45, ...UNDONE }],
		'Page 2 has no list: 1 item was read. The service said: Kontingent erschöpft',
	],
	[
		'a total that the last page lacks',
		[{ total: 2, data: [{ id: 1 }] }, { data: [] }],
		'There are more: 1 item of 2 (total) was read. Check the option Pagination',
	],
])('a hint reports %s', async (_, bodies, hint) => {
	for (const body of bodies) response({ body });
	const options = bodies.length > 1 ? pages('pageNumber') : {};
	const result = await bench.run([{}], read(options));
	expect(hintsOf(result)).toEqual([expect.stringContaining(hint)]);
});

test('five hints about lists are shown and the rest counted, beside all other hints', async () => {
	for (let total = 11; total <= 18; total++) response({ body: { total, data: [{ id: total }] } });
	response({ status: 207 });
	const method = '={{ $itemIndex === 8 ? "POST" : "GET" }}';
	const request = apiRequest(method, '/sandbox/echo', { itemsField: 'data' });
	const hints = hintsOf(await bench.run(itemsOf(9), request));
	expect(hints).toHaveLength(7);
	expect(hints[0]).toContain('1 item (8): the service answered 207');
	expect(hints[1]).toContain('1 item of 11 (total) was read');
	expect(hints.at(-1)).toBe('Not shown: 3 more hints.');
});

test.each<[string, INode['parameters'], object[]]>([
	['a read', read(), []],
	['an API request', apiRequest('GET', '/sandbox/empty'), [{ statusCode: 200 }]],
	['a list', apiRequest('GET', '/sandbox/empty', { itemsField: 'data' }), []],
	['no content', apiRequest('GET', '/sandbox/no-content'), [{ statusCode: 204 }]],
	['text', apiRequest('GET', '/sandbox/empty', { responseFormat: 'text' }), [{ data: '' }]],
	['a send', send(), [{ statusCode: 200 }]],
])('an empty body outputs an empty list or the status: %s', async (_, parameters, expected) => {
	for (const endpoint of [READ_ENDPOINT, SEND_ENDPOINT]) {
		bench.sandbox.fault({ endpoint, action: { type: 'emptyBody' } });
	}
	expect((await bench.run(itemsOf(1), parameters)).json(NODE)).toEqual(expected);
	// An empty list counts as empty, too.
	response({ body: [] });
	expect((await bench.run(itemsOf(1), send())).json(NODE)).toEqual([{ statusCode: 200 }]);
});

test.each([
	['JSON', [], {}],
	['a list in it', { data: [] }, { itemsField: 'data' }],
])('an empty list from a POST is an item, so that loops go on: %s', async (_, body, options) => {
	response({ body });
	const sent = await bench.run(itemsOf(1), apiRequest('POST', '/echo', options));
	expect(sent.json(NODE)).toEqual([{ statusCode: 200 }]);
	response({ body });
	expect(await get('/echo', options)).toEqual([]);
});

test.each([
	[{ error: 'none' }, [{ success: true, error: 'none' }]],
	[{ error: { a: 0 }, message: 'b' }, [{ success: true, error: { a: 0 }, message: 'b' }]],
	[
		[{ error: 'x' }, { id: 1 }],
		[{ success: true, error: 'x' }, { id: 1 }],
	],
])('a successful response %j does not leave by the error output', async (body, expected) => {
	const echo = [apiRequest('POST', '/sandbox/echo'), apiRequest('GET', '/sandbox/echo')];
	for (const parameters of [send(), ...echo, ...(Array.isArray(body) ? [read()] : [])]) {
		response({ body });
		const result = await bench.run(itemsOf(1), parameters, ERROR_OUTPUT);
		expect([result.json(NODE, 0), result.json(NODE, 1)]).toEqual([expected, []]);
	}
});

test.each(['If-Modified-Since', 'if-none-match'])(
	'a 304 to a request with the header %s means that nothing has changed',
	async (name) => {
		const asking = headers({ name, value: '"7"' });
		const operations: Array<[INode['parameters'], object[]]> = [
			[read(asking), []],
			[apiRequest('GET', '/sandbox/array', asking), [{ statusCode: 304 }]],
			[apiRequest('HEAD', '/sandbox/array', asking), [{ statusCode: 304 }]],
		];
		for (const [parameters, expected] of operations) {
			response({ status: 304 });
			const result = await bench.run([{}], parameters);
			expect(result.run.data.resultData.error?.message).toBeUndefined();
			expect(result.json(NODE)).toEqual(expected);
		}
		response({ status: 304 });
		const { message, description } = errorOf(await bench.run([{}], read()));
		expect(message).toBe('The service answered 304 Not Modified');
		expect(description).not.toContain('Redirects');
	},
);

test.each(['json', 'text', 'file'])(
	'a body of more than 64 MB is left out with a hint: %s',
	async (responseFormat) => {
		bench.sandbox.fault({ action: { type: 'hugeBody', megabytes: 65 } });
		const parameters = apiRequest('POST', '/sandbox/echo', { responseFormat });
		const result = await bench.run(itemsOf(1), parameters);
		const item = responseFormat === 'text' ? { data: '' } : { statusCode: 200 };
		expect(result.json(NODE)).toEqual([item]);
		expect(hintsOf(result)).toEqual([expect.stringContaining('larger than 64 MB')]);
	},
);

test('a body of more than 64 MB fails a read and is not read to its end', async () => {
	bench.sandbox.fault({ times: Infinity, action: { type: 'hugeBody', megabytes: 1024 } });
	const before = process.memoryUsage().rss;
	const error = errorOf(await bench.run([{}], read()));
	expect(error.message).toBe('The response of the service is larger than 64 MB');
	expect(error.description).toContain('smaller page size');
	expect(process.memoryUsage().rss - before).toBeLessThan(512 * 1024 * 1024);
	expect(bench.sandbox.journal.count()).toBe(1);
});

describe('the response format', () => {
	const PDF = { 'content-type': 'application/pdf' };

	test('JSON makes an item of each element of a list', async () => {
		expect(await get('/sandbox/array')).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
		response({ body: [1, 'two', null, [3]] });
		const values = (await get('/masterdata/getContacts')).map(({ data, ...rest }) => [data, rest]);
		expect(values).toEqual([1, 'two', null, [3]].map((data) => [data, {}]));
		for (const [body, item] of [
			['"done"', { data: 'done' }],
			['null', { data: null }],
			[{ items: [1] }, { items: [1] }],
		]) {
			response({ body, contentType: 'application/json' });
			expect(await get('/masterdata/getContacts')).toEqual([item]);
		}
	});

	test.each([
		[{ responseFormat: 'json' }, { data: '[1, 2' }, ['so it is output as text']],
		[{ fullResponse: true }, { body: '[1, 2' }, ['so it is output as text']],
		[{ responseFormat: 'text' }, { data: '[1, 2' }, []],
		[{ responseFormat: 'text', fullResponse: true }, { body: '[1, 2' }, []],
		[{ responseFormat: 'file' }, { statusCode: 200 }, []],
	])('%j outputs broken JSON as %j, with the hints %j', async (options, item, hints) => {
		response({ body: '[1, 2', contentType: 'application/json' });
		const result = await bench.run([{}], apiRequest('POST', '/sandbox/echo', options));
		expect(result.json(NODE)).toMatchObject([item]);
		expect(hintsOf(result)).toEqual(hints.map((hint) => expect.stringContaining(hint) as string));
	});

	test.each(['GET', 'POST'])('JSON makes items of 300,000 elements: %s', async (method) => {
		response({ body: Array<number>(300_000).fill(1) });
		const result = await bench.run([{}], apiRequest(method, '/sandbox/echo'));
		expect(result.items(NODE)).toHaveLength(300_000);
	});

	test('JSON reads Items Field from the response of a POST', async () => {
		const post = apiRequest('POST', '/sandbox/echo', { itemsField: 'data.items' });
		const body = { data: { items: [{ id: 1 }, { id: 2 }] } };
		response({ body });
		const result = await bench.run([{}], post);
		const pairedItem = { item: 0 };
		expect(result.items(NODE)).toMatchObject(body.data.items.map((json) => ({ json, pairedItem })));
		response({ body: { data: [{ items: [{ id: 1 }] }, { items: { id: 2 } }] } });
		const wrapped = apiRequest('POST', '/sandbox/echo', { itemsField: 'data.*.items' });
		expect((await bench.run([{}], wrapped)).json(NODE)).toEqual([{ id: 1 }, { id: 2 }]);
		// A request that was carried out must not fail for an unexpected response.
		for (const other of [{ data: { items: {} } }, { created: 1 }, { data: null }]) {
			response({ body: other });
			const one = await bench.run([{}], post);
			expect(one.run.status).toBe('success');
			expect(one.json(NODE)).toEqual([other]);
		}
	});

	test('Text outputs even a web page', async () => {
		const [page] = await get('/sandbox/html', { responseFormat: 'text' });
		expect(page?.data).toContain('<!doctype html>');
	});

	test.each(['text', 'file'])('JSON that is output as %s is not parsed', async (responseFormat) => {
		const body = '{"id":1}';
		const parse = jest.spyOn(JSON, 'parse');
		response({ body, contentType: 'application/json' });
		await get('/sandbox/echo', { responseFormat });
		const { calls } = parse.mock;
		parse.mockRestore();
		expect(calls.flat()).not.toContain(body);
	});

	test.each([
		[false, { statusCode: 200 }],
		[true, { statusCode: 200, headers: expect.objectContaining(PDF) as object, body: null }],
	])('File outputs the exact bytes, with Full Response %s', async (fullResponse, json) => {
		const options = { responseFormat: 'file', fileField: 'invoice', fullResponse };
		const result = await bench.run([{}], apiRequest('GET', '/sandbox/file', options));
		const [item] = result.items(NODE);
		expect(item?.json).toEqual(json);
		expect(item?.binary?.invoice).toMatchObject({
			fileName: 'sandbox.pdf',
			mimeType: 'application/pdf',
		});
		const bytes = Buffer.from(item?.binary?.invoice?.data ?? '', 'base64');
		expect(bytes.toString('latin1')).toBe('%PDF-1.4\n\xe2\xe3\xcf\xd3\n\0\xff\xfe\x80\n%%EOF\n');
	});
});

describe('Full Response', () => {
	const full = { fullResponse: true };
	const headers = { 'x-total': '7' };

	test.each<[string, object, unknown]>([
		['JSON', { body: [{ id: 1 }] }, [{ id: 1 }]],
		['text', { body: 'done', contentType: 'text/plain' }, 'done'],
		['an empty body', { body: '', contentType: 'text/plain' }, ''],
	])('outputs status, headers and %s', async (_, given, body) => {
		for (const method of ['GET', 'POST', ...(body === '' ? ['HEAD'] : [])]) {
			response({ status: 201, headers, ...given });
			const result = await bench.run([{}], apiRequest(method, '/sandbox/echo', full));
			const item = { statusCode: 201, headers: expect.objectContaining(headers) as object, body };
			expect(result.items(NODE)).toEqual([{ json: item, pairedItem: { item: 0 } }]);
		}
	});

	const records = (...ids: number[]) => ({ total: 9, data: ids.map((id) => ({ id })) });
	test.each<[string, INodeParameters, Array<[status: number, body?: object]>, hints: unknown[]]>([
		[
			'one item per page',
			{},
			[
				[200, [{ id: 1 }]],
				[200, [{ id: 2 }]],
				[200, []],
			],
			[],
		],
		[
			'no item for a missing page, and a hint at more',
			{ endOfList: 'notFound', pageSize: 2 },
			[[200, records(1, 2)], [200, records(3, 4)], [404]],
			[expect.stringMatching(/^There are more: 4 items of 9 \(total\) were read/)],
		],
	])('of a paginated list outputs %s', async (_, values, responses, hints) => {
		for (const [status, body] of responses) response({ status, body });
		const options = { ...full, ...pages('pageNumber', values) };
		const result = await bench.run([{}], apiRequest('GET', '/list', options));
		const found = responses.filter(([status]) => status === 200);
		expect(result.json(NODE).map(({ statusCode, body }) => [statusCode, body])).toEqual(found);
		expect(hintsOf(result)).toEqual(hints);
	});

	test('does not output an error response', async () => {
		response({ status: 404 });
		errorOf(await bench.run([{}], apiRequest('GET', '/sandbox/echo', full)));
	});
});
