/** Keeps the key out of whatever a user, a log or the execution data may show, in whatever form it comes back. */

const MASK = '*';

/** The same bytes with the key masked, in any case and in the forms of `patternsOf`; of the same length. */
export function redactKey(body: Buffer, apiKey: string): Buffer {
	// Latin-1 has a character for every byte.
	const places = placesIn(body.toString('latin1'), apiKey);
	if (places.length === 0) return body;
	const masked = Buffer.from(body);
	for (const [from, to] of places) masked.fill(MASK, from, to);
	return masked;
}

/** The same text with the key masked, of the same length. */
export function redactText(text: string, apiKey: string): string {
	let masked = '';
	let end = 0;
	for (const [from, to] of placesIn(text, apiKey)) {
		masked += text.slice(end, from) + MASK.repeat(to - from);
		end = to;
	}
	return masked + text.slice(end);
}

/** The same text without whatever may be an API key, where it is not known which one is. */
export function maskKeys(text: string): string {
	return text.replace(/[\da-f]{64}/gi, '****');
}

/** The same headers with the key masked in every name and value. */
export function redactHeaders(
	headers: Record<string, unknown>,
	apiKey: string,
): Record<string, unknown> {
	// A header that may be there several times, such as Set-Cookie, is a list.
	const redact = (value: unknown): unknown => {
		if (typeof value === 'string') return redactText(value, apiKey);
		return Array.isArray(value) ? value.map(redact) : value;
	};
	return Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [redactText(name, apiKey), redact(value)]),
	);
}

type Place = [from: number, to: number];

/** Where the key is, in order and without overlaps. */
function placesIn(text: string, apiKey: string): Place[] {
	const { parts, whole, escaped } = patternsOf(apiKey);
	const found: Place[] = [];
	const add = (start: number, { 0: key, index }: RegExpExecArray) =>
		void found.push([start + index, start + index + key.length]);
	// Looking for the whole everywhere would take seconds in a large body.
	let end = 0;
	for (const { index } of text.matchAll(parts)) {
		if (index + LONGEST <= end) continue;
		const start = Math.max(0, index - LONGEST);
		end = index + 2 * LONGEST;
		for (const one of text.slice(start, end).matchAll(whole)) add(start, one);
	}
	if (ESCAPE.test(text)) for (const one of text.matchAll(escaped)) add(0, one);
	for (const one of text.matchAll(BASE64_TEXT)) {
		const decoded = [0, 1, 2, 3].map((start) => Buffer.from(one[0].slice(start), 'base64'));
		if (decoded.some((bytes) => redactKey(bytes, apiKey) !== bytes)) add(0, one);
	}
	found.sort(([a], [b]) => a - b);
	const places: Place[] = [];
	for (const [from, to] of found) {
		const last = places.at(-1);
		if (last === undefined || from >= last[1]) places.push([from, to]);
		else last[1] = Math.max(last[1], to);
	}
	return places;
}

interface Patterns {
	/**
	 * The whole key as it is, in UTF-16, hexadecimal digits or Base64, however it is aligned; with line breaks in it.
	 */
	whole: RegExp;
	/** Parts of these, which are found fast. */
	parts: RegExp;
	/** The key with any of its characters escaped as in JSON, JavaScript, addresses or HTML. */
	escaped: RegExp;
}

/** The longest form of the key, with line breaks. */
const LONGEST = 512;
/** Texts that may hold the key in a further encoding, such as Base64 once more. */
const BASE64_TEXT = /(?<![\w+/-])[\w+/-]{100,1024}/g;
const LINE_BREAK = '(?:\\s|\\\\+[rn])*';
const PART_LENGTH = 20;
/** Lines have 64 characters at the least, so that their ends leave one of the parts whole. */
const PARTS = 3;

const known = new Map<string, Patterns>();
const MOST_KNOWN = 100;

