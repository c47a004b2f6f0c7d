/** Short texts for messages. */

/** `1 request`, `2 requests`. */
export function countOf(count: number, singular: string): string {
	return `${count} ${singular}${count === 1 ? '' : 's'}`;
}

/** The text, cut off after `length` characters. */
export function shorten(text: string, length: number): string {
	return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** The message of an error, or of whatever else was thrown. */
export function messageOf(error: unknown): string {
	const { message } = (error ?? {}) as { message?: unknown };
	return typeof message === 'string' && message !== '' ? message : String(error);
}
