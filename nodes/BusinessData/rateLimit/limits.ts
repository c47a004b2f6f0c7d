/** The limits that one key is under, and the names of their windows. */

/** At most `max` requests in any `windowMs` milliseconds. */
export interface Limit {
	max: number;
	windowMs: number;
}

/** With the name of its window as users see it, such as `general/60s`. */
export type NamedLimit = Limit & { name: string };

/** General limits count every request; those of an endpoint also count its own requests. */
export interface Limits {
	general: Limit[];
	/** By a key that all spellings of the endpoint have in common. */
	endpoints: Record<string, Limit[]>;
	/** How users see an endpoint, where that is not its key. */
	names?: Record<string, string>;
}

/** No limit is larger; so no more requests of an endpoint need to be remembered. */
export const LARGEST_MAX = 100_000;
/** Stands for all endpoints, in keys and in the names of windows. */
export const GENERAL = 'general';

export function windowName(endpoint: string, { windowMs }: Limit): string {
	return `${endpoint}/${windowMs / 1000}s`;
}

/** The limits that count the requests of an endpoint only; none without an endpoint. */
export function limitsOfEndpoint({ endpoints }: Limits, endpoint: string | undefined): Limit[] {
	return endpoint === undefined ? [] : (endpoints[endpoint] ?? []);
}

/** Where no limit is known, a service that refuses or pauses a request is taken to have one of a minute. */
export const ASSUMED_LIMIT = { max: 60, windowMs: 60_000, used: 60 };

export function longestOf(limits: Limit[]): number {
	const all = limits.length > 0 ? limits : [ASSUMED_LIMIT];
	return Math.max(...all.map(({ windowMs }) => windowMs));
}

/** The longest window (ms) that counts requests to the endpoint. */
export function longestWindowMs(limits: Limits, endpoint: string | undefined): number {
	return longestOf([...limits.general, ...limitsOfEndpoint(limits, endpoint)]);
}

/** For timers, at least and at most. */
const MARGIN_MS = { least: 10, most: 100 };
/** Two clocks may run apart by up to half a millisecond per second while one of them is adjusted. */
const CLOCK_DRIFT = 0.0005;

/** How long (ms) a slot stays taken after its response: the window and a margin for timers and clocks. */
export function holdMsOf(windowMs: number): number {
	const forTimers = Math.min(MARGIN_MS.most, windowMs * 0.02);
	return windowMs + Math.max(MARGIN_MS.least, forTimers, windowMs * CLOCK_DRIFT);
}
