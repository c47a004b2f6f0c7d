/** Keeps the key out of whatever a user, a log or the execution data may show. */

const MASK = '*';

/** The same bytes with the key masked, whatever its case; of the same length. */
export function redactKey(body: Buffer, apiKey: string): Buffer {
	// Latin-1 maps every byte to one character and back, so that binary data stays as it is.
	const text = body.toString('latin1');
	return hasKey(text, apiKey) ? Buffer.from(redactText(text, apiKey), 'latin1') : body;
}

/** The same text with the key masked. */
export function redactText(text: string, apiKey: string): string {
	return text.replace(new RegExp(apiKey, 'gi'), MASK.repeat(apiKey.length));
}

/** The same headers with the key masked in every value. */
export function redactHeaders(
	headers: Record<string, unknown>,
	apiKey: string,
): Record<string, unknown> {
	// A header that may be there several times, such as Set-Cookie, is a list.
	const redact = (value: unknown): unknown =>
		typeof value === 'string'
			? redactText(value, apiKey)
			: Array.isArray(value)
				? value.map(redact)
				: value;
	return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)]));
}

function hasKey(text: string, apiKey: string): boolean {
	return new RegExp(apiKey, 'i').test(text);
}
