/**
 * What a service says of its limits in the headers of a response: `RateLimit` and `RateLimit-Policy` (IETF
 * draft-ietf-httpapi-ratelimit-headers, its newer and its older form), and `RateLimit-Limit/Remaining/Reset` with
 * `X-` in front, with `Rate-Limit`, or with a word for one of several limits (`X-RateLimit-Minutely-Reset`). The
 * interface document shows none of them, so all are optional, and what cannot be understood is ignored.
 */
import { isDecimal, timeMs } from './backoff';
import type { LimitSetting } from './endpoints';
import { headerText } from './response';

/** How much is left of a limit, and when (ms from now) it is full again. */
export interface HeaderLimit {
	remaining: number;
	resetMs: number;
	/** How much the limit allows, where the service says so. */
	max?: number;
}

type Headers = Record<string, unknown>;

/** The texts of a limit, by what they say of it. */
type Fields = Partial<Record<'limit' | 'remaining' | 'reset', string>>;

const NAMED = /^((?:x-)?rate-?limit(?:-[\w-]+)?)-(limit|remaining|reset)(?:-after)?$/;

/**
 * How much the response says is left; nothing where it does not say it, or not understandably.
 * @param longestMs the longest window (ms): a reset beyond it, in seconds, is taken for one in ms
 * @param isRefused whether it is a 429 without Retry-After: nothing is left where no header says a number
 */
export function headerLimits(
	headers: Headers,
	longestMs: number,
	isRefused = false,
): HeaderLimit[] {
	const limitOf = ({ limit, remaining: left, reset = '' }: Fields): HeaderLimit[] => {
		const remaining = wholeNumber(left) ?? (isRefused ? 0 : NaN);
		const ms = timeMs(reset, headers);
		const isInMs = isDecimal(reset) && ms > longestMs && Number(reset) <= longestMs;
		const max = wholeNumber(limit?.split(/[,;]/)[0]);
		const isLimit = ms > 0 && remaining <= (max ?? Infinity);
		return isLimit ? [{ remaining, resetMs: isInMs ? Number(reset) : ms, max }] : [];
	};
	const drafts = headerItems(headerText(headers, 'ratelimit')).flatMap(
		({ r, t, remaining = r, reset = t, limit }) => limitOf({ limit, remaining, reset }),
	);
	return drafts.length > 0 ? drafts : namedFields(headers).flatMap(limitOf);
}

/** The limits that the service says it has. */
export function headerPolicies(headers: Headers): LimitSetting[] {
	return headerItems(headerText(headers, 'ratelimit-policy')).flatMap(({ q, name, w }) => {
		const [max = 0, windowSeconds = 0] = [wholeNumber(q ?? name), wholeNumber(w)];
		return max > 0 && windowSeconds > 0 ? [{ max, windowSeconds }] : [];
	});
}

/** The fields of each limit that has headers of its own. */
function namedFields(headers: Headers): Fields[] {
	const limits: Record<string, Fields> = {};
	for (const [name, value] of Object.entries(headers)) {
		const [, limit = '', field] = NAMED.exec(name) ?? [];
		if (field !== undefined) (limits[limit] ??= {})[field as keyof Fields] = String(value);
	}
	return Object.values(limits);
}

/**
 * The items of a header such as `"default";q=100;w=60, …` or `limit=100, remaining=5, reset=3`. What an item
 * begins with stands under `name`; in the older form all belongs to one.
 */
function headerItems(header: string): Array<Record<string, string>> {
	const items = header.split(',').flatMap((item) => {
		if (item.trim() === '') return [];
		const parts = item.split(';').map((part): [string, string] => {
			const [name = '', value] = part.trim().split('=');
			const text = (value ?? name).trim().replace(/^"(.*)"$/, '$1');
			return [value === undefined ? 'name' : name.trim().toLowerCase(), text];
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
