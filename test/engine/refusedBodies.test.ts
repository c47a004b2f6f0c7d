// A refusal is one whatever its body: nothing was carried out, and the next attempt may be right.

import { deflateSync, gzipSync } from 'node:zlib';

import { errorOf, itemsOf, useBench } from '../support/bench';
import { send } from '../support/parameters';
import { RawService } from '../support/rawService';

// Logical time does not wait for what zlib does in a thread of its own.
const bench = useBench({}, { inRealTime: true });

const levels = (count: number, open: string, close: string, inside: string) =>
	open.repeat(count) + inside + close.repeat(count);
const MEGABYTE = 1024 * 1024;

interface Row {
	name: string;
	body: string | Buffer;
	headers?: string;
	/** What of it is in the message. */
	words?: string;
	/** How many bytes of it come, unless all. */
	cutAt?: number;
}
const rows: Row[] = [
	{ name: 'lists, 3,000 levels deep', body: levels(3_000, '[', ']', '"no"') },
	{ name: 'lists, a million levels deep', body: levels(MEGABYTE, '[', ']', '') },
	{ name: 'objects, 50,000 levels deep', body: levels(50_000, '{"error":', '}', '"no"') },
	{ name: 'objects, 5 levels deep', body: levels(5, '{"error":', '}', '"no"'), words: 'no' },
	{ name: '80 MB of JSON', body: `{"message":"no","more":"${'x'.repeat(80 * MEGABYTE)}"}` },
	{ name: '80 MB of text', body: 'no'.repeat(40 * MEGABYTE), words: `${'no'.repeat(150)}…` },
	{ name: 'broken JSON', body: '{"message":"no"', words: '{"message":"no"' },
	{ name: 'bytes', body: Buffer.from([0, 255, 254, 128, 10, 13]) },
	{
		name: 'an unknown character set',
		headers: 'Content-Type: text/plain; charset=none',
		body: 'no',
		words: 'no',
	},
	{
		name: 'another character set',
		headers: 'Content-Type: application/json; charset=utf-16le',
		body: Buffer.from('{"message":"no"}', 'utf16le'),
		words: 'no',
	},
	{ name: 'gzip', headers: 'Content-Encoding: gzip', body: gzipSync('no'), words: 'no' },
	{ name: 'deflate', headers: 'Content-Encoding: deflate', body: deflateSync('no'), words: 'no' },
	{
		name: 'gzip of 100 MB',
		headers: 'Content-Encoding: gzip',
		body: gzipSync(Buffer.alloc(100 * MEGABYTE, 'n')),
		words: `${'n'.repeat(300)}…`,
	},
	{ name: 'gzip that is none', headers: 'Content-Encoding: gzip', body: 'no' },
	{ name: 'an unknown coding', headers: 'Content-Encoding: none', body: 'no', words: 'no' },
	{ name: 'less than announced', body: '{"message":"no"}', cutAt: 5 },
	{ name: 'nothing of what is announced', body: 'no', cutAt: 0 },
];

test.each(rows)('$name', async ({ body, headers = 'X: 1', words, cutAt }) => {
	const bytes = Buffer.from(body as string);
	const service = await RawService.start((socket) => {
		socket.once('data', () => {
			socket.write(`HTTP/1.1 422 No\r\n${headers}\r\nContent-Length: ${bytes.length}\r\n\r\n`);
			socket.end(bytes.subarray(0, cutAt));
		});
	});
	bench.credential.baseUrl = service.baseUrl;
	const error = errorOf(await bench.run(itemsOf(1), send()));
	await service.stop();
	expect(error).toMatchObject({ httpCode: '422', context: { outcome: 'refused' } });
	if (words !== undefined) {
		expect(error.message).toBe(`The service answered 422 Unprocessable Entity: ${words}`);
	}
	expect(service.requests).toHaveLength(1);
});
