/** How long a request would have to wait at the least, from the slots that are taken and who is ahead. */
import type { Promised } from './promises';
import type { LimitedWindow } from './window';

/** The shortest wait (ms) for a slot in each of the windows with `ahead` requests before. */
export function waitFor(windows: LimitedWindow[], ahead: number): number {
	return waitForRoom(windows, ahead, 1, []);
}

/**
 * The shortest wait (ms) until `count` requests have room in each of the windows at once, or as many as a
 * window lets through at once.
 * @param ahead how many requests go before, as early as they can
 * @param promised to whom room was promised; they go before at their moments
 */
export function waitForRoom(
	windows: LimitedWindow[],
	ahead: number,
	count: number,
	promised: Promised[],
): number {
	const now = performance.now();
	const before = ahead + promised.reduce((sum, { left }) => sum + left, 0);
	// A window that has room for all of them needs no closer look.
	if (windows.every(({ window, room }) => window.used + before + count <= room)) return 0;
	const states = windows.map(({ room, holdMs, window }) => ({
		max: room,
		holdMs,
		freeTimes: [...window.freeTimes(now), ...promisedTimes(promised, holdMs)].sort((a, b) => a - b),
	}));
	return shortestWait(states, ahead, now, count);
}

/** When (ms) the slots of promised requests come free, if they go out as promised. */
function promisedTimes(promised: Promised[], holdMs: number): number[] {
	return promised.flatMap(({ at, left }) => Array<number>(left).fill(at + holdMs));
}

/** What a forecast needs to know of one window. */
export interface WindowState {
	max: number;
	/** How long (ms) a slot stays taken. */
	holdMs: number;
	/** When (ms) each taken slot comes free, in ascending order. */
	freeTimes: number[];
}

/**
 * The shortest time (ms) after `now` at which `count` requests can go out at once when `ahead` others go
 * before them, each as early as every window allows and answered at once.
 */
export function shortestWait(
	windows: WindowState[],
	ahead: number,
	now: number,
	count = 1,
): number {
	if (windows.length === 0) return 0;
	// Every `max` requests take one more turn of the slowest window: no need to play them all through.
	const slowest = windows.reduce((a, b) => (b.holdMs / b.max > a.holdMs / a.max ? b : a));
	const turns = Math.floor(ahead / slowest.max);
	const simulated = windows.map(
		({ max, holdMs, freeTimes }) => new FreeSlots(max, holdMs, freeTimes),
	);
	let time = now;
	for (let request = 0; request < ahead % slowest.max; request++) {
		time = Math.max(time, ...simulated.map((slots) => slots.next(now)));
		for (const slots of simulated) slots.take(time);
	}
	time = Math.max(time, ...simulated.map((slots) => slots.next(now, count)));
	return time - now + turns * slowest.holdMs;
}

/** The moments at which the slots of a window come free, earliest first. */
class FreeSlots {
	private readonly times: number[];

	/** Index of the earliest moment not used yet. */
	private first = 0;

	constructor(
		private readonly max: number,
		private readonly holdMs: number,
		freeTimes: number[],
	) {
		// More may be taken than the limit allows when the limit was lowered meanwhile.
		this.times = freeTimes.slice(Math.max(0, freeTimes.length - max));
	}

	/** When so many slots are free at once, or all of them; not before `now` (ms). */
	next(now: number, count = 1): number {
		const missing = this.times.length - this.first + Math.min(count, this.max) - this.max;
		return missing > 0 ? (this.times[this.first + missing - 1] ?? now) : now;
	}

	take(time: number): void {
		if (this.times.length - this.first >= this.max) this.first++;
		const freeAt = time + this.holdMs;
		let index = this.times.length;
		while (index > this.first && (this.times[index - 1] ?? 0) > freeAt) index--;
		this.times.splice(index, 0, freeAt);
	}
}
