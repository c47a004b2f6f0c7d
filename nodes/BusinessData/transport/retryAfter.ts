/** How long a response asks to wait, in `Retry-After` and similar headers, or in the body of a 429. */
import { type ServiceResponse, headerText, textOf } from './response';

/** A wait of more than a year is considered a mistake. */
const LONGEST_WAIT_MS = 366 * 24 * 3_600_000;
/** From `seconds` on, a number means seconds since 1970, not a duration; from `ms` on, it means ms since 1970. */
const EPOCH = { seconds: 1_000_000_000, ms: 1_000_000_000_000 };
/** In characters. On longer texts, the patterns would take seconds. */
const LONGEST_TIME = 1_000;
/** How much of the body of a 429 is read. */
const LONGEST_TEXT_BYTES = 20_000;

/** How long (ms) the service asks to wait, in `Retry-After`, or else in a field or the words of a 429's body. */
export function askedWaitMs(response: ServiceResponse): number | undefined {
	const { statusCode, headers, body } = response;
	const asked = retryAfterMs(headers);
	if (asked !== undefined || statusCode !== 429) return asked;
	const text = textOf({ ...response, body: body.subarray(0, LONGEST_TEXT_BYTES) });
	const [, unit = '', time = ''] = FIELD.exec(text) ?? [];
	const [, words = ''] = WORDS.exec(text) ?? [];
	const asField = timeMs(/[a-z]$/i.test(time) ? time : time + unit, headers);
	const ms = Number.isNaN(asField) ? timeMs(words, headers) : asField;
	return ms >= 0 && ms <= LONGEST_WAIT_MS ? ms : undefined;
}

/**
 * How long (ms) the headers ask to wait: in `Retry-After`, as seconds, an HTTP date (RFC 9110 §10.2.3), or however
 * services write it, or else in a header with a similar name.
 */
export function retryAfterMs(headers: Record<string, unknown>): number | undefined {
	const others = Object.keys(headers).filter((name) => OTHER_RETRY_AFTER.test(name));
	for (const name of ['retry-after', ...others]) {
		const value = headerText(headers, name).trim();
		const ms = timeMs(name.endsWith('ms') && isDecimal(value) ? `${value}ms` : value, headers);
		if (!Number.isNaN(ms)) return Math.min(Math.max(0, ms), LONGEST_WAIT_MS);
	}
	return undefined;
}

/** For example `Retry-After-Ms` and `X-RateLimit-Retry-After-Seconds`. */
const OTHER_RETRY_AFTER = /^(retry-after-(ms|seconds)|x-([\w-]+-)?retry-after(-(ms|seconds))?)$/;

export function isDecimal(text: string): boolean {
	return /^\s*\d+(\.\d+)?\s*$/.test(text);
}

const NUMBER = '\\d+(?:\\.\\d+)?';
const UNITS_MS: Array<[beginning: RegExp, ms: number]> = [
	[/^m(s|illi)/i, 1],
	[/^s/i, 1_000],
	[/^m/i, 60_000],
	[/^h/i, 3_600_000],
	[/^d/i, 24 * 3_600_000],
];
const UNIT = '(?:ms|milli\\w*|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|days?)(?![a-z])';
const AMOUNT = `${NUMBER}\\s*${UNIT}`;
/** For example `1 minute and 30 seconds`. */
const AMOUNTS = `${AMOUNT}(?:,?\\s*(?:and\\s*)?${AMOUNT}){0,3}`;
const DURATION = new RegExp(`^(?:${NUMBER}|${AMOUNTS})$`, 'i');
const ISO_DATE = '\\d{4}-\\d\\d-\\d\\d[T ][\\d:.]+(?:Z|[+-]\\d\\d:?\\d\\d)';
/** A date in ISO 8601, or an HTTP date, which begins with a weekday. */
const DATE = new RegExp(`^(?:${ISO_DATE}$|mon|tue|wed|thu|fri|sat|sun)`, 'i');
/** For example "try again in 5.5 s". */
const WORDS = new RegExp(
	`(?:retry|try|again|wait|until|resets?|next|available|blocked)\\b[^\\d.]{0,60}?(${ISO_DATE}|${AMOUNTS})`,
	'i',
);
/** A field such as `"retry_after": 3`, `waitMs=3000` or `<retryAfter>3s</retryAfter>`. */
const FIELD = new RegExp(
	`(?:(?:re)?try[-_ ]?(?:again[-_ ]?)?(?:after|in|at|delay)|wait(?:[-_ ]?(?:time|for))?|reset(?:[-_ ]?(?:after|in|at))?)[-_ ]?(?:in[-_ ]?)?(${UNIT})?["'>\\s]*[:=>]\\s*["']?(${ISO_DATE}|${AMOUNTS}|${NUMBER}(?![\\d:-]|\\.\\d))`,
	'i',
);

/**
 * Reads a time (ms) from a text: a number of seconds, a duration such as `30s`, or the time until a date or a moment since
 * 1970. The response's `Date` header is the present, so that a wrong clock here does not matter. NaN for anything else.
 */
export function timeMs(text: string, headers: Record<string, unknown>): number {
	if (text.length > LONGEST_TIME) return NaN;
	const value = text.trim().replace(/^"(.*)"$/, '$1');
	if (!DURATION.test(value)) return DATE.test(value) ? dateMs(value) - nowOf(headers) : NaN;
	const amounts = [...value.matchAll(new RegExp(`(${NUMBER})\\s*(${UNIT})`, 'gi'))];
	const msOf = (unit = '') => UNITS_MS.find(([beginning]) => beginning.test(unit))?.[1] ?? 0;
	if (amounts.length > 0) {
		return amounts.reduce((sum, [, count, unit]) => sum + Number(count) * msOf(unit), 0);
	}
	const number = Number(value);
	if (number < EPOCH.seconds) return number * 1000;
	return (number < EPOCH.ms ? number * 1000 : number) - nowOf(headers);
}

/** The present (ms since 1970), by the service's clock if the response has a `Date`. */
function nowOf(headers: Record<string, unknown>): number {
	const time = dateMs(headerText(headers, 'date'));
	return Number.isNaN(time) ? Date.now() : time;
}

/** In UTC if the text has no time zone, like an `asctime` date (RFC 9110 §5.6.7). */
function dateMs(text: string): number {
	return Date.parse(/[a-z]$|[+-]\d\d:?\d\d$/i.test(text) ? text : `${text} GMT`);
}
