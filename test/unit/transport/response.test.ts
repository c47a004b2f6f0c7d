/** A response's body: read with a bound and without the key, as text in any character set, and as JSON. */
import { Readable } from 'node:stream';

import {
	headerText,
	isWebPage,
	jsonOf,
	readBody,
	textOf,
} from '../../../nodes/BusinessData/transport/response';
import { RequestError } from '../../../nodes/BusinessData/transport/requestError';
import { responseOf, errorOf, KEY } from './examples';

const withType = (type: string) => ({ headers: { 'content-type': type } });

describe('reading a body', () => {
	const reading = async (most: number, ...chunks: Buffer[]) =>
		(await readBody(Readable.from(chunks), KEY, most)).toString();

	test('puts its chunks together, and masks a key that is split between them', async () => {
		expect(await reading(9)).toBe('');
		const body = Buffer.from(`key: ${KEY}.`);
		const chunks = [body.subarray(0, 20), Buffer.alloc(0), body.subarray(20, 21)];
		expect(await reading(99, ...chunks, body.subarray(21))).toBe(`key: ${'*'.repeat(64)}.`);
	});

	test('fails as the stream does when the body breaks off', async () => {
		const broken = new Error('socket hang up');
		const stream = new Readable({ read: () => undefined });
		stream.push('{"a":');
		setImmediate(() => stream.destroy(broken));
		await expect(readBody(stream, KEY, 9)).rejects.toBe(broken);
	});

	test('ends the stream behind the bound', async () => {
		const endless = new Readable({
			read() {
				this.push('abc');
			},
		});
		expect((await readBody(endless, KEY, 6)).toString()).toBe('abcabcabc');
		expect(endless.destroyed).toBe(true);
	});
});

test.each([
	['text/html', 'text/html'],
	[undefined, ''],
	[['a', 'b'], ''],
])('the header %j is the text %j', (value, text) => {
	expect(headerText({ 'content-type': value }, 'content-type')).toBe(text);
});

test.each([
	['<!doctype html>', true],
	['\ufeff \n<HTML lang="en">', true],
	['<?xml version="1.0"?><!-- a --> <!-- b > --><!DOCTYPE  html>', true],
	[`<!--${'-'.repeat(90_000)}--><html>`, true],
	['<!-- a -->'.repeat(1_000), false],
	['<htmlx>', false],
	['<!-- <html>', false],
	['{"page":"<html>"}', false],
	[`${' '.repeat(100_000)}<html>`, false],
])('%.60j is a web page: %s', (body, is) => {
	expect(isWebPage(responseOf(body))).toBe(is);
});

describe('the text of a body', () => {
	test.each([
		['no content type', responseOf('büro')],
		['a content type without a character set', responseOf('büro', withType('text/plain'))],
		['UTF-8', responseOf('büro', withType('text/plain; charset=utf-8'))],
		['quotation marks', responseOf('büro', withType('text/plain; charset="UTF-8"; x=y'))],
		[
			'Latin-1',
			responseOf(Buffer.from('büro', 'latin1'), withType('text/plain;charset=ISO-8859-1')),
		],
		[
			'UTF-16',
			responseOf(Buffer.from('büro', 'utf16le'), withType('text/plain; charset=utf-16le')),
		],
		['a byte order mark', responseOf(Buffer.from('\ufeffbüro'))],
		[
			'a byte order mark of UTF-16',
			responseOf(Buffer.from('\ufeffbüro', 'utf16le'), withType('text/plain; charset=utf-16')),
		],
		['an unknown character set', responseOf('büro', withType('text/plain; charset=klingon'))],
		[
			'a character set that may not be used',
			responseOf('büro', withType('a/b; charset=replacement')),
		],
	])('is read with %s', (_, response) => {
		expect(textOf(response)).toBe('büro');
	});

	test.each(['application/json', 'application/json; charset=utf-8'])(
		'is Latin-1 where %s is no UTF-8',
		(type) => {
			expect(textOf(responseOf(Buffer.from('für', 'latin1'), withType(type)))).toBe('für');
			const cutOff = Buffer.from('für').subarray(0, 2);
			expect(textOf(responseOf(cutOff, withType(type)))).toBe('f');
		},
	);
});

describe('the JSON of a body', () => {
	test.each([
		['an object', '{"a":1}', { a: 1 }],
		['a list', ' [1,2]\n', [1, 2]],
		['null', 'null', null],
		['a text', '"<b>"', '<b>'],
		['a byte order mark', '\ufeff{"a":1}', { a: 1 }],
		['an unfitting content type', '{"a":1}', { a: 1 }],
	])('is %s', (_, body, value) => {
		expect(jsonOf(responseOf(body, withType('text/html')))).toEqual(value);
	});

	test.each(['', '  \r\n', '\ufeff'])('of an empty body %j is undefined', (body) => {
		expect(jsonOf(responseOf(body))).toBeUndefined();
	});

	test.each(['<!doctype html><title>Log in</title>', '\n <html>', '<?xml version="1.0"?>'])(
		'is not in the page %j',
		(body) => {
			const error = errorOf(() => jsonOf(responseOf(body, withType('text/html'))));
			expect(error).toBeInstanceOf(RequestError);
			expect(error).toMatchObject({
				message: 'The service answered 200 with a web page instead of JSON',
				details: { outcome: 'unknown', statusCode: 200 },
			});
			expect((error as RequestError).details.description).toContain('log-in page');
		},
	);

	test.each([
		['OK', 'text/plain; charset=utf-8', 'text/plain; charset=utf-8'],
		['{"a":', 'application/json', 'application/json'],
		['OK', '', 'no content type'],
		['OK', `text/${'x'.repeat(500)}`, `text/${'x'.repeat(75)}`],
	])('is not in %j of type %.20s', (body, type, shown) => {
		const error = errorOf(() => jsonOf(responseOf(body, { statusCode: 201, ...withType(type) })));
		expect(error).toMatchObject({
			message: `The service answered 201 with something that is not JSON (${shown})`,
			details: { outcome: 'unknown', statusCode: 201 },
		});
	});
});
