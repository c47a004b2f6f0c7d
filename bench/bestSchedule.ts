// The best possible schedule under limits, computed: no client that keeps them can be faster, because
// it would need one that knows when the service counts each request, and has no latency at all.

import type { LimitTable } from '../sandbox/limits';
import { inMs } from '../test/support/scaledLimits';

/** At most `max` requests in any `windowMs` (ms). */
export type Window = ReturnType<typeof inMs>;

/** The windows that count a request to an endpoint (`METHOD /path`). */
export function windowsOf({ general, endpoints }: LimitTable, endpoint: string): Window[] {
	const own = endpoints[endpoint];
	return [...general, ...(own === undefined ? [] : [own])].map(inMs);
}

/** The earliest moment (ms) from `at` on at which one more request fits beside those in `times` (sorted). */
export function nextFreeMoment(times: number[], at: number, windows: Window[]): number {
	const earliest = windows.map(({ max, windowMs }) =>
		times.length < max ? at : (times[times.length - max] ?? 0) + windowMs,
	);
	return Math.max(at, ...earliest);
}

/** The moments (ms) of `count` requests that all come at once: each as early as the windows allow. */
export function bestSchedule(count: number, windows: Window[]): number[] {
	const times: number[] = [];
	while (times.length < count) times.push(nextFreeMoment(times, 0, windows));
	return times;
}

/** The best possible time (ms) of the last of `count` requests that all come at once. */
export function bestMakespan(count: number, windows: Window[]): number {
	return bestSchedule(count, windows).at(-1) ?? 0;
}
