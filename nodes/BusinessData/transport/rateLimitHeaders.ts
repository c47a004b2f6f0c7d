/**
 * What a service says of its limits in the headers of a response: `RateLimit` and `RateLimit-Policy` (IETF
 * draft-ietf-httpapi-ratelimit-headers, its newer and its older form), and `RateLimit-Limit/Remaining/Reset` with
 * `X-` in front, with `Rate-Limit`, or with a word for one of several limits (`X-RateLimit-Minutely-Reset`). The
 * interface document shows none of them, so all are optional, and what cannot be understood is ignored.
 */
import { headerText } from './response';
import { headerTimeMs, isDecimal } from './backoff';

/** How much is left of a limit, and when (ms from now) it is full again. */
export interface HeaderLimit {
	remaining: number;
	resetMs: number;
	/** How much the limit allows, where the service says so. */
	max?: number;
}

/** A limit as the service says it. */
export interface HeaderPolicy {
	max: number;
	windowSeconds: number;
}

type Headers = Record<string, unknown>;

const NAMED = /^((?:x-)?rate-?limit(?:-[\w-]+)?)-(limit|remaining|reset)(?:-after)?$/;

/**
 * How much the response says is left; nothing where it does not say it, or not understandably.
 * @param longestMs the longest window (ms): a reset beyond it, in seconds, is taken for one in ms
 * @param isRefused whether it is a 429, which says that nothing is left where no header says a number
 */
export function headerLimits(
	headers: Headers,
	longestMs: number,
	isRefused = false,
): HeaderLimit[] {
	const least = isRefused ? 0 : undefined;
	const limitsOf = (remaining?: string, reset?: string, limit?: string) =>
		headerLimit(wholeNumber(remaining) ?? least, resetOf(reset, headers, longestMs), limit);
	const drafts = headerItems(headerText(headers, 'ratelimit')).flatMap((item) =>
		limitsOf(item.r ?? item.remaining, item.t ?? item.reset, item.limit),
	);
	if (drafts.length > 0) return drafts;
	const named: Record<string, Record<string, string>> = {};
	for (const [name, value] of Object.entries(headers)) {
		const [, limit = '', field = ''] = NAMED.exec(name) ?? [];
		if (field !== '') (named[limit] ??= {})[field] = String(value);
	}
	return Object.values(named).flatMap(({ remaining, reset, limit }) =>
		limitsOf(remaining, reset, limit?.split(/[,;]/)[0]),
	);
}

/** The limits that the service says it has. */
export function headerPolicies(headers: Headers): HeaderPolicy[] {
	return headerItems(headerText(headers, 'ratelimit-policy')).flatMap((item) => {
		const max = wholeNumber(item.q ?? item.name);
		const windowSeconds = wholeNumber(item.w);
		const isPolicy = max !== undefined && windowSeconds !== undefined && max > 0;
		return isPolicy && windowSeconds > 0 ? [{ max, windowSeconds }] : [];
	});
}

function headerLimit(
	remaining: number | undefined,
	resetMs: number | undefined,
	limitText: string | undefined,
): HeaderLimit[] {
	if (remaining === undefined || resetMs === undefined) return [];
	const max = wholeNumber(limitText);
	return max !== undefined && remaining > max ? [] : [{ remaining, resetMs, max }];
}

/** Time (ms) from now on. */
function resetOf(text: string | undefined, headers: Headers, longestMs: number) {
	if (text === undefined) return undefined;
	const ms = headerTimeMs(text, headers);
	// The same names stand for seconds at one service and for milliseconds at another.
	const isInMs = isDecimal(text) && ms > longestMs && Number(text) <= longestMs;
	return ms > 0 ? (isInMs ? Number(text) : ms) : undefined;
}

/**
 * The items of a header such as `"default";q=100;w=60, …` or `limit=100, remaining=5, reset=3`. What an item
 * begins with stands under `name`; in the older form all belongs to one.
 */
function headerItems(header: string): Array<Record<string, string>> {
	const items = header
		.split(',')
		.map((item) => item.trim())
		.filter((item) => item !== '')
		.map((item) =>
			Object.fromEntries(
				item.split(';').map((part): [string, string] => {
					const [name = '', value] = part.trim().split('=');
					const text = (value ?? name).trim().replace(/^"(.*)"$/, '$1');
					return [value === undefined ? 'name' : name.trim().toLowerCase(), text];
				}),
			),
		);
	const isOlder = items.length > 0 && items.every((item) => !('name' in item));
	return isOlder ? [Object.assign({}, ...items) as Record<string, string>] : items;
}

function wholeNumber(text: string | undefined): number | undefined {
	return text !== undefined && /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : undefined;
}
