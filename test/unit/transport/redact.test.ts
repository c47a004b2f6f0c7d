/** The key is masked wherever the service repeats it, and nothing else is changed. */
import * as fc from 'fast-check';

import { redactHeaders, redactKey, redactText } from '../../../nodes/BusinessData/transport/redact';
import { KEY } from './examples';

const MASK = '*'.repeat(64);

describe('a text', () => {
	test.each([
		['as it is', KEY],
		['in lower case', KEY.toLowerCase()],
		['in upper case', KEY.toUpperCase()],
	])('masks the key %s', (_, written) => {
		expect(redactText(`wrong key "${written}"!`, KEY)).toBe(`wrong key "${MASK}"!`);
	});

	test('masks the key as often as it is there', () => {
		expect(redactText(KEY + KEY.toUpperCase(), KEY)).toBe(MASK + MASK);
		expect(redactText(`f${KEY}f`, KEY)).toBe(`f${MASK}f`);
	});

	test('masks the key where JSON escapes it', () => {
		const escapes = [...KEY].map((c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
		for (const written of [escapes.join(''), escapes[0] + KEY.slice(1)]) {
			const masked = redactText(`{"error":"wrong key ${written}"}`, KEY);
			expect(masked).toMatch(/^\{"error":"wrong key \*+"\}$/);
			expect(masked).toHaveLength(`{"error":"wrong key ${written}"}`.length);
		}
	});

	test('stays as it is without the whole key', () => {
		const other = KEY.slice(1);
		expect(redactText(other, KEY)).toBe(other);
		expect(redactText('', KEY)).toBe('');
	});
});

describe('headers', () => {
	test('mask the key in every value', () => {
		const headers = {
			location: `https://other.example/?apiKey=${KEY}`,
			'set-cookie': [`a=${KEY}`, 'b=1'],
			'content-length': 5,
			date: 'Sun, 01 Mar 2026 12:00:00 GMT',
		};
		expect(redactHeaders(headers, KEY)).toEqual({
			location: `https://other.example/?apiKey=${MASK}`,
			'set-cookie': [`a=${MASK}`, 'b=1'],
			'content-length': 5,
			date: 'Sun, 01 Mar 2026 12:00:00 GMT',
		});
	});
});

describe('a body', () => {
	test('without the key is the very same, not a copy', () => {
		const body = Buffer.from([0, 1, 2, 0xff, 0xfe]);
		expect(redactKey(body, KEY)).toBe(body);
	});

	test.each(['utf16le', 'utf16be'])('loses the key in %s', (encoding) => {
		const body = Buffer.from(`wrong key ${KEY}`, 'utf16le');
		if (encoding === 'utf16be') body.swap16();
		const text = new TextDecoder(encoding === 'utf16be' ? 'utf-16be' : 'utf-16le').decode(
			redactKey(body, KEY),
		);
		expect(text).toMatch(/^wrong key /);
		// The first and the last byte may be left, of half a character each.
		expect([...text.slice('wrong key '.length)].filter((c) => KEY.includes(c)).length).toBeLessThan(
			2,
		);
	});

	const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
	const written = fc
		.array(fc.boolean(), { minLength: 64, maxLength: 64 })
		.map((isUpper) =>
			[...KEY].map((c, i) => (isUpper[i] ? c.toUpperCase() : c.toLowerCase())).join(''),
		);

	test('loses the key, whatever its case, and no other byte', () => {
		fc.assert(
			fc.property(
				bytes,
				written,
				bytes,
				written,
				bytes,
				(before, first, between, second, after) => {
					const parts = [before, Buffer.from(first), between, Buffer.from(second), after];
					const masked = redactKey(Buffer.concat(parts), KEY);
					const expected = [before, Buffer.from(MASK), between, Buffer.from(MASK), after];
					expect(masked.equals(Buffer.concat(expected))).toBe(true);
				},
			),
		);
	});

	test('of any bytes without the key stays as it is', () => {
		fc.assert(
			fc.property(bytes, (body) => {
				expect(redactKey(body, KEY).equals(body)).toBe(true);
			}),
		);
	});
});
