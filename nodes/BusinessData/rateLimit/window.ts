/**
 * One window of a key: a slot is a running job of a Bottleneck limiter, and `maxConcurrent` is the limit. A
 * slot is held from the moment a request goes out until the window has passed after its response, so the
 * service never sees more than `max` requests in any window, wherever it begins.
 */
import type Bottleneck from 'bottleneck';

import { atMost, schedule } from './bottleneck';
import type { ForeignUse } from './foreignUse';
import { holdMsOf, type Limit, windowName } from './limits';

/** One place in a window. Of the two ways to give it back, the first one called takes effect. */
export interface Slot {
	/** Gives it back when the window has passed, `lateMs` (ms) later than from now. */
	hold(lateMs: number): void;
	/** Gives it back at once: no request was counted for it. */
	free(): void;
}

export class Window {
	/** Made for its first job, because Bottleneck plans that by the wall clock of its own making. */
	private places: Bottleneck | undefined;

	/** How many slots are taken by requests whose response has not arrived. */
	underWay = 0;

	/** The slots that are held for a known time: when (ms, `performance.now()`) each comes free. */
	private readonly held = new Set<{ freeAt: number }>();

	constructor(
		private readonly windowMs: number,
		private max: number,
		/** Called after a slot was given back. */
		private readonly onFreed: () => void,
	) {}

	get used(): number {
		return this.underWay + this.held.size;
	}

	/** Lets at most `max` requests through from now on; what is held already stays held. */
	setMax(max: number): void {
		if (max === this.max) return;
		this.max = max;
		this.places?.updateSettings({ maxConcurrent: max });
	}

	/** Resolves with a slot when one is free. @throws the signal's reason when it aborts before */
	async take(signal: AbortSignal): Promise<Slot> {
		const places = (this.places ??= atMost(this.max));
		return await new Promise<Slot>((granted, failed) => {
			const holdPlace = async () => {
				await new Promise<void>((giveBack) => granted(this.slot(giveBack)));
			};
			schedule(places, 5, signal, holdPlace).catch(failed);
		});
	}

	/**
	 * The moments (ms, `performance.now()`) at which the taken slots come free at the earliest, in order. A
	 * request still under way is taken to be answered at `now`.
	 */
	freeTimes(now: number): number[] {
		const soonest = new Array<number>(this.underWay).fill(now + holdMsOf(this.windowMs));
		return [...[...this.held].map(({ freeAt }) => freeAt), ...soonest].sort((a, b) => a - b);
	}

	private slot(giveBack: () => void): Slot {
		this.underWay++;
		let isOver = false;
		const end = (then: () => void) => {
			if (isOver) return;
			isOver = true;
			this.underWay--;
			then();
		};
		const free = () => {
			giveBack();
			this.onFreed();
		};
		return {
			free: () => end(free),
			hold: (lateMs) =>
				end(() => {
					const held = { freeAt: performance.now() + holdMsOf(this.windowMs) + lateMs };
					this.held.add(held);
					at(held.freeAt, () => {
						this.held.delete(held);
						free();
					});
				}),
		};
	}
}

/** Calls `then` at `time` (ms, `performance.now()`), never before. It alone keeps no process alive. */
function at(time: number, then: () => void): void {
	const leftMs = time - performance.now();
	// A timer counts from the start of its turn of the event loop, so it may fire early.
	if (leftMs <= 0) then();
	else setTimeout(() => at(time, then), Math.ceil(leftMs)).unref();
}

/** A limit as a request comes under it, and the window that counts. */
export interface LimitedWindow extends Limit {
	name: string;
	/** How long (ms) a slot stays taken after its response. */
	holdMs: number;
	window: Window;
	/** Who else uses it. */
	foreign: ForeignUse;
}

/** @param windows those of the key by their name; it is put there on first use */
export function limitedBy(
	limit: Limit,
	scope: string,
	windows: Map<string, Window>,
	foreign: ForeignUse,
	onFreed: () => void,
): LimitedWindow {
	const { max, windowMs } = limit;
	const name = windowName(scope, limit);
	const window = windows.get(name) ?? new Window(windowMs, max, onFreed);
	windows.set(name, window);
	return { name, max, windowMs, holdMs: holdMsOf(windowMs), window, foreign };
}

/** The first of the windows that has no room; undefined when a slot can be taken in each. */
export function fullOf(windows: LimitedWindow[]): LimitedWindow | undefined {
	return windows.find((limited) => limited.window.used >= roomIn(limited));
}

/** How many of our requests a window takes beside those of others. */
export function roomIn(limited: LimitedWindow): number {
	return limited.foreign.roomIn(limited);
}

/** Waits until the window has room. @throws the signal's reason */
export async function untilRoomIn(limited: LimitedWindow, signal: AbortSignal): Promise<void> {
	(await take(limited, signal)).free();
}

/**
 * Takes a slot in each window, which all have room.
 * @throws the signal's reason, or an error of Bottleneck's own; no slot is taken then
 */
export async function takeEach(windows: LimitedWindow[], signal: AbortSignal): Promise<Slot[]> {
	const results = await Promise.allSettled(
		windows.map(async (limited) => await take(limited, signal)),
	);
	const slots = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
	const failed = results.find((one) => one.status === 'rejected');
	if (failed === undefined && !signal.aborted) return slots;
	freeAll(slots);
	throw failed?.reason ?? signal.reason;
}

/** Whoever takes is alone at the gate, so the limit may be that of its request. */
async function take(limited: LimitedWindow, signal: AbortSignal): Promise<Slot> {
	limited.window.setMax(roomIn(limited));
	return await limited.window.take(signal);
}

/** Gives all slots back at once. */
export function freeAll(slots: Slot[]): void {
	for (const slot of slots) slot.free();
}
