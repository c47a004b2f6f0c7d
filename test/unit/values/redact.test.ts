/** The key is masked wherever the service repeats it, and nothing else is changed. */
import * as fc from 'fast-check';

import { redactHeaders, redactKey, redactText } from '../../../nodes/BusinessData/values/redact';
import { readsOf } from '../../support/search';
import { KEY } from '../transport/examples';

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
		expect(redactHeaders({ ...headers, [KEY]: '' }, KEY)).toEqual({
			[MASK]: '',
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

describe('an encoded key', () => {
	/** The longest part of the key that somebody can read in a text. */
	const leftOf = (text: string): number =>
		Math.max(
			...readsOf(text).map((reading) => {
				const lowerCased = reading.toLowerCase();
				let longest = 0;
				for (let start = 0; start + longest < KEY.length; start++) {
					const part = () => KEY.slice(start, start + longest + 1).toLowerCase();
					while (start + longest < KEY.length && lowerCased.includes(part())) longest++;
				}
				return longest;
			}),
		);
	/** By chance, some characters in a row are those of the key. */
	const BY_CHANCE = 8;

	const inCase = fc.constantFrom(KEY, KEY.toLowerCase(), KEY.toUpperCase());
	const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 60 });
	const inLines = (text: string, length: number, lineBreak: string) =>
		text.replace(new RegExp(`.{${length}}`, 'g'), (line) => line + lineBreak);
	const hexOf = (c: string) => c.charCodeAt(0).toString(16);
	const escapes = [
		(c: string) => `\\u00${hexOf(c)}`,
		(c: string) => `\\\\u00${hexOf(c).toUpperCase()}`,
		(c: string) => `\\x${hexOf(c)}`,
		(c: string) => `%${hexOf(c)}`,
		(c: string) => `%25${hexOf(c)}`,
		(c: string) => `&#${c.charCodeAt(0)};`,
		(c: string) => `&#x${hexOf(c)};`,
		(c: string) => `\\u0026#${c.charCodeAt(0)};`,
		(c: string) => `\\u0025${hexOf(c)}`,
		(c: string) => c,
	];

	/** The text before and behind the key stays as it is, but for the character that holds a part of both. */
	function expectMasked(before: string, written: string, behind: string): void {
		const text = before + written + behind;
		for (const masked of [redactText(text, KEY), redactKey(Buffer.from(text), KEY).toString()]) {
			expect(masked).toHaveLength(text.length);
			expect(masked.startsWith(before) && masked.endsWith(behind)).toBe(true);
			expect(leftOf(masked)).toBeLessThan(BY_CHANCE);
		}
	}

	test('of which every character is escaped in a way of its own', () => {
		const ways = fc.array(fc.constantFrom(...escapes), { minLength: 64, maxLength: 64 });
		fc.assert(
			fc.property(inCase, ways, (key, escapesOf) => {
				const written = [...key].map((c, index) => escapesOf[index]?.(c) ?? c).join('');
				expectMasked('{"error":"', written, '"}');
			}),
		);
	});

	test.each(['base64', 'base64url', 'hex'] as const)('in %s, however it is aligned', (encoding) => {
		const lengths = fc.integer({ min: 64, max: 200 });
		const lineBreaks = fc.constantFrom('', '\r\n', '\n', '\\r\\n', '\\n');
		fc.assert(
			fc.property(ascii, inCase, ascii, lengths, lineBreaks, (before, key, behind, length, end) => {
				const encoded = Buffer.from(before + key + behind).toString(encoding);
				expectMasked('Basic ', inLines(encoded, length, end), ' was refused');
			}),
		);
	});

	test.each<[string, (key: string) => string]>([
		['Base64', (key) => Buffer.from(`user:${key}`).toString('base64url')],
		['UTF-16', (key) => Buffer.from(key, 'utf16le').toString('latin1')],
		['percent-encoding', (key) => [...key].map((c) => `%${hexOf(c)}`).join('')],
	])('in %s that is in Base64', (_, encode) => {
		fc.assert(
			fc.property(ascii, inCase, (before, key) => {
				const encoded = Buffer.from(before + encode(key), 'latin1').toString('base64');
				const text = `{"token":"${encoded}"}`;
				const masked = redactText(text, KEY);
				expect(masked.replace(/=*"\}$/, '')).toMatch(/^\{"token":"\*{100,}$/);
				expect(masked).toHaveLength(text.length);
			}),
		);
	});

	test.each(['utf16le', 'utf16be'])('in %s', (encoding) => {
		const body = Buffer.from(`wrong key ${KEY}!`, 'utf16le');
		if (encoding === 'utf16be') body.swap16();
		const text = new TextDecoder(encoding === 'utf16be' ? 'utf-16be' : 'utf-16le').decode(
			redactKey(body, KEY),
		);
		expect(text).toMatch(/^wrong key .{64}!$/);
		expect(leftOf(text)).toBeLessThan(2);
	});

	test('takes no longer than twenty times what the JSON around it takes to be read', () => {
		const record = JSON.stringify({ id: 1, name: 'Büro', note: `${KEY.slice(0, 10)} \\u0061 %61` });
		const records = record + `,${record}`.repeat((16 * 1024 * 1024) / record.length);
		const basic = Buffer.from(`user:${KEY}`).toString('base64');
		const body = Buffer.from(`[${records},{"basic":"${basic}"}]`);
		const masked = inCpuTime(() => redactKey(body, KEY));
		expect(masked.result.subarray(-basic.length).toString()).toContain('****');
		const parsed = inCpuTime(() => JSON.parse(body.toString()) as unknown);
		expect(masked.ms).toBeLessThan(20 * parsed.ms);
	});
});

/** The least of three times: the garbage collector adds to some of them what is not of the work. */
function inCpuTime<T>(work: () => T): { ms: number; result: T } {
	const runs = [1, 2, 3].map(() => {
		const before = process.cpuUsage();
		const result = work();
		const { user, system } = process.cpuUsage(before);
		return { ms: (user + system) / 1000, result };
	});
	return runs.reduce((least, run) => (run.ms < least.ms ? run : least));
}
