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
	/** By the canonical name of an endpoint, which all its spellings share. */
	endpoints: Record<string, Limit[]>;
	/** How users see an endpoint, if it differs from the canonical name. */
	names?: Record<string, string>;
}

/** Bounds how many requests to an endpoint are remembered. */
export const LARGEST_MAX = 100_000;
/** Stands for all endpoints, in the names of windows too. */
export const GENERAL = 'general';

export function limitsOfEndpoint({ endpoints }: Limits, endpoint: string | undefined): Limit[] {
	return endpoint === undefined ? [] : (endpoints[endpoint] ?? []);
}

/** Assumed if a service without known limits refuses requests or asks for a pause. */
export const ASSUMED_LIMIT = { max: 60, windowMs: 60_000, used: 60 };

export function longestWindowMs(applied: Array<{ limits: Limit[] }>): number {
	const all = applied.flatMap(({ limits }) => limits);
	return Math.max(...(all.length > 0 ? all : [ASSUMED_LIMIT]).map(({ windowMs }) => windowMs));
}

/** The inaccuracy of timers. */
const MARGIN_MS = { least: 10, most: 100 };
/** A clock that is being adjusted may drift by up to half a millisecond per second. */
const CLOCK_DRIFT = 0.0005;

/** How long (ms) a slot is held after the response: the window, plus a margin for timers and clocks. */
export function holdMsOf(windowMs: number): number {
	const forTimers = Math.min(MARGIN_MS.most, windowMs * 0.02);
	return windowMs + Math.max(MARGIN_MS.least, forTimers, windowMs * CLOCK_DRIFT);
}
