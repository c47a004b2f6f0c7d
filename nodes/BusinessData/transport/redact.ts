/** Keeps the key out of whatever a user, a log or the execution data may show. */

const MASK = '*';

/** The same bytes with the key masked, whatever its case; of the same length. */
export function redactKey(body: Buffer, apiKey: string): Buffer {
	// Latin-1 maps every byte to one character and back, so that binary data stays as it is.
	const text = body.toString('latin1');
	const masked = redactText(text, apiKey);
	return masked === text ? body : Buffer.from(masked, 'latin1');
}

/** The same text with the key masked, of the same length. */
export function redactText(text: string, apiKey: string): string {
	return mask(text, patternOf(apiKey));
}

/** The same text without whatever may be an API key, where it is not known which one is. */
export function maskKeys(text: string): string {
	return text.replace(/[\da-f]{64}/gi, '****');
}

/** The same headers with the key masked in every value. */
export function redactHeaders(
	headers: Record<string, unknown>,
	apiKey: string,
): Record<string, unknown> {
	// A header that may be there several times, such as Set-Cookie, is a list.
	const pattern = patternOf(apiKey);
	const redact = (value: unknown): unknown =>
		typeof value === 'string'
			? mask(value, pattern)
			: Array.isArray(value)
				? value.map(redact)
				: value;
	return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)]));
}

function mask(text: string, pattern: RegExp): string {
	return text.replace(pattern, (found) => MASK.repeat(found.length));
}

/** Finds the key in any case, with characters escaped as in JSON, and in UTF-16, as bytes of Latin-1. */
function patternOf(apiKey: string): RegExp {
	const characters = [...apiKey].map((character) => {
		const escaped = [character.toLowerCase(), character.toUpperCase()].map((either) =>
			either.charCodeAt(0).toString(16).padStart(4, '0'),
		);
		return `(?:${character}|\\\\u(?:${escaped.join('|')}))`;
	});
	return new RegExp(characters.join('\\0?'), 'gi');
}
