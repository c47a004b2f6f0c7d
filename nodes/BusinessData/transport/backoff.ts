/** How long to wait before a request is retried. */
import { type ServiceResponse, headerText, textOf } from './response';

const BASE_MS = 1_000;
const CAP_MS = 60_000;
/** A header that asks for more than a year is taken for a mistake. */
const LONGEST_RETRY_AFTER_MS = 366 * 24 * 3_600_000;
/** From here on (seconds), a number is a moment since 1970, not a duration; from `ms` on, one in ms. */
const EPOCH = { seconds: 1_000_000_000, ms: 1_000_000_000_000 };
/** How much of the body of a 429 is read. */
const LONGEST_TEXT_BYTES = 20_000;

/**
 * Exponential backoff with full jitter: a random time (ms) up to 1 s, 2 s, 4 s …, at most `capMs`.
 * @param attempt 0 for the first retry
 */
export function backoffMs(attempt: number, capMs = CAP_MS): number {
	return Math.random() * Math.min(capMs, BASE_MS * 2 ** Math.min(attempt, 30));
}

/**
 * How long (ms) the service asks to wait: by its `Retry-After`, or else by the words or a field of a 429's body.
 * Undefined when it does not say so.
 */
export function askedWaitMs(response: ServiceResponse): number | undefined {
	const { statusCode, headers, body } = response;
	const asked = retryAfterMs(headers);
	if (asked !== undefined || statusCode !== 429) return asked;
	const text = textOf({ ...response, body: body.subarray(0, LONGEST_TEXT_BYTES) });
	const ms = waitInText(text, headers);
	return ms !== undefined && ms >= 0 && ms <= LONGEST_RETRY_AFTER_MS ? ms : undefined;
}

/**
 * The time (ms) that a `Retry-After` header asks for: seconds or an HTTP date (RFC 9110 §10.2.3), or what else
 * services write. Other names for it count where it is not there. Undefined when there is none, or none that can be read.
 */
export function retryAfterMs(headers: Record<string, unknown>): number | undefined {
	const others = Object.keys(headers).filter((name) => OTHER_RETRY_AFTER.test(name));
	for (const name of ['retry-after', ...others]) {
		const value = headerText(headers, name);
		if (value.trim() === '') continue;
		const isInMs = name.endsWith('ms') && isDecimal(value);
		const ms = isInMs ? Number(value) : headerTimeMs(value, headers);
		if (!Number.isNaN(ms)) return Math.min(Math.max(0, ms), LONGEST_RETRY_AFTER_MS);
	}
	return undefined;
}

/** Such as `Retry-After-Ms` and `X-RateLimit-Retry-After-Seconds`. */
const OTHER_RETRY_AFTER = /^(retry-after-(ms|seconds)|x-([\w-]+-)?retry-after(-(ms|seconds))?)$/;

export function isDecimal(text: string): boolean {
	return /^\s*\d+(\.\d+)?\s*$/.test(text);
}

/**
 * The time (ms) that the value of a header says: of seconds, of a duration such as `30s`, or until a moment since 1970,
 * an HTTP date or one in ISO 8601. A moment is taken against the response's own `Date` header, so that a clock that is
 * wrong here does not matter. NaN for anything else.
 */
export function headerTimeMs(text: string, headers: Record<string, unknown>): number {
	const value = text.trim().replace(/^"(.*)"$/, '$1');
	if (isDecimal(value)) return msFromNow(Number(value), headers);
	const [, count, unit = ''] = DURATION.exec(value) ?? [];
	if (count !== undefined) return durationMs(count, unit);
	return (ISO_DATE.test(value) ? Date.parse(value) : parseHttpDate(value)) - nowOf(headers);
}

/** The time (ms) until a moment since 1970 (s or ms), or of a duration (s). */
function msFromNow(number: number, headers: Record<string, unknown>): number {
	if (number < EPOCH.seconds) return number * 1000;
	return (number < EPOCH.ms ? number * 1000 : number) - nowOf(headers);
}

/** By the clock of the service, where the response has one. */
function nowOf(headers: Record<string, unknown>): number {
	const time = parseHttpDate(headerText(headers, 'date'));
	return Number.isNaN(time) ? Date.now() : time;
}

