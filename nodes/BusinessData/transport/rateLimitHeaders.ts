/**
 * What a service says of its limits in the headers of an answer: `RateLimit` and `RateLimit-Policy` (IETF
 * draft-ietf-httpapi-ratelimit-headers, its newer and its older form), `RateLimit-Limit/Remaining/Reset` and
 * `X-RateLimit-Limit/Remaining/Reset`. The interface document shows none of them, so all are optional, and
 * what cannot be understood is ignored.
 */
import { headerText } from './answer';

/** How much is left of a limit, and when (ms from now) it is full again. */
export interface ToldRoom {
	remaining: number;
	resetMs: number;
	/** How much the limit allows, where the service says so. */
	max?: number;
}

/** A limit as the service says it. */
export interface ToldPolicy {
	max: number;
	windowSeconds: number;
}

type Headers = Record<string, unknown>;

/** From here on (seconds), a reset is a moment since 1970, not a duration; from `/ms` on, in ms. */
const EPOCH = { seconds: 1_000_000_000, ms: 1_000_000_000_000 };

/** How much the answer says is left; nothing where it does not say it, or not understandably. */
export function toldRooms(headers: Headers): ToldRoom[] {
	const [draft, ...more] = itemsOf(headerText(headers, 'ratelimit'));
	if (draft !== undefined) {
		return [draft, ...more].flatMap((item) =>
			roomOf(item.r ?? item.remaining, item.t ?? item.reset, item.limit, headers),
		);
	}
	for (const prefix of ['ratelimit', 'x-ratelimit']) {
		const [remaining, reset, limit] = ['remaining', 'reset', 'limit'].map((name) => {
			const value = headers[`${prefix}-${name}`];
			return typeof value === 'number' ? String(value) : headerText(headers, `${prefix}-${name}`);
		});
		const rooms = roomOf(remaining, reset, limit?.split(/[,;]/)[0], headers);
		if (rooms.length > 0) return rooms;
	}
	return [];
}

/** The limits that the service says it has. */
export function toldPolicies(headers: Headers): ToldPolicy[] {
	return itemsOf(headerText(headers, 'ratelimit-policy')).flatMap((item) => {
		const max = wholeNumber(item.q ?? item.name);
		const windowSeconds = wholeNumber(item.w);
		const isPolicy = max !== undefined && windowSeconds !== undefined && max > 0;
		return isPolicy && windowSeconds > 0 ? [{ max, windowSeconds }] : [];
	});
}

function roomOf(
	remainingText: string | undefined,
	resetText: string | undefined,
	limitText: string | undefined,
	headers: Headers,
): ToldRoom[] {
	const remaining = wholeNumber(remainingText);
	const resetMs = resetOf(resetText, headers);
	if (remaining === undefined || resetMs === undefined) return [];
	const max = wholeNumber(limitText);
	return max !== undefined && remaining > max ? [] : [{ remaining, resetMs, max }];
}

/** Seconds from now, or a moment: taken against the answer's own clock, where it has one. */
function resetOf(text: string | undefined, headers: Headers): number | undefined {
	if (text === undefined || !/^\s*\d+(\.\d+)?\s*$/.test(text)) return undefined;
	const number = Number(text);
	const date = Date.parse(headerText(headers, 'date'));
	const now = Number.isNaN(date) ? Date.now() : date;
	const resetMs =
		number >= EPOCH.ms
			? number - now
			: number >= EPOCH.seconds
				? number * 1000 - now
				: number * 1000;
	return resetMs > 0 ? resetMs : undefined;
}

/**
 * The items of a header such as `"default";q=100;w=60, …` or `limit=100, remaining=5, reset=3`. What an item
 * begins with stands under `name`; in the older form all belongs to one.
 */
function itemsOf(header: string): Array<Record<string, string>> {
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
