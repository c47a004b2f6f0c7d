// Computes the best possible schedule under limits. No client that keeps them can be faster: this one has no latency,
// and knows when the service counts each request.

import type { LimitTable } from '../sandbox/limits';
import { inMs } from '../test/support/scaledLimits';

/** At most `max` requests in any `windowMs` (ms). */
export type Window = ReturnType<typeof inMs>;

/** The windows that count a request to an endpoint (`METHOD /path`). */
export function windowsOf({ general, endpoints }: LimitTable, endpoint: string): Window[] {
	const own = endpoints[endpoint];
	return [...general, ...(own === undefined ? [] : [own])].map(inMs);
}

/** The earliest time (ms), not before `at`, at which one more request fits after those in `times` (sorted). */
export function nextFreeMoment(times: number[], at: number, windows: Window[]): number {
	const earliest = windows.map(({ max, windowMs }) =>
		times.length < max ? at : (times[times.length - max] ?? 0) + windowMs,
	);
	return Math.max(at, ...earliest);
}

/** The times (ms) of `count` requests that all arrive at once, each as early as the windows allow. */
export function bestSchedule(count: number, windows: Window[]): number[] {
	const times: number[] = [];
	while (times.length < count) times.push(nextFreeMoment(times, 0, windows));
	return times;
}

/** The best possible time (ms) of the last of `count` requests that all arrive at once. */
export function bestMakespan(count: number, windows: Window[]): number {
	return bestSchedule(count, windows).at(-1) ?? 0;
}