/** NaN for a text that does not begin with the name of a weekday, as every HTTP date does. */
function parseHttpDate(value: string): number {
	return /^\s*(mon|tue|wed|thu|fri|sat|sun)/i.test(value) ? Date.parse(value) : NaN;
}

const UNITS_MS: Array<[beginning: RegExp, ms: number]> = [
	[/^m(s|illi)/i, 1],
	[/^s/i, 1_000],
	[/^m/i, 60_000],
	[/^h/i, 3_600_000],
	[/^d/i, 24 * 3_600_000],
];
const UNIT = '(?:ms|milli\\w*|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|days?)(?![a-z])';
const NUMBER = '\\d+(?:\\.\\d+)?';
const DURATION = new RegExp(`^(${NUMBER})\\s*(${UNIT})$`, 'i');
const ISO_DATE = /^\d{4}-\d\d-\d\d[T ][\d:.]+(Z|[+-]\d\d:?\d\d)$/i;
/** As in "2 minutes and 5.5 s", after a word such as "again" in the same sentence. */
const IN_WORDS = new RegExp(
	`(?:retry|try|again|wait|until|resets?|next|available|blocked)\\b[^\\d.]{0,60}?((?:${NUMBER}\\s*${UNIT}[\\s,and]*)+)`,
	'i',
);
const AS_MOMENT =
	/(?:retry|again|wait|until|reset)\D{0,60}?(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d))/i;
/** A field such as `"retry_after": 3`, `waitMs=3000` or `<retryAfter>3s</retryAfter>`. */
const AS_FIELD = new RegExp(
	`(?:(?:re)?try[-_ ]?(?:again[-_ ]?)?(?:after|in|at|delay)|wait(?:[-_ ]?(?:time|for))?|reset(?:[-_ ]?(?:after|in|at))?)[-_ ]?(?:in[-_ ]?)?(${UNIT})?["'>\\s]*[:=>]\\s*["']?(${NUMBER})(?![\\d:-]|\\.\\d)\\s*(${UNIT})?`,
	'i',
);

const LONGEST_SENTENCE = 300;
/** What ends a sentence, or a text in JSON or XML. */
const END_OF_SENTENCE = /[!?;]\s|\.\s+(?=\p{Lu})|["\n<>{}]/u;
/** With a word beside the unit. */
const WITH_WORDS = /\p{L}{3}.*\d|\d\s*\p{L}+\.?\s.*\p{L}{3}/u;
const LIMIT_PER_TIME =
	/window|fenster|fenêtre|ventana|interval|(\/|\b(per|pro|par|por|je|every|each|within|innerhalb|alle|chaque|cada|ogni))\s*\d/i;
/** The only number is a time, in the words of many languages. */
const ONLY_A_TIME = new RegExp(
	`^[^\\d]*(?<!-)(${NUMBER})\\s*(ms|milli\\p{L}*|s|se[ckg]\\p{L}*|min\\p{L}*)(?!\\p{L})\\D*$`,
	'iu',
);

function waitInText(text: string, headers: Record<string, unknown>): number | undefined {
	const [, moment] = AS_MOMENT.exec(text) ?? [];
	if (moment !== undefined) return Date.parse(moment) - nowOf(headers);
	const [, unitOfName, value, unit = unitOfName] = AS_FIELD.exec(text) ?? [];
	if (value !== undefined) {
		return unit === undefined ? msFromNow(Number(value), headers) : durationMs(value, unit);
	}
	const [, words] = IN_WORDS.exec(text) ?? [];
	const parts = words?.matchAll(new RegExp(`(${NUMBER})\\s*(${UNIT})`, 'gi'));
	if (parts)
		return [...parts].reduce((sum, [, count, name = '']) => sum + durationMs(count, name), 0);
	for (const sentence of text.replace(/\b429\b/g, '').split(END_OF_SENTENCE)) {
		if (sentence.length > LONGEST_SENTENCE || LIMIT_PER_TIME.test(sentence)) continue;
		const [, count, name = ''] = ONLY_A_TIME.exec(sentence) ?? [];
		if (count !== undefined && WITH_WORDS.test(sentence)) return durationMs(count, name);
	}
	return undefined;
}

function durationMs(count: string | undefined, unit: string): number {
	const [, ms] = UNITS_MS.find(([beginning]) => beginning.test(unit)) ?? [];
	return Number(count) * (ms ?? NaN);
}
