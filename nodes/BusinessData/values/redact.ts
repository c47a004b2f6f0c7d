/** Masks the API key, in whatever form a service may echo it. */

const MASK = '*';
/** A line break between two characters, which may be escaped as in JSON. V8 cannot compile a longer pattern. */
const LINE_BREAK = '[\\\\rn\\s]{0,4}';

/** Masks the key. The length stays the same. */
export function redactKey(body: Buffer, apiKey: string): Buffer {
	let masked: Buffer | undefined;
	// Latin-1 has a character for every byte.
	for (const { 0: found, index } of body.toString('latin1').matchAll(patternOf(apiKey))) {
		masked ??= Buffer.from(body);
		masked.fill(MASK, index, index + found.length);
	}
	return masked ?? body;
}

/** Masks the key. The length stays the same. */
export function redactText(text: string, apiKey: string): string {
	return text.replace(patternOf(apiKey), (found) => MASK.repeat(found.length));
}

/** Masks everything that may be an API key, for use where the key is not known. */
export function maskKeys(text: string): string {
	return text.replace(/[\da-f]{64}/gi, '****');
}

/** Masks the key in every name and value. */
export function redactHeaders(
	headers: Record<string, unknown>,
	apiKey: string,
): Record<string, unknown> {
	// A header that may be repeated, such as Set-Cookie, is a list.
	const redact = (value: unknown): unknown => {
		if (typeof value === 'string') return redactText(value, apiKey);
		return Array.isArray(value) ? value.map(redact) : value;
	};
	return Object.fromEntries(
		Object.entries(headers).map(([name, value]) => [redactText(name, apiKey), redact(value)]),
	);
}

/** Only the pattern of the last key, so that keys do not stay in memory. */
let last = { apiKey: '', pattern: /(?!)/g };

/** Matches the key in plain text, UTF-16 or escaped, in any case, and in Base64. */
function patternOf(apiKey: string): RegExp {
	if (last.apiKey === apiKey) return last.pattern;
	// UTF-16 has a zero byte beside each character.
	const plain = [...apiKey].map(characterOf).join('\\0?');
	const cases = new Set([apiKey, apiKey.toLowerCase(), apiKey.toUpperCase()]);
	const pattern = new RegExp([plain, ...[...cases].flatMap(base64Of)].join('|'), 'g');
	last = { apiKey, pattern };
	return pattern;
}

/** Matches a character in both cases, plain, percent-encoded, or escaped as in JSON or XML, once or several times. */
function characterOf(character: string): string {
	const both = [...new Set([character.toLowerCase(), character.toUpperCase()])];
	const decimals = both.map((one) => one.charCodeAt(0)).join('|');
	const codes = both.map((one) => one.charCodeAt(0).toString(16)).join('|');
	const inXml = `&#(?:[xX]0{0,4}(?:${codes})|0{0,4}(?:${decimals}));`;
	return `(?:[${both.join('')}]|(?:%(?:25){0,3}|\\\\{1,4}u00)(?:${codes})|${inXml})`;
}

/** Matches the key in Base64 in every alignment, with or without line breaks, but for characters it shares with others. */
function base64Of(apiKey: string): string[] {
	return ['', '.', '..'].map((before) => {
		const text = before + apiKey;
		const encoded = Buffer.from(text).toString('base64');
		const own = encoded.slice(
			Math.ceil((before.length * 8) / 6),
			Math.floor((text.length * 8) / 6),
		);
		return [...own].join(LINE_BREAK);
	});
}
