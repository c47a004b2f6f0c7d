/** What the service itself says of an error: found in the shapes that services use, and kept short. */
import * as fc from 'fast-check';

import { messageOf } from '../../../nodes/BusinessData/transport/answer';
import { answerOf } from './examples';

const message = (body: unknown) => messageOf(answerOf(body, { statusCode: 400 }));

describe('the message of an error', () => {
	test.each<[string, unknown]>([
		['a message', { message: 'Name is missing' }],
		['an error as a text', { error: 'Name is missing' }],
		['an error as an object', { error: { code: 7, message: 'Name is missing' } }],
		['a detail (RFC 9457)', { type: 'about:blank', status: 400, detail: 'Name is missing' }],
		['a detail beside a title', { title: 'Bad Request', detail: 'Name is missing' }],
		['a title', { title: 'Name is missing' }],
		['a description (RFC 6749)', { error_description: 'Name is missing' }],
		['a list of errors', { errors: [{ message: 'Name is missing' }, { message: 'other' }] }],
		['a list of texts', { errors: ['Name is missing', 'other'] }],
		['a list alone', [{ message: 'Name is missing' }]],
		['a text as JSON', '"Name is missing"'],
		['plain text', 'Name is missing'],
		['a flag in place of a text', { error: true, message: 'Name is missing' }],
		['an empty text before it', { message: '', errors: ['Name is missing'] }],
		['white space before it', { message: ' ', error: { detail: 'Name is missing' } }],
		['line breaks and white space', '  Name\r\n\tis   missing\n'],
	])('is found in a body with %s', (_, body) => {
		expect(message(body)).toBe('Name is missing');
	});

	test.each<[string, unknown]>([
		['no content', ''],
		['white space', ' \n '],
		['an empty object', {}],
		['an empty list', []],
		['other fields', { status: 400, code: 'E1' }],
		['an empty message', { message: '  ' }],
		['a number', '42'],
		['null', 'null'],
		['a web page', '<html><body>Bad gateway</body></html>'],
		['a web page after white space', ' \n<!DOCTYPE html>'],
	])('is not there in a body with %s', (_, body) => {
		expect(message(body)).toBeUndefined();
	});

	test('is cut off when it is long', () => {
		expect(message({ message: 'x'.repeat(300) })).toBe('x'.repeat(300));
		expect(message({ message: 'x'.repeat(301) })).toBe(`${'x'.repeat(300)}…`);
		expect(message('x'.repeat(1_000_000))).toHaveLength(301);
	});

	test('is one short line or nothing, whatever the body is', () => {
		const body = fc.oneof(
			fc.string(),
			fc.json(),
			fc.uint8Array().map((bytes) => Buffer.from(bytes)),
		);
		fc.assert(
			fc.property(body, (bytes) => {
				const line = message(bytes);
				if (line === undefined) return;
				expect(line).toMatch(/^\S(.*\S)?$/su);
				expect(line).not.toMatch(/[\r\n\t]/);
				expect(line.length).toBeLessThanOrEqual(301);
			}),
			{ numRuns: 500 },
		);
	});
});
