// Bodies other than JSON as the service receives them: forms, files, multipart bodies and none.

import { createHash } from 'node:crypto';

import { Container } from '@n8n/di';
import { BinaryDataService } from 'n8n-core';
import type { IDataObject, INode } from 'n8n-workflow';

import { errorOf, NO_LIMITS, NODE, useBench } from '../support/bench';
import { useDeduplicator } from '../support/deduplicator';
import { apiRequest, headers } from '../support/parameters';

const bench = useBench({ limits: NO_LIMITS });
useDeduplicator();
const BYTES = Buffer.from([0, 0xff, 0x0d, 0x0a, 0x2d, 0x2d, 0x80, 0xe2]);
const PDF_FACTS = { mimeType: 'application/pdf', fileName: 'Rechnung "ä".pdf' };

/** An item with the file in the binary field `data`. */
const itemWith = (bytes: Buffer, facts = {}): IDataObject => ({
	files: { data: { ...PDF_FACTS, ...facts, data: bytes.toString('base64') } },
});
const PDF = itemWith(BYTES);

const post = (contentType: string, parameters = {}, options = {}): INode['parameters'] => ({
	...apiRequest('POST', '/sandbox/echo', options),
	contentType,
	...parameters,
});
const fields = (...parameters: object[]) => ({ bodyParameters: { parameters } });
const TEXTS = [
	{ name: 'a b', value: 'ü&=+\r\n' },
	{ name: 'a b', value: '={{ 2 }}' },
];
const FILE = { parameterType: 'formBinaryData', name: 'file', inputDataFieldName: 'data' };
const FORM = post('form-urlencoded', fields(...TEXTS));
const MULTIPART = post('multipart-form-data', fields(...TEXTS, FILE));
const BINARY = post('binaryData', { inputDataFieldName: 'data' });
const SHOWN_TEXTS = [TEXTS[0], { name: 'a b', value: '2' }];
const sha256 = createHash('sha256').update(BYTES).digest('hex');
const SHOWN_FILE = { ...PDF_FACTS, size: BYTES.length, sha256 };

/** The bodies that arrived, in order. */
const arrived = () =>
	bench.sandbox.journal.all().map(({ headers, bodyBase64 = '' }) => ({
		type: headers['content-type'],
		length: headers['content-length'],
		bytes: Buffer.from(bodyBase64, 'base64'),
	}));
const onlyOne = () => {
	const [one, ...more] = arrived();
	expect(more).toEqual([]);
	return one ?? { type: undefined, length: undefined, bytes: Buffer.alloc(0) };
};

test.each([FORM, MULTIPART])('body fields arrive unchanged: %j', async (parameters) => {
	await bench.run([PDF], parameters);
	const { type = '', bytes } = onlyOne();
	// Parsed by Node.js.
	const sent = new Response(new Uint8Array(bytes), { headers: { 'content-type': type } });
	const parts = await sent.formData();
	expect(parts.getAll('a b')).toEqual(['ü&=+\r\n', '2']);
	if (parameters === FORM) return expect(type).toBe('application/x-www-form-urlencoded');
	const file = parts.get('file') as File;
	expect(file).toMatchObject({ type: 'application/pdf', name: 'Rechnung "ä".pdf' });
	expect(Buffer.from(await file.arrayBuffer())).toEqual(BYTES);
});

test.each([
	['application/pdf', BYTES, 'application/pdf'],
	['text/plain', Buffer.alloc(5_000_000, 'x'), 'text/plain'],
	['a/b\r\nX: y', BYTES, 'application/octet-stream'],
	['application/x-www-form-urlencoded', BYTES, 'application/octet-stream'],
])('a file of type %j arrives unchanged, with its length', async (mimeType, sent, expected) => {
	await bench.run([itemWith(sent, { mimeType })], BINARY);
	const { type, length, bytes } = onlyOne();
	expect([type, length]).toEqual([expected, String(sent.length)]);
	expect(bytes.equals(sent.subarray(0, 1024 * 1024))).toBe(true);
});

test('Body Content Type None sends no body, whatever Data to Send is', async () => {
	await bench.run([{ id: 1 }], post('none', { dataMode: 'autoMapInputData' }));
	expect(onlyOne()).toEqual({ type: undefined, length: '0', bytes: Buffer.alloc(0) });
});

describe.each<[string, INode['parameters'], object, other: object]>([
	['a form', FORM, SHOWN_TEXTS, fields({ name: 'a' })],
	['a multipart body', MULTIPART, [...SHOWN_TEXTS, { name: 'file', ...SHOWN_FILE }], {}],
	['a file', BINARY, SHOWN_FILE, {}],
])('%s', (_, parameters, body, other) => {
	const once = { ...parameters, options: { sendOnceKey: 'a' } };

	test('is sent in full with each attempt', async () => {
		bench.credential.idempotencyHeader = 'Idempotency-Key';
		for (const status of [429, 503]) bench.respond(status);
		expect((await bench.run([PDF], once)).run.status).toBe('success');
		const [first, ...more] = arrived();
		expect(more).toEqual([first, first]);
		expect(first?.bytes.length).toBeGreaterThan(0);
	});

	test('is sent once per Send Once Key, and other content is refused', async () => {
		const options = { dryRun: true, sendOnceKey: 'a' };
		const dry = await bench.run([PDF], { ...parameters, options });
		expect(dry.json(NODE)).toMatchObject([
			{ dryRun: true, method: 'POST', body, state: 'notSent' },
		]);
		expect(arrived()).toEqual([]);
		await bench.run([PDF], once);
		const again = await bench.run([PDF], once);
		expect(again.json(NODE)).toMatchObject([{ skipped: true, state: 'sent' }]);
		const result = await bench.run([itemWith(Buffer.from('other'))], { ...once, ...other });
		expect(errorOf(result).context.outcome).toBe('notSent');
		expect(arrived()).toHaveLength(1);
	});

	test('has the outcome unknown after a hang-up and notSent without a connection', async () => {
		bench.sandbox.fault({ action: { type: 'hangUpAfterActing' } });
		expect(errorOf(await bench.run([PDF], parameters)).context.outcome).toBe('unknown');
		bench.credential.baseUrl = 'http://127.0.0.1:9';
		expect(errorOf(await bench.run([PDF], parameters)).context.outcome).toBe('notSent');
	});
});

