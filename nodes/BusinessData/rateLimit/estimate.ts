/** How long a request would have to wait at the least, from the taken slots and the requests ahead. */
import type { Ticket } from './tickets';
import type { LimitedWindow, Stages } from './scope';

/** The shortest wait (ms) until `count` requests have room at once, see `estimateWaitIn`. */
export function estimateWait(
	{ scope, general, own, pausedMs }: Stages,
	ahead: number,
	count = 1,
	tickets: Ticket[] = [],
): number {
	const ownMs = estimateWaitIn(own.windows, ahead, count, tickets);
	const ofAllMs =
		scope === undefined ? 0 : estimateWaitIn(general.windows, ownMs > 0 ? 0 : ahead, count);
	return Math.max(pausedMs, ownMs, ofAllMs);
}

/**
 * The shortest wait (ms) until `count` requests have room in each of the windows at once, or as many as a
 * window lets through at once, each with a response at once.
 * @param ahead how many others go before, each as early as every window allows
 * @param tickets the tickets whose requests go before, at their times
 */
export function estimateWaitIn(
	windows: LimitedWindow[],
	ahead: number,
	count = 1,
	tickets: Ticket[] = [],
): number {
	const before = ahead + tickets.reduce((sum, { left }) => sum + left, 0);
	// A window that has room for all of them needs no closer look.
	if (windows.every(({ window, room }) => window.used + before + count <= room)) return 0;
	const now = performance.now();
	const states = windows.map(({ room: max, holdMs, window }) => {
		const ofTickets = tickets.flatMap(({ at, left }) => Array<number>(left).fill(at + holdMs));
		return { max, holdMs, freeTimes: sorted([...window.freeTimes(now), ...ofTickets]) };
	});
	// When so many slots are free in every window, or all slots of a smaller one; not before `time`.
	const freeAt = (time: number, wanted: number) =>
		states.reduce((latest, { max, freeTimes }) => {
			const missing = freeTimes.length + Math.min(wanted, max) - max;
			return Math.max(latest, freeTimes[missing - 1] ?? now);
		}, time);
	// Every `max` requests take one more turn of the slowest window: no need to simulate each.
	const slowest = states.reduce((a, b) => (b.holdMs / b.max > a.holdMs / a.max ? b : a));
	const turns = Math.floor(ahead / slowest.max);
	let time = now;
	for (let request = 0; request < ahead % slowest.max; request++) {
		time = freeAt(time, 1);
		for (const { freeTimes, holdMs } of states) {
			freeTimes.push(time + holdMs);
			sorted(freeTimes);
		}
	}
	return freeAt(time, count) - now + turns * slowest.holdMs;
}

function sorted(times: number[]): number[] {
	return times.sort((a, b) => a - b);
}
