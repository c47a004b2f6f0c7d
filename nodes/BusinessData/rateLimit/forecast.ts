/** How long a request would have to wait at the least, from the slots that are taken and who is ahead. */
import type { Promised } from './promises';
import type { LimitedWindow, Stages } from './scope';

/** The shortest wait (ms) of a request that `ahead` others go before. */
export function waitFor({ scope, general, pausedMs }: Stages, ahead: number): number {
	const ofScopeMs = scope === undefined ? 0 : waitIn(scope.windows, ahead);
	const ofAllMs = waitIn(general.windows, ofScopeMs > 0 ? 0 : ahead);
	return Math.max(pausedMs, ofScopeMs, ofAllMs);
}

/**
 * The shortest wait (ms) until `count` requests have room at once, after those that wait.
 * @param promised to whom room was promised before
 */
export function waitForRoom(stages: Stages, count: number, promised: Promised[]): number {
	const { scope, general, own, pausedMs } = stages;
	const ownMs = waitIn(own.windows, own.scope.lines.size, count, promised);
	const ofAllMs = scope === undefined ? 0 : waitIn(general.windows, 0, count);
	return Math.max(pausedMs, ownMs, ofAllMs);
}

/**
 * The shortest wait (ms) until `count` requests have room in each of the windows at once, or as many as a
 * window lets through at once, each answered at once.
 * @param ahead how many others go before, each as early as every window allows
 * @param promised those to whom room was promised go before at their moments
 */
export function waitIn(
	windows: LimitedWindow[],
	ahead: number,
	count = 1,
	promised: Promised[] = [],
): number {
	const before = ahead + promised.reduce((sum, { left }) => sum + left, 0);
	// A window that has room for all of them needs no closer look.
	if (windows.every(({ window, room }) => window.used + before + count <= room)) return 0;
	const now = performance.now();
	const states = windows.map(({ room: max, holdMs, window }) => {
		const ofPromised = promised.flatMap(({ at, left }) => Array<number>(left).fill(at + holdMs));
		return { max, holdMs, freeTimes: inOrder([...window.freeTimes(now), ...ofPromised]) };
	});
	// Every `max` requests take one more turn of the slowest window: no need to play them all through.
	const slowest = states.reduce((a, b) => (b.holdMs / b.max > a.holdMs / a.max ? b : a));
	const turns = Math.floor(ahead / slowest.max);
	let time = now;
	for (let request = 0; request < ahead % slowest.max; request++) {
		time = Math.max(time, ...states.map((state) => freeAt(state, 1, now)));
		for (const { freeTimes, holdMs } of states) {
			freeTimes.push(time + holdMs);
			inOrder(freeTimes);
		}
	}
	time = Math.max(time, ...states.map((state) => freeAt(state, count, now)));
	return time - now + turns * slowest.holdMs;
}

/** When (ms) each taken slot of a window comes free, in ascending order. */
interface FreeTimes {
	max: number;
	freeTimes: number[];
}

/** When (ms) so many slots are free at once, or all of them. */
function freeAt({ max, freeTimes }: FreeTimes, count: number, now: number): number {
	const missing = freeTimes.length + Math.min(count, max) - max;
	return missing > 0 ? (freeTimes[missing - 1] ?? now) : now;
}

function inOrder(times: number[]): number[] {
	return times.sort((a, b) => a - b);
}