test('a binary body under another file name is the same content', async () => {
	const once = { ...BINARY, options: { sendOnceKey: 'a' } };
	await bench.run([PDF], once);
	const again = await bench.run([itemWith(BYTES, { fileName: 'copy.pdf' })], once);
	expect(again.json(NODE)).toMatchObject([{ skipped: true, state: 'sent' }]);
	expect(arrived()).toHaveLength(1);
});

test.each<[ignored: string, part: string, other: string, isSame: boolean]>([
	['at', 'at', 'to', true],
	['e\u0301', '\u00e9', 'to', true],
	['at', 'to', 'at', false],
	// Names of the properties of each part.
	['value', 'value', 'to', true],
	['value, name', 'to', 'value', false],
])('with %s ignored, part %j (beside %j) may change: %j', async (ignored, part, other, isSame) => {
	const options = { sendOnceKey: 'a', sendOnceIgnoreFields: ignored };
	const parts = fields({ name: part, value: '={{ $json.at }}' }, { name: other, value: 'always' });
	const parameters = post('multipart-form-data', parts, options);
	await bench.run([{ at: 1 }], parameters);
	const again = await bench.run([{ at: 2 }], parameters);
	expect(again.run.status).toBe(isSame ? 'success' : 'error');
	expect(arrived()).toHaveLength(1);
});

test.each<[INode['parameters'], string]>([
	// The second item has no file, which is found before the first is sent.
	[BINARY, 'Input Data Field Name: the input item has no binary field "data"'],
	[post('form-urlencoded'), 'Body Fields: there is nothing to send'],
	[post('multipart-form-data', fields({ name: ' ' })), 'Body Fields: a name is empty'],
	[post('form-urlencoded', fields({ name: 'a', value: '={{ $json.b }}' })), 'Body Fields: "a":'],
	// The editor does not save the type of a field where it does not show it.
	[post('form-urlencoded', fields(FILE)), 'Body Fields: a URL-encoded form cannot hold a file'],
	[post('raw'), 'Body Content Type: is not known'],
])('%j is refused before any request', async (parameters, message) => {
	const error = errorOf(await bench.run([PDF, {}], parameters));
	expect(error.message).toContain(message);
	expect(error.context.outcome).toBe('notSent');
	expect(arrived()).toEqual([]);
});

test.each<[string, string, isSent: boolean]>([
	['json', 'application/vnd.api+json', true],
	['json', 'application/json; charset="UTF-8"', true],
	['json', 'application/json; charset=iso-8859-1', false],
	['json', 'text/plain', false],
	['form-urlencoded', 'application/x-www-form-urlencoded', true],
	['form-urlencoded', 'application/x-www-form-urlencoded; charset=utf-16', false],
	['form-urlencoded', 'application/json', false],
	['multipart-form-data', 'multipart/form-data; boundary=a', false],
	['binaryData', 'image/png', true],
	['binaryData', 'multipart/form-data', false],
	['binaryData', 'a/b\r\nX: y', false],
	['none', 'application/json', false],
])('with body %s, the header Content-Type %j is sent: %j', async (contentType, value, isSent) => {
	const parts = fields({ name: 'a', value: 'b' });
	const options = headers({ name: 'content-type', value });
	const result = await bench.run([PDF], post(contentType, parts, options));
	if (isSent) return expect(onlyOne().type).toBe(value);
	expect(errorOf(result).message).toMatch(/Headers: .*content-type/i);
	expect(arrived()).toEqual([]);
});

test('a file without a name gets the name of its field', async () => {
	await bench.run([itemWith(BYTES, { fileName: '' })], MULTIPART);
	expect(onlyOne().bytes.toString()).toContain('filename="data"');
});

test.each(['stopWorkflow', 'continueRegularOutput'] as const)(
	'a file that is gone by its turn has the outcome notSent: %s',
	async (onError) => {
		const service = Container.get(BinaryDataService);
		const getAsBuffer = service.getAsBuffer.bind(service);
		let reads = 0;
		jest.spyOn(service, 'getAsBuffer').mockImplementation(async (data) => {
			// Each file is read before the first request, and again for its own.
			if (++reads === 4) throw new Error('ENOENT: no such file');
			return await getAsBuffer(data);
		});
		const result = await bench.run([PDF, PDF], BINARY, { onError });
		const error = onError === 'stopWorkflow' ? errorOf(result) : result.items(NODE)[1]?.error;
		expect(error).toMatchObject({
			message: 'The file could not be read again: ENOENT: no such file',
			context: { outcome: 'notSent' },
		});
	},
);
