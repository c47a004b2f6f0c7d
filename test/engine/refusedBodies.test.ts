// The status alone makes a refusal, whatever the body: nothing was carried out, and the next attempt may succeed.

import { deflateSync, gzipSync } from 'node:zlib';

import { errorOf, itemsOf, useBench } from '../support/bench';
import { send } from '../support/parameters';
import { RawService } from '../support/rawService';

// Logical time does not wait for zlib, which works in another thread.
const bench = useBench({}, { inRealTime: true });

const levels = (count: number, open: string, close: string, inside: string) =>
	open.repeat(count) + inside + close.repeat(count);
const MEGABYTE = 1024 * 1024;

/** The text of the body in the message, a header of the response, and where the body is cut off. */
interface Others {
	words?: string;
	header?: string;
	cutAt?: number;
}
const NO = '{"message":"no"';
const MUCH = gzipSync(Buffer.alloc(100 * MEGABYTE, 'n'));
const ONLY_NO = { words: 'no' };
const OTHER_JSON = 'Content-Type: application/json; charset=utf-16le';

test.each<[name: string, body: string | Buffer, Others?]>([
	['lists, 3,000 levels deep', levels(3_000, '[', ']', '"no"')],
	['lists, a million levels deep', levels(MEGABYTE, '[', ']', '')],
	['objects, 50,000 levels deep', levels(50_000, '{"error":', '}', '"no"')],
	['objects, 5 levels deep', levels(5, '{"error":', '}', '"no"'), ONLY_NO],
	['80 MB of JSON', `${NO},"more":"${'x'.repeat(80 * MEGABYTE)}"}`],
	['80 MB of text', 'no'.repeat(40 * MEGABYTE), { words: `${'no'.repeat(150)}…` }],
	['broken JSON', NO, { words: NO }],
	['binary data', Buffer.from([0, 255, 254, 128, 10, 13])],
	[
		'an unknown character set',
		'no',
		{ ...ONLY_NO, header: 'Content-Type: text/plain; charset=none' },
	],
	['another character set', Buffer.from(`${NO}}`, 'utf16le'), { ...ONLY_NO, header: OTHER_JSON }],
	['gzip', gzipSync('no'), { ...ONLY_NO, header: 'Content-Encoding: gzip' }],
	['deflate', deflateSync('no'), { ...ONLY_NO, header: 'Content-Encoding: deflate' }],
	['gzip of 100 MB', MUCH, { words: `${'n'.repeat(300)}…`, header: 'Content-Encoding: gzip' }],
	['invalid gzip', 'no', { header: 'Content-Encoding: gzip' }],
	['an unknown encoding', 'no', { ...ONLY_NO, header: 'Content-Encoding: none' }],
	['less than its Content-Length', `${NO}}`, { cutAt: 5 }],
	['nothing, despite its Content-Length', 'no', { cutAt: 0 }],
])('a 422 is a refusal with %s', async (_, body, { words, header = 'X: 1', cutAt } = {}) => {
	const bytes = Buffer.from(body as string);
	const service = await RawService.start((socket) => {
		socket.once('data', () => {
			socket.write(`HTTP/1.1 422 No\r\n${header}\r\nContent-Length: ${bytes.length}\r\n\r\n`);
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
