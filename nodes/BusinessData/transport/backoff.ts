/** How long to wait before a request is repeated. */

const BASE_MS = 1_000;
const CAP_MS = 60_000;
/** A header that asks for more than a year is taken for a mistake. */
const LONGEST_RETRY_AFTER_MS = 366 * 24 * 3_600_000;

/**
 * Exponential backoff with full jitter: a random time (ms) up to 1 s, 2 s, 4 s …, at most `capMs`.
 * @param attempt 0 for the first repetition
 */
export function backoffMs(attempt: number, capMs = CAP_MS): number {
	return Math.random() * Math.min(capMs, BASE_MS * 2 ** Math.min(attempt, 30));
}

/**
 * The time (ms) that a `Retry-After` header asks for: seconds or an HTTP date (RFC 9110 §10.2.3).
 * A date is taken against the answer's own `Date` header, so that a clock that is wrong here does not
 * matter. Undefined when there is none, or none that can be read.
 */
export function retryAfterMs(headers: Record<string, unknown>): number | undefined {
	const value = headers['retry-after'];
	if (typeof value !== 'string' || value.trim() === '') return undefined;
	const ms = /^\s*\d+(\.\d+)?\s*$/.test(value)
		? Number(value) * 1000
		: parseHttpDate(value) - (dateOf(headers) ?? Date.now());
	return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), LONGEST_RETRY_AFTER_MS);
}

/** NaN for a text that does not begin with the name of a weekday, as every HTTP date does. */
function parseHttpDate(value: string): number {
	return /^\s*(mon|tue|wed|thu|fri|sat|sun)/i.test(value) ? Date.parse(value) : NaN;
}

function dateOf(headers: Record<string, unknown>): number | undefined {
	const time = typeof headers.date === 'string' ? parseHttpDate(headers.date) : NaN;
	return Number.isNaN(time) ? undefined : time;
}
