// Bodies that are not JSON, as the service gets them: forms, files, both together, and none.

import { createHash } from 'node:crypto';

import type { IDataObject, INode } from 'n8n-workflow';

import { errorOf, NO_LIMITS, NODE, useBench } from '../support/bench';
import { useDeduplicator } from '../support/deduplicator';
import { apiRequest } from '../support/parameters';

const bench = useBench({ limits: NO_LIMITS });
useDeduplicator();
const ECHO = 'POST /sandbox/echo';
const BYTES = Buffer.from([0, 0xff, 0x0d, 0x0a, 0x2d, 0x2d, 0x80, 0xe2]);

/** An item with the file in the binary field `data`. */
const itemWith = (bytes: Buffer, facts = {}): IDataObject => ({
	files: {
		data: {
			data: bytes.toString('base64'),
			mimeType: 'application/pdf',
			fileName: 'Rechnung "ä".pdf',
			...facts,
		},
	},
});
const PDF = itemWith(BYTES);
const DRY_FILE = {
	fileName: 'Rechnung "ä".pdf',
	mimeType: 'application/pdf',
	size: BYTES.length,
	sha256: createHash('sha256').update(BYTES).digest('hex'),
};

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
const ALL: Array<[string, INode['parameters']]> = [
	['a form', FORM],
	['parts', MULTIPART],
	['a file', BINARY],
];
const with_ = (parameters: INode['parameters'], options: object, more = {}) =>
	({ ...parameters, options, ...more }) as INode['parameters'];

/** What arrived, in order. */
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
/** The parts as Node.js reads them. */
const partsOf = async ({ type = '', bytes }: ReturnType<typeof onlyOne>) =>
	await new Response(new Uint8Array(bytes), { headers: { 'content-type': type } }).formData();

test('a form arrives with its values, whatever is in them', async () => {
	const result = await bench.run([{}], FORM);
	expect(result.run.status).toBe('success');
	const { type, bytes } = onlyOne();
	expect(type).toBe('application/x-www-form-urlencoded');
	expect([...new URLSearchParams(bytes.toString())]).toEqual([
		['a b', 'ü&=+\r\n'],
		['a b', '2'],
	]);
});

test('fields and files arrive together, byte by byte', async () => {
	await bench.run([PDF], MULTIPART);
	const parts = await partsOf(onlyOne());
	expect(parts.getAll('a b')).toEqual(['ü&=+\r\n', '2']);
	const file = parts.get('file') as File;
	expect(file).toMatchObject({ type: 'application/pdf', name: 'Rechnung "ä".pdf' });
	expect(Buffer.from(await file.arrayBuffer())).toEqual(BYTES);
});

test.each([
	['a file', BYTES, {}, 'application/pdf'],
	['a large file', Buffer.alloc(5_000_000, 'x'), { mimeType: 'text/plain' }, 'text/plain'],
	['a file of an impossible type', BYTES, { mimeType: 'a/b\r\nX: y' }, 'application/octet-stream'],
	[
		'a file of the type of a form',
		BYTES,
		{ mimeType: 'application/x-www-form-urlencoded' },
		'application/octet-stream',
	],
])('%s arrives as it is, in one piece', async (_, sent, facts, expected) => {
	const result = await bench.run([itemWith(sent, facts)], BINARY);
	expect(result.run.status).toBe('success');
	const { type, length, bytes } = onlyOne();
	expect([type, length]).toEqual([expected, String(sent.length)]);
	expect(bytes.equals(sent.subarray(0, 1024 * 1024))).toBe(true);
});

test('None sends no body, whatever Data to Send says', async () => {
	await bench.run([{ id: 1 }], post('none', { dataMode: 'autoMapInputData' }));
	expect(onlyOne()).toEqual({ type: undefined, length: '0', bytes: Buffer.alloc(0) });
});

