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

test('a key that is split across the chunks of a body is masked', async () => {
	const body = Buffer.from(`key: ${KEY}.`);
	const chunks = [body.subarray(0, 20), Buffer.alloc(0), body.subarray(20, 21), body.subarray(21)];
	const read = await readBody(Readable.from(chunks), KEY, 99);
	expect(read.toString()).toBe(`key: ${'*'.repeat(64)}.`);
});

test.each([
	['text/html', 'text/html'],
	[undefined, ''],
	[['a', 'b'], ''],
])('the header %j is read as %j', (value, text) => {
	expect(headerText({ 'content-type': value }, 'content-type')).toBe(text);
});

test.each([
	['<!doctype html>', true],
	['\ufeff \n<HTML lang="en">', true],
	[Buffer.from('\ufeff<html>', 'utf16le'), true],
	['<?xml version="1.0"?><!-- a --> <!-- b > --><!DOCTYPE  html>', true],
	[`<!--${'-'.repeat(90_000)}--><html>`, true],
	['<!-- a -->'.repeat(1_000), false],
	['<htmlx>', false],
	['<!-- <html>', false],
	['{"page":"<html>"}', false],
	[`${' '.repeat(100_000)}<html>`, false],
])('a body is recognized as a web page or not (case %#)', (body, is) => {
	expect(isWebPage(responseOf(body))).toBe(is);
});

describe('the text of a body', () => {
	const latin1 = Buffer.from('büro', 'latin1');
	const utf16 = (text: string) => Buffer.from(text, 'utf16le');
	test.each<[string | undefined, string | Buffer]>([
		[undefined, 'büro'],
		['text/plain', 'büro'],
		['text/plain; charset=utf-8', 'büro'],
		['text/plain; charset="UTF-8"; x=y', 'büro'],
		['text/plain;charset=ISO-8859-1', latin1],
		['text/plain; charset=utf-16le', utf16('büro')],
		['text/plain; charset=utf-16', utf16('\ufeffbüro')],
		[undefined, utf16('\ufeffbüro')],
		['text/plain; charset=utf-8', utf16('\ufeffbüro').swap16()],
		['text/plain', '\ufeffbüro'],
		['text/plain; charset=klingon', 'büro'],
		// A character set that may not be used.
		['a/b; charset=replacement', 'büro'],
		['application/json', latin1],
		['application/json; charset=utf-8', latin1],
	])('of type %s is read', (type, body) => {
		expect(textOf(responseOf(body, type === undefined ? {} : withType(type)))).toBe('büro');
	});

	test('that is cut off in a character ends before it', () => {
		expect(textOf(responseOf(Buffer.from('für').subarray(0, 2)))).toBe('f');
	});
});

describe('the JSON of a body', () => {
	test.each([
		['{"a":1}', { a: 1 }],
		[' [1,2]\n', [1, 2]],
		['null', null],
		['"<b>"', '<b>'],
		['\ufeff{"a":1}', { a: 1 }],
		['', undefined],
		['  \r\n', undefined],
		['\ufeff', undefined],
	])('%j is parsed as %j, whatever its content type', (body, value) => {
		expect(jsonOf(responseOf(body, withType('text/html')))).toEqual(value);
	});

	test('of lines is a list', () => {
		const body = '{"a":1}\n\n{"a":2}\n';
		expect(jsonOf(responseOf(body, withType('application/x-ndjson')))).toEqual([
			{ a: 1 },
			{ a: 2 },
		]);
	});

	const other = (type: string) => `something that is not JSON (${type})`;
	test.each([
		['<!doctype html><title>Log in</title>', 'text/html', 'a web page instead of JSON'],
		['\n <html>', 'text/html', 'a web page instead of JSON'],
		['<?xml version="1.0"?>', 'text/html', other('text/html')],
		['<a/>', 'application/xml', other('application/xml')],
		['OK', 'text/plain; charset=utf-8', other('text/plain; charset=utf-8')],
		['{"a":', 'application/json', other('application/json')],
		['OK', '', other('no content type')],
		['OK', `text/${'x'.repeat(500)}`, other(`text/${'x'.repeat(75)}`)],
	])('is not found in %j (case %#)', (body, type, found) => {
		const error = errorOf(() => jsonOf(responseOf(body, { statusCode: 201, ...withType(type) })));
		expect(error).toBeInstanceOf(RequestError);
		expect(error).toMatchObject({
			message: `The service answered 201 with ${found}`,
			details: { outcome: 'unknown', statusCode: 201, responseBody: body },
		});
	});
});
