/** The limits that one key is under, and the names of their windows. */

/** At most `max` requests in any `windowMs` milliseconds. */
export interface Limit {
	max: number;
	windowMs: number;
}

/**
 * General limits count every request; the limits of a scope also count its own requests. A scope is any name, such as
 * the name of an endpoint.
 */
export interface Limits {
	general: Limit[];
	scopes: Record<string, Limit[]>;
	/** How users see a scope, where that is not its own name. */
	names?: Record<string, string>;
}

/** No limit is larger; so no more requests of a scope need to be remembered. */
export const LARGEST_MAX = 100_000;

/** The scope of the general limits in the names of windows. */
export const GENERAL = 'general';

/** The name of a window as users see it, for example `general/60s`. */
export function windowName(scope: string, { windowMs }: Limit): string {
	return `${scope}/${windowMs / 1000}s`;
}

/** A scope as users see it. */
export function scopeName({ names }: Limits, scope: string): string {
	return names?.[scope] ?? scope;
}

/** The limits that count the requests of a scope only; none without a scope. */
export function limitsOfScope({ scopes }: Limits, scope: string | undefined): Limit[] {
	return scope === undefined ? [] : (scopes[scope] ?? []);
}

/** The longest window (ms) that counts requests of the scope; 0 when there is none. */
export function longestWindowMs(limits: Limits, scope: string | undefined): number {
	const all = [...limits.general, ...limitsOfScope(limits, scope)];
	return Math.max(0, ...all.map(({ windowMs }) => windowMs));
}

const SHORTEST_MARGIN_MS = 10;
const LONGEST_MARGIN_OF_TIMERS_MS = 100;
/** Two clocks may run apart by up to half a millisecond per second while one of them is adjusted. */
const CLOCK_DRIFT = 0.0005;

/** How long (ms) a slot stays taken after its response: the window and a margin for timers and clocks. */
export function holdMsOf(windowMs: number): number {
	const forTimers = Math.min(LONGEST_MARGIN_OF_TIMERS_MS, windowMs * 0.02);
	return windowMs + Math.max(SHORTEST_MARGIN_MS, forTimers, windowMs * CLOCK_DRIFT);
}