describe.each(ALL)('%s', (_, parameters) => {
	test('goes out anew with each attempt, and whole', async () => {
		bench.credential.idempotencyHeader = 'Idempotency-Key';
		for (const status of [429, 503]) {
			bench.sandbox.fault({ endpoint: ECHO, times: 1, action: { type: 'status', status } });
		}
		const once = with_(parameters, { sendOnceKey: 'a' });
		expect((await bench.run([PDF], once)).run.status).toBe('success');
		const [first, ...more] = arrived();
		expect(more).toEqual([first, first]);
		expect(first?.bytes.length).toBeGreaterThan(0);
	});

	test('has a Send Once Key of its own, as long as its content is the same', async () => {
		const once = with_(parameters, { sendOnceKey: 'a' });
		await bench.run([PDF], once);
		const again = await bench.run([PDF], once);
		expect(again.json(NODE)).toMatchObject([{ skipped: true, state: 'sent' }]);
		const isForm = parameters === FORM;
		const other = isForm ? with_(once, { sendOnceKey: 'a' }, fields({ name: 'a' })) : once;
		const result = await bench.run([itemWith(Buffer.from('other'))], other);
		expect(errorOf(result).context.outcome).toBe('notSent');
		expect(arrived()).toHaveLength(1);
	});

	test('is only shown by a dry run', async () => {
		const result = await bench.run([PDF], with_(parameters, { dryRun: true, sendOnceKey: 'a' }));
		const texts = [TEXTS[0], { name: 'a b', value: '2' }];
		const file = { name: 'file', ...DRY_FILE };
		const body = new Map([
			[FORM, texts],
			[MULTIPART, [...texts, file]],
			[BINARY, DRY_FILE],
		] as Array<[unknown, unknown]>).get(parameters);
		expect(result.json(NODE)).toMatchObject([{ dryRun: true, method: 'POST', body }]);
		expect(result.json(NODE)[0]?.state).toBe('notSent');
		expect(arrived()).toEqual([]);
	});

	test('is known to have been sent or not', async () => {
		bench.sandbox.fault({ endpoint: ECHO, times: 1, action: { type: 'hangUpAfterActing' } });
		expect(errorOf(await bench.run([PDF], parameters)).context.outcome).toBe('unknown');
		const baseUrl = 'http://127.0.0.1:9';
		Object.assign(bench.credential, { baseUrl });
		expect(errorOf(await bench.run([PDF], parameters)).context.outcome).toBe('notSent');
	});
});

test('a part that is ignored may differ', async () => {
	const options = { sendOnceKey: 'a', sendOnceIgnoreFields: 'at' };
	const at = { name: 'at', value: '={{ $json.at }}' };
	const parameters = post('multipart-form-data', fields(FILE, at), options);
	await bench.run([{ ...PDF, at: 1 }], parameters);
	const again = await bench.run([{ ...PDF, at: 2 }], parameters);
	expect(again.json(NODE)).toMatchObject([{ skipped: true }]);
});

test('a file that one item lacks is found before anything is sent', async () => {
	const error = errorOf(await bench.run([PDF, {}], BINARY));
	expect(error.message).toBe('Input Data Field Name: the input item has no binary field "data"');
	expect(error.context).toMatchObject({ itemIndex: 1, outcome: 'notSent' });
	expect(arrived()).toEqual([]);
});

test.each<[string, object, string]>([
	['form-urlencoded', {}, 'Body Fields: there is nothing to send'],
	['multipart-form-data', fields({ name: ' ' }), 'Body Fields: a name is empty'],
	['form-urlencoded', fields({ name: 'a', value: '={{ $json.b }}' }), 'Body Fields: "a":'],
	['raw', {}, 'Body Content Type: is not known'],
])('%s with %j is refused', async (contentType, parameters, message) => {
	expect(errorOf(await bench.run([{}], post(contentType, parameters))).message).toContain(message);
	expect(arrived()).toEqual([]);
});

test.each<[string, string, string | undefined]>([
	['json', 'application/vnd.api+json', 'application/vnd.api+json'],
	['json', 'text/plain', undefined],
	['form-urlencoded', 'application/x-www-form-urlencoded', 'application/x-www-form-urlencoded'],
	['form-urlencoded', 'application/json', undefined],
	['multipart-form-data', 'multipart/form-data; boundary=a', undefined],
	['binaryData', 'image/png', 'image/png'],
	['binaryData', 'multipart/form-data', undefined],
	['binaryData', 'a/b\r\nX: y', undefined],
	['none', 'application/json', undefined],
])(
	'to %s, a header Content-Type of %j goes out where it fits',
	async (contentType, value, sent) => {
		const headerParameters = { parameters: [{ name: 'content-type', value }] };
		const parts = fields({ name: 'a', value: 'b' });
		const result = await bench.run([PDF], post(contentType, parts, { headerParameters }));
		if (sent !== undefined) {
			expect(onlyOne().type).toBe(sent);
			return;
		}
		expect(errorOf(result).message).toMatch(/Headers: .*content-type/i);
		expect(arrived()).toEqual([]);
	},
);
