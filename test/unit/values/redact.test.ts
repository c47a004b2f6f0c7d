/** The key is masked wherever the service echoes it, and nothing else changes. */
import * as fc from 'fast-check';

import { redactHeaders, redactKey, redactText } from '../../../nodes/BusinessData/values/redact';
import { processorSeconds } from '../../support/processorTime';
import { readsOf } from '../../support/search';
import { KEY } from '../transport/examples';

const MASK = '*'.repeat(64);

test('masks the key in the names and values of headers', () => {
	const headers = {
		location: `https://other.example/?apiKey=${KEY}`,
		'set-cookie': [`a=${KEY}`, 'b=1'],
		'content-length': 5,
	};
	expect(redactHeaders({ ...headers, [KEY]: '' }, KEY)).toEqual({
		[MASK]: '',
		location: `https://other.example/?apiKey=${MASK}`,
		'set-cookie': [`a=${MASK}`, 'b=1'],
		'content-length': 5,
	});
});

const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
const written = fc
	.array(fc.boolean(), { minLength: 64, maxLength: 64 })
	.map((isUpper) =>
		[...KEY].map((c, i) => (isUpper[i] ? c.toUpperCase() : c.toLowerCase())).join(''),
	);

test('masks every occurrence of the key in a body, in any case, and changes no other byte', () => {
	fc.assert(
		fc.property(bytes, written, bytes, written, bytes, (before, first, between, second, after) => {
			const parts = [before, Buffer.from(first), between, Buffer.from(second), after];
			const masked = redactKey(Buffer.concat(parts), KEY);
			const expected = [before, Buffer.from(MASK), between, Buffer.from(MASK), after];
			expect(masked.equals(Buffer.concat(expected))).toBe(true);
		}),
	);
});

test('returns a body without the whole key as it is, not a copy', () => {
	fc.assert(fc.property(bytes, (body) => expect(redactKey(body, KEY)).toBe(body)));
	expect(redactText(KEY.slice(1), KEY)).toBe(KEY.slice(1));
});

/** No 8 consecutive characters of the key can be read in the text; fewer may be there by chance. */
function expectNothingOfKey(text: string): void {
	const readings = readsOf(text).map((one) => one.toLowerCase());
	const parts = Array.from(KEY.slice(7), (_, start) => KEY.slice(start, start + 8).toLowerCase());
	expect(parts.filter((part) => readings.some((reading) => reading.includes(part)))).toEqual([]);
}

/** The key is masked, and the text around it is unchanged. */
function expectMasked(before: string, encoded: string, behind: string): void {
	const text = before + encoded + behind;
	for (const masked of [redactText(text, KEY), redactKey(Buffer.from(text), KEY).toString()]) {
		expect(masked).toHaveLength(text.length);
		expect(masked.startsWith(before) && masked.endsWith(behind)).toBe(true);
		expectNothingOfKey(masked);
	}
}

const hexOf = (c: string) => c.charCodeAt(0).toString(16);
const escapes = [
	(c: string) => `\\u00${hexOf(c)}`,
	(c: string) => `\\\\u00${hexOf(c)}`,
	(c: string) => `\\\\\\\\u00${hexOf(c)}`,
	(c: string) => `%${hexOf(c)}`,
	(c: string) => `%25${hexOf(c)}`,
	(c: string) => `%2525${hexOf(c)}`,
	(c: string) => `&#x${hexOf(c)};`,
	(c: string) => `&#0${c.charCodeAt(0)};`,
	(c: string) => c,
];
const inCase = fc.constantFrom(KEY, KEY.toLowerCase(), KEY.toUpperCase());

test('masks a key whose characters are each escaped in a different way', () => {
	const ways = fc.array(fc.constantFrom(...escapes), { minLength: 64, maxLength: 64 });
	fc.assert(
		fc.property(inCase, ways, (key, escapesOf) => {
			const encoded = [...key].map((c, index) => escapesOf[index]?.(c) ?? c).join('');
			expectMasked('{"error":"', encoded, '"}');
		}),
	);
});

test.each(['base64', 'base64url'] as const)('masks a key in %s at any alignment', (encoding) => {
	const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 60 });
	fc.assert(
		fc.property(ascii, inCase, ascii, (before, key, behind) => {
			const encoded = Buffer.from(before + key + behind).toString(encoding);
			for (const end of ['', '\n', '\r\n']) {
				expectMasked('Basic ', encoded.replace(/.{76}/g, `$&${end}`), ' was refused');
			}
		}),
	);
});

test('masks a key in UTF-16', () => {
	const body = Buffer.from(`wrong key ${KEY}!`, 'utf16le');
	for (const encoded of [body, Buffer.from(body).swap16()]) {
		expectNothingOfKey(redactKey(encoded, KEY).toString('latin1'));
	}
});

test.each([JSON.stringify({ note: `${KEY.slice(0, 10)} \\u0061 %61` }), '\\'])(
	'searches 16 MB of %j for the key within seconds',
	(text) => {
		const body = Buffer.alloc(16 * 1024 * 1024, text);
		const read = () => expect(redactKey(body, KEY)).toHaveLength(body.length);
		expect(processorSeconds(read)).toBeLessThan(20);
	},
);
