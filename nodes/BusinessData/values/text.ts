/** Formats short texts for messages, and trims and interprets those of users and services. */

/** `1 request`, `2 requests`. */
export function pluralize(count: number, singular: string): string {
	return `${count} ${singular}${count === 1 ? '' : 's'}`;
}

/** The text, truncated after `length` characters. */
export function shorten(text: string, length: number): string {
	return text.length > length ? `${text.slice(0, length)}…` : text;
}

/** The message of an error, or of whatever else was thrown. */
export function messageOf(error: unknown): string {
	const { message } = (error ?? {}) as { message?: unknown };
	return typeof message === 'string' && message !== '' ? message : String(error);
}

/** The text without white space and invisible characters at both ends. */
export function trimUnseen(text: string): string {
	// The lookbehind keeps the time proportional to the length, even if the text contains many such characters.
	const atEnd = /(?<![\s\p{Cc}\p{Cf}])[\s\p{Cc}\p{Cf}]+$/u;
	return text.replace(/^[\s\p{Cc}\p{Cf}]+/u, '').replace(atEnd, '');
}

/** Whether this text in a field of a service means "no", "none" or, for a time, "never". */
export function saysNo(text: string): boolean {
	return /^\s*(|0|false|no?|null|undefined|0000-00-00.*)\s*$/i.test(text);
}

/** `30 per 10 s`. */
export function formatLimit(max: number, windowMs: number): string {
	return `${max} per ${formatDuration(windowMs)}`;
}

/** `48 s`, `10 min`, `1 h 5 min`; below ten seconds with one decimal unless it is whole. */
export function formatDuration(ms: number): string {
	const seconds = ms / 1000;
	if (seconds < 10) return `${Number(seconds.toFixed(1))} s`;
	if (seconds < 120) return `${Math.round(seconds)} s`;
	const minutes = Math.round(seconds / 60);
	if (minutes < 120) return `${minutes} min`;
	const rest = minutes % 60;
	return `${Math.floor(minutes / 60)} h${rest === 0 ? '' : ` ${rest} min`}`;
}
