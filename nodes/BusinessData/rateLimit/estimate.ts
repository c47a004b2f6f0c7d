/** Estimates how long requests have to wait at least, from the slots in use and the requests ahead. */
import type { EndpointUse } from './endpointLimiter';
import { holdMsOf, type NamedLimit } from './limits';

/** `freeAt`: when (ms, `performance.now()`) each slot in use will be free. */
export type WindowState = NamedLimit & { room: number; holdMs: number; freeAt: number[] };

export function windowStates({ endpoint, limits, countedAt }: EndpointUse): WindowState[] {
	const now = performance.now();
	return limits.map((limit) => {
		const holdMs = holdMsOf(limit.windowMs);
		const freeAt = countedAt.map((at) => at + holdMs).filter((at) => at > now);
		return { ...limit, room: endpoint.otherClients.roomIn(limit), holdMs, freeAt };
	});
}

/**
 * The shortest wait (ms) until every window has room for `count` requests, or is empty if it admits fewer. Assumes that
 * responses come at once.
 * @param ahead how many other requests go first, each as early as every window allows
 */
export function estimateWait(windows: WindowState[], ahead: number, count = 1): number {
	if (windows.every(({ room, freeAt }) => freeAt.length + ahead + count <= room)) return 0;
	const now = performance.now();
	const states = windows.map((one) => ({ ...one, freeAt: [...one.freeAt].sort((a, b) => a - b) }));
	/** When every window has `wanted` free slots, or is empty if it is smaller; not before `time`. */
	const roomAt = (time: number, wanted: number) =>
		states.reduce((latest, { room, freeAt }) => {
			const missing = freeAt.length + Math.min(wanted, room) - room;
			return Math.max(latest, freeAt[missing - 1] ?? now);
		}, time);
	// Every `room` requests take a round of the slowest window, so only the remainder is simulated.
	const slowest = states.reduce((a, b) => (b.holdMs / b.room > a.holdMs / a.room ? b : a));
	const rounds = Math.floor(ahead / slowest.room);
	let time = now;
	for (let request = 0; request < ahead % slowest.room; request++) {
		time = roomAt(time, 1);
		for (const { holdMs, freeAt } of states) {
			const end = time + holdMs;
			freeAt.splice(freeAt.findLastIndex((at) => at <= end) + 1, 0, end);
		}
	}
	return roomAt(time, count) - now + rounds * slowest.holdMs;
}
