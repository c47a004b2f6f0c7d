/**
 * Reads limits from the headers of a response: `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers, in
 * its newer and older form), and `RateLimit-Limit/Remaining/Reset`, which may also be written `Rate-Limit-…` or contain the
 * name of a limit (`X-RateLimit-Minutely-Reset`). All may begin with `X-`. The interface document has no such headers, so
 * anything that cannot be understood is ignored.
 */
import { isDecimal, timeMs } from './retryAfter';
import type { LimitSetting } from './endpoints';
import { headerText } from './response';

interface HeaderLimit {
	remaining: number;
	/** When (ms from now) the whole limit is available again. */
	resetMs: number;
	max?: number;
}

type Headers = Record<string, unknown>;

type Fields = Partial<Record<'limit' | 'remaining' | 'reset', string>>;

const NAMED = /^((?:x-)?rate-?limit(?:-[\w-]+)?)-(limit|remaining|reset)(?:-after)?$/;

/**
 * @param longestMs the longest window (ms): a reset that would be longer in seconds is considered to be in ms
 * @param lacksRetryAfter whether it is a 429 without Retry-After: then nothing remains, unless a header says how much
 */
export function headerLimits(
	headers: Headers,
	longestMs: number,
	lacksRetryAfter = false,
): HeaderLimit[] {
	const limitOf = ({ limit, remaining: left, reset = '' }: Fields): HeaderLimit[] => {
		const remaining = wholeNumber(left) ?? (lacksRetryAfter ? 0 : NaN);
		const ms = timeMs(reset, headers);
		const isInMs = isDecimal(reset) && ms > longestMs && Number(reset) <= longestMs;
		const max = wholeNumber(limit?.split(/[,;]/)[0]);
		const isLimit = ms > 0 && remaining <= (max ?? Infinity);
		return isLimit ? [{ remaining, resetMs: isInMs ? Number(reset) : ms, max }] : [];
	};
	const policies = draftItems(headers, 'ratelimit-policy');
	const drafts = draftItems(headers, 'ratelimit').flatMap(
		({ name, r, t, remaining = r, reset = t, limit }) => {
			const quota = policies.find((policy) => policy.name === name)?.q;
			return limitOf({ limit: limit ?? quota, remaining, reset });
		},
	);
	return drafts.length > 0 ? drafts : namedFields(headers).flatMap(limitOf);
}

export function headerPolicies(headers: Headers): LimitSetting[] {
	return draftItems(headers, 'ratelimit-policy').flatMap(({ q, name, w, qu }) => {
		if (qu !== undefined && qu !== 'requests') return [];
		const max = wholeNumber(q ?? name) ?? 0;
		const windowSeconds = wholeNumber(w) ?? 0;
		return max > 0 && windowSeconds > 0 ? [{ max, windowSeconds }] : [];
	});
}

function namedFields(headers: Headers): Fields[] {
	const limits: Record<string, Fields> = {};
	for (const [name, value] of Object.entries(headers)) {
		const [, limit = '', field] = NAMED.exec(name) ?? [];
		if (field !== undefined) (limits[limit] ??= {})[field as keyof Fields] = String(value);
	}
	return Object.values(limits);
}

/**
 * The items of a header such as `"default";q=100;w=60, …`, each with its first value as `name`. The older form, such as
 * `limit=100, remaining=5, reset=3`, is one item.
 */
function draftItems(headers: Headers, name: string): Array<Record<string, string>> {
	const header = headerText(headers, name) || headerText(headers, `x-${name}`);
	const items = header.split(',').flatMap((item) => {
		if (item.trim() === '') return [];
		const parts = item.split(';').map((part): [string, string] => {
			const [key = '', value] = part.trim().split('=');
			const text = (value ?? key).trim().replace(/^"(.*)"$/, '$1');
			return [value === undefined ? 'name' : key.trim().toLowerCase(), text];
		});
		return [Object.fromEntries(parts)];
	});
	return items.some((item) => 'name' in item) || items.length === 0
		? items
		: [Object.assign({}, ...items) as Record<string, string>];
}

function wholeNumber(text: string | undefined): number | undefined {
	return text !== undefined && /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : undefined;
}