function patternsOf(apiKey: string): Patterns {
	let patterns = known.get(apiKey);
	if (patterns === undefined) {
		if (known.size === MOST_KNOWN) known.clear();
		const codes = [...apiKey].map(codesOf);
		const forms = [
			...[plainOf(codes), utf16Of(codes), hexOf(codes)],
			...[0, 1, 2].map((offset) => base64Of(codes, offset)),
		];
		patterns = {
			whole: new RegExp(forms.map((classes) => classes.join(LINE_BREAK)).join('|'), 'g'),
			parts: new RegExp(forms.flatMap(partsOf).join('|'), 'g'),
			escaped: new RegExp(codes.map(escapedOf).join(''), 'gi'),
		};
		known.set(apiKey, patterns);
	}
	return patterns;
}

function partsOf(classes: string[]): string[] {
	return Array.from({ length: PARTS }, (_, part) => {
		const start = Math.floor((part * classes.length) / PARTS);
		return classes.slice(start, start + PART_LENGTH).join('');
	});
}

/** The codes of a character of the key in both cases. */
function codesOf(character: string): number[] {
	return [character.toLowerCase(), character.toUpperCase()].map((one) => one.charCodeAt(0));
}

/** An escaped digit or letter from a to f, or the beginning of one. */
const ESCAPE = /\\(?:u00|x)[2346]|%(?:25)*[346]|&(?:amp;)*#/i;

/** Each escape may itself be escaped, but not without end: `\\\\u0061`, `%2561`, `&amp;#97;`. */
function escapedOf(codes: number[]): string {
	const hex = codes.map((code) => code.toString(16)).join('|');
	const ofJavaScript = `\\\\{1,4}(?:u00|x)(?:${hex})`;
	const ofHtml = `(?:&|\\\\u0026)(?:amp;){0,4}#(?:x0{0,6}(?:${hex})|0{0,6}(?:${codes.join('|')}));?`;
	return `(?:${plainOf([codes]).join('')}|${ofJavaScript}|(?:%|\\\\u0025)(?:25){0,4}(?:${hex})|${ofHtml})`;
}

function plainOf(codes: number[][]): string[] {
	return codes.map((either) => classOf(either.map((code) => String.fromCharCode(code))));
}

/** The classes of the bytes, whichever of the two of a character comes first. */
function utf16Of(codes: number[][]): string[] {
	return plainOf(codes).flatMap((byte, index) => (index === 0 ? [byte] : ['\\0', byte]));
}

/** The classes of the hexadecimal digits. */
function hexOf(codes: number[][]): string[] {
	return codes.flatMap((either) =>
		[4, 0].map((shift) => classOf(either.map((code) => ((code >> shift) & 15).toString(16)))),
	);
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** What Base64 has in addresses in place of its last two characters. */
const FOR_ADDRESSES: Record<string, string> = { '+': '-', '/': '_' };

/** The classes of the Base64 characters with bits of the key, when so many bytes are in front of it. */
function base64Of(codes: number[][], offset: number): string[] {
	const anyByte = Array.from({ length: 256 }, (_, code) => code);
	const bytesAt = (index: number) => codes[index - offset] ?? anyByte;
	const classes: string[] = [];
	const end = Math.ceil(((codes.length + offset) * 8) / 6);
	for (let index = Math.floor((offset * 8) / 6); index < end; index++) {
		const first = Math.floor((index * 6) / 8);
		const shift = 10 - (index * 6 - first * 8);
		classes.push(
			classOf(
				bytesAt(first).flatMap((byte) =>
					bytesAt(first + 1).map((next) => BASE64[(((byte << 8) | next) >> shift) & 63] ?? ''),
				),
			),
		);
	}
	return classes;
}

function classOf(characters: string[]): string {
	const all = characters.flatMap((one) => [one, FOR_ADDRESSES[one] ?? one]);
	return `[${[...new Set(all)].join('').replace(/[/-]/g, '\\$&')}]`;
}
