// The key appears only in the header x-api-key: in no error, log line, hint or execution data, even if the service
// returns it in a response.

import type { OutgoingHttpHeaders } from 'node:http';

import type { INode } from 'n8n-workflow';

import type { FaultAction } from '../../sandbox/server';
import { itemsOf, NODE, useBench } from '../support/bench';
import { type ListService, startListService } from '../support/listService';
import {
	apiRequest,
	CONTINUE_ON_ERROR,
	deleteMany,
	ERROR_OUTPUT,
	getStatus,
	headers,
	query,
	read,
	send,
} from '../support/parameters';
import { placesOf, recordOutput } from '../support/search';
import { waitUntil } from '../support/waitUntil';

// One short window, so that few runs wait.
const limits = { general: [{ max: 100, windowSeconds: 0.05 }], endpoints: {} };
const bench = useBench({ limits });

let output: unknown[];
beforeEach(() => {
	output = recordOutput();
	bench.engine.log.length = 0;
	Object.assign(bench.credential, { customize: true, limits });
});

const settings = [{}, CONTINUE_ON_ERROR, ERROR_OUTPUT];
const operations = [read(), send(), deleteMany(), apiRequest('GET', '/sandbox/echo')];

/** Where the key is in the result of a run, in what n8n stores of it, and in everything logged. */
function searchIn(run: unknown): string[] {
	const captured = { run, stored: JSON.stringify(run), log: bench.engine.log, output };
	return placesOf(bench.sandbox.apiKey, captured);
}

/** Where the key is after runs of each operation with each setting. */
async function search(
	parametersOfRuns: Array<INode['parameters']>,
	prepare: () => void = () => undefined,
): Promise<string[]> {
	const places: string[] = [];
	for (const parameters of parametersOfRuns) {
		for (const setting of settings) {
			prepare();
			places.push(...searchIn(await bench.run(itemsOf(2), parameters, setting)));
		}
	}
	return places;
}

test('the search finds the key in causes, hidden properties, names and Base64', () => {
	const key = bench.sandbox.apiKey;
	const cause = Object.assign(new Error('inner'), { config: { headers: { 'X-API-KEY': key } } });
	const hidden = Object.defineProperty({}, 'hidden', { value: [key.toUpperCase()] });
	const encoded = Buffer.from(`file with ${key}`).toString('base64');
	const found = placesOf(key, [new Error('outer', { cause }), hidden, { encoded }, { [key]: 1 }]);
	expect(found).toEqual([
		'.3.(name)',
		'.2.encoded',
		'.1.hidden.0',
		'.0.cause.config.headers.X-API-KEY',
	]);
});

test('successful runs do not leak the key, even after long waits', async () => {
	expect(await search([...operations, getStatus])).toEqual([]);
	bench.credential.limits = { general: [{ max: 1, windowSeconds: 0.6 }] };
	const result = await bench.run(itemsOf(3), read());
	expect(JSON.stringify(result.task(NODE).hints)).toContain('waited');
	expect(searchIn(result)).toEqual([]);
});

test.each<FaultAction>([
	{ type: 'hangUpBeforeActing' },
	{ type: 'hangUpAfterActing' },
	{ type: 'neverRespond', act: true },
	{ type: 'truncate' },
	{ type: 'brokenJson' },
	{ type: 'emptyBody' },
	...[301, 400, 401, 408, 429, 500, 503].map((status) => ({ type: 'status' as const, status })),
])('the fault %j does not leak the key', async (action) => {
	const withTimeout = [read, send, deleteMany].map((parameters) => parameters({ timeout: 0.1 }));
	const places = await search(withTimeout, () => {
		bench.sandbox.clearFaults();
		bench.sandbox.fault({ times: Infinity, action });
	});
	expect(places).toEqual([]);
});

test.each<[fields: object, options: INode['parameters']]>([
	...['http://127.0.0.1:1', 'https://service.invalid', 'http://service.example', ''].map(
		(baseUrl): [object, INode['parameters']] => [{ baseUrl }, {}],
	),
	...[{ limits: '{' }, { transactionDelete: 'x' }, { deleteIdsField: '' }].map(
		(fields): [object, INode['parameters']] => [fields, {}],
	),
	[{}, query('apiKey', '1')],
	[{}, headers({ name: 'x-api-key', value: '1' })],
	[{}, { timeout: -1 }],
])('a request that cannot be sent does not leak the key: %j, %j', async (fields, options) => {
	Object.assign(bench.credential, fields);
	expect(await search([send(options), apiRequest('GET', '//elsewhere', options)])).toEqual([]);
});

