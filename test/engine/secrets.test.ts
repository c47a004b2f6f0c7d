// The key appears nowhere but in the header x-api-key: in no error, log line, hint or execution data,
// whatever goes wrong and even when the service gives the key away in its responses.

import { createServer, type OutgoingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

import type { INode } from 'n8n-workflow';

import type { FaultAction } from '../../sandbox/server';
import { workflowOf } from '../support/engineWorkflow';
import { itemsOf, NODE, useBench } from '../support/bench';
import { apiRequest, deleteMany, getStatus, read, send } from '../support/parameters';
import { placesOf, recordOutput } from '../support/search';
import { waitUntil } from '../support/waitUntil';

// One short window, so that hardly a run waits.
const limits = { general: [{ max: 100, windowSeconds: 0.05 }], endpoints: {} };
const bench = useBench({ limits });

let output: unknown[];
beforeEach(() => {
	output = recordOutput();
	bench.engine.log.length = 0;
	Object.assign(bench.credential, { customize: true, limits });
});

const settings: Array<Partial<INode>> = [
	{},
	{ onError: 'continueRegularOutput' },
	{ onError: 'continueErrorOutput' },
];
const operations = [read(), send(), deleteMany(), apiRequest('GET', '/sandbox/echo')];

/** Searches the whole result of a run as it is, as n8n stores it, and everything logged meanwhile. */
function searchIn(run: unknown): string[] {
	const captured = { run, stored: JSON.stringify(run), log: bench.engine.log, output };
	return placesOf(bench.sandbox.apiKey, captured);
}

/** Runs each operation under each setting, and searches all that comes of it. */
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

test('the search finds what it is to find', () => {
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

test('nothing after runs that succeed, long waits included', async () => {
	expect(await search([...operations, getStatus])).toEqual([]);
	bench.credential.limits = { general: [{ max: 1, windowSeconds: 0.6 }] };
	const result = await bench.run(itemsOf(3), read());
	expect(JSON.stringify(result.task(NODE).hints)).toContain('waited');
	expect(searchIn(result)).toEqual([]);
});

test.each<FaultAction>([
	{ type: 'hangUpBeforeActing' },
	{ type: 'hangUpAfterActing' },
	{ type: 'neverAnswer', act: true },
	{ type: 'truncate' },
	{ type: 'brokenJson' },
	{ type: 'emptyBody' },
	...[301, 400, 401, 408, 429, 500, 503].map((status) => ({ type: 'status' as const, status })),
])('nothing after %j', async (action) => {
	const withTimeout = [read, send, deleteMany].map((parameters) => parameters({ timeout: 0.1 }));
	const places = await search(withTimeout, () => {
		bench.sandbox.clearFaults();
		bench.sandbox.fault({ times: Infinity, action });
	});
	expect(places).toEqual([]);
});

test('nothing after 401s', async () => {
	bench.sandbox.setKeyState(bench.sandbox.apiKey, 'deleted');
	expect(await search(operations)).toEqual([]);
});

test.each(['http://127.0.0.1:1', 'https://service.invalid', 'http://service.example', ''])(
	'nothing after a service that cannot be reached: %j',
	async (baseUrl) => {
		bench.credential.baseUrl = baseUrl;
		expect(await search([send()])).toEqual([]);
	},
);

test('nothing after input that is refused', async () => {
	const refusedOptions = [
		{ queryParameters: { parameters: [{ name: 'apiKey', value: '1' }] } },
		{ headerParameters: { parameters: [{ name: 'x-api-key', value: '1' }] } },
		{ timeout: -1 },
	];
	const parametersOfRuns = refusedOptions.flatMap((options) => [read(options), send(options)]);
	expect(await search([...parametersOfRuns, apiRequest('GET', '//elsewhere')])).toEqual([]);
});

test('nothing after a credential that cannot be used', async () => {
	for (const fields of [{ limits: '{' }, { transactionDelete: 'x' }, { deleteIdsField: '' }]) {
		Object.assign(bench.credential, fields);
		expect(await search([read(), send()])).toEqual([]);
	}
});

test('nothing after a wait that is too long, and after a stopped execution', async () => {
	bench.credential.limits = { general: [{ max: 1, windowSeconds: 600 }] };
	const execution = bench.engine.start(workflowOf(itemsOf(9), send()), { key: bench.credential });
	await waitUntil(() => bench.sandbox.journal.documents().length > 0);
	expect(await search([send({ maxWait: 1 })])).toEqual([]);
	execution.cancel();
	expect(searchIn(await execution)).toEqual([]);
});

describe('a service that gives the key away', () => {
	interface GivenAway {
		status: number;
		headers?: OutgoingHttpHeaders;
		statusMessage?: string;
		body?: string;
	}
	const percent = (key: string) => [...key].map((c) => `%${c.charCodeAt(0).toString(16)}`).join('');
	let service: Server;
	let serviceResponse: (key: string) => GivenAway;
	let requests = 0;

	beforeAll(async () => {
		service = createServer((request, response) => {
			requests++;
			const { status, statusMessage, headers, body } = serviceResponse(
				String(request.headers['x-api-key']),
			);
			response.writeHead(status, statusMessage, headers);
			// In pieces, none of which holds the whole key.
			for (const piece of body?.match(/[^]{1,40}/g) ?? []) response.write(piece);
			response.end();
		});
		await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
	});
	afterAll(async () => await new Promise((resolve) => service.close(resolve)));

	test.each<[string, (key: string) => GivenAway]>([
		['a body', (key) => ({ status: 200, body: JSON.stringify({ key, [key]: key.toUpperCase() }) })],
		['capitals', (key) => ({ status: 200, body: JSON.stringify({ key: key.toUpperCase() }) })],
		['a list', (key) => ({ status: 200, body: JSON.stringify([key, { key }]) })],
		['the names of lists', (key) => ({ status: 200, body: `{"${key}":[],"${key}2":[]}` })],
		['a text', (key) => ({ status: 200, body: `Your key is ${key}${key.toUpperCase()}` })],
		['a page', (key) => ({ status: 200, body: `<html>${key}</html>` })],
		[
			'the header of a file',
			(key) => ({
				status: 200,
				headers: {
					'content-type': `application/${key}`,
					'content-disposition': `attachment; filename="${key}.pdf"`,
				},
				body: key,
			}),
		],
		['a message', (key) => ({ status: 400, body: JSON.stringify({ message: `bad ${key}` }) })],
		['an error page', (key) => ({ status: 500, body: `${key} is wrong` })],
		['a reason', (key) => ({ status: 403, statusMessage: key })],
		['a cookie', (key) => ({ status: 401, headers: { 'set-cookie': [key, `a=${key}`] } })],
		['a redirect', (key) => ({ status: 302, headers: { location: `https://${key}.example` } })],
		[
			'the name of a header',
			(key) => ({ status: 200, headers: { [`x-${key}`]: '1' }, body: '[]' }),
		],
		[
			'an encoded name of a file',
			(key) => ({
				status: 200,
				headers: { 'content-disposition': `attachment; filename*=UTF-8''${percent(key)}.pdf` },
				body: '',
			}),
		],
		['percent-encoding', (key) => ({ status: 400, body: `?apiKey=${percent(key)}` })],
		[
			'escapes of JSON',
			(key) => ({ status: 200, body: `["${percent(key).replaceAll('%', '\\u00')}"]` }),
		],
		...['', 'u', 'us', 'user:'].map((before): [string, (key: string) => GivenAway] => [
			`Base64 behind ${before.length} characters`,
			(key) => ({
				status: 403,
				body: `Basic ${Buffer.from(`${before}${key}`).toString('base64')}`,
			}),
		]),
		['a refusal', (key) => ({ status: 429, headers: { 'retry-after': key }, body: key })],
	])('in %s', async (_, giveAway) => {
		serviceResponse = giveAway;
		bench.credential.baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
		const requestsBefore = requests;
		const formats = ['text', 'file'].map((responseFormat) =>
			apiRequest('GET', '/sandbox/echo', { responseFormat }),
		);
		expect(await search([...operations, ...formats])).toEqual([]);
		expect(requests).toBeGreaterThan(requestsBefore);
	});

	test('shows stars in its place', async () => {
		serviceResponse = (key) => ({ status: 200, body: JSON.stringify({ text: `my key: ${key}` }) });
		bench.credential.baseUrl = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
		const result = await bench.run([{}], apiRequest('GET', '/sandbox/echo'));
		expect(result.json(NODE)).toEqual([{ text: `my key: ${'*'.repeat(64)}` }]);
	});
});