test('a wait beyond Max Wait and a stopped execution do not leak the key', async () => {
	bench.credential.limits = { general: [{ max: 1, windowSeconds: 600 }] };
	const execution = bench.start(itemsOf(9), send());
	await waitUntil(() => bench.sandbox.journal.documents().length > 0);
	expect(await search([send({ maxWait: 1 })])).toEqual([]);
	execution.cancel();
	expect(searchIn(await execution)).toEqual([]);
});

describe('a key that the service returns', () => {
	interface GivenAway {
		status: number;
		headers?: OutgoingHttpHeaders;
		statusMessage?: string;
		body?: string;
	}
	const percent = (key: string) => [...key].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('');
	let service: ListService;
	beforeEach(async () => {
		service = await startListService();
		bench.credential.baseUrl = service.baseUrl;
	});
	afterEach(async () => await service.stop());

	function respondWith(giveAway: (key: string) => GivenAway): void {
		service.response = (_, response) => {
			const key = String(response.req.headers['x-api-key']);
			const { status, statusMessage, headers, body } = giveAway(key);
			response.writeHead(status, statusMessage, headers);
			// In pieces, none of which holds the whole key.
			for (const piece of body?.match(/[^]{1,40}/g) ?? []) response.write(piece);
			response.end();
		};
	}

	/** Returns the key in the body of a response with this status and these headers. */
	const inBody =
		(status: number, body: (key: string) => unknown, headers = {}) =>
		(key: string): GivenAway => {
			const written = body(key);
			const text = typeof written === 'string' ? written : JSON.stringify(written);
			return { status, body: text, headers };
		};
	const inHeader =
		(status: number, headers: (key: string) => OutgoingHttpHeaders) =>
		(key: string): GivenAway => ({ status, headers: headers(key), body: '[]' });
	const disposition = (value: string) => ({ 'content-disposition': `attachment; ${value}` });

	test.each<[string, (key: string) => GivenAway]>([
		['a body', inBody(200, (key) => ({ key, [key]: key.toUpperCase() }))],
		['a list', inBody(200, (key) => [key, { key }])],
		['the names of lists', inBody(200, (key) => `{"${key}":[],"${key}2":[]}`)],
		['a text', inBody(200, (key) => `Your key is ${key}${key.toUpperCase()}`)],
		['a web page', inBody(200, (key) => `<html>${key}</html>`)],
		['a file name', inHeader(200, (key) => disposition(`filename="${key}.pdf"`))],
		['a content type', inHeader(200, (key) => ({ 'content-type': `application/${key}` }))],
		[
			'an encoded file name',
			inHeader(200, (key) => disposition(`filename*=UTF-8''${percent(key)}.pdf`)),
		],
		['a header name', inHeader(200, (key) => ({ [`x-${key}`]: '1' }))],
		['an error message', inBody(400, (key) => ({ message: `bad ${key}` }))],
		['an error page', inBody(500, (key) => `${key} is wrong`)],
		['a reason phrase', (key) => ({ status: 403, statusMessage: key })],
		['a cookie', inHeader(401, (key) => ({ 'set-cookie': [key, `a=${key}`] }))],
		['a redirect', inHeader(302, (key) => ({ location: `https://${key}.example` }))],
		['a refusal', inBody(429, (key) => key, { 'retry-after': 'soon' })],
		['Retry-After', inHeader(429, (key) => ({ 'retry-after': key }))],
		['percent-encoding', inBody(400, (key) => `?apiKey=${percent(key)}`)],
		['Base64', inBody(403, (key) => `Basic ${Buffer.from(`user:${key}`).toString('base64')}`)],
	])('does not leak from %s', async (_, giveAway) => {
		respondWith(giveAway);
		const formats = ['text', 'file'].map((responseFormat) =>
			apiRequest('GET', '/sandbox/echo', { responseFormat }),
		);
		expect(await search([...operations, ...formats])).toEqual([]);
		expect(service.queries).not.toEqual([]);
	});

	test('is replaced by asterisks', async () => {
		respondWith(inBody(200, (key) => ({ text: `my key: ${key}` })));
		const result = await bench.run([{}], apiRequest('GET', '/sandbox/echo'));
		expect(result.json(NODE)).toEqual([{ text: `my key: ${'*'.repeat(64)}` }]);
	});
});
