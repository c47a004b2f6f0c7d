/**
 * One window of a key: a slot is a running job of a Bottleneck limiter, and `maxConcurrent` is the limit. A
 * slot is held from the moment a request goes out until the window has passed after its response, so the
 * service never sees more than `max` requests in any window, wherever it begins.
 */
import type Bottleneck from 'bottleneck';

import { onceAborted } from '../waiting';
import { atMost, schedule } from './bottleneck';
import type { ForeignUse } from './foreignUse';
import type { LedgerWindow } from './ledger';
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

	/** Called when a slot is given back. */
	private readonly waiting = new Set<() => void>();

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

	/**
	 * Resolves when a slot was given back, or after `mostMs` (ms).
	 * @throws the signal's reason when it aborts before
	 */
	async untilFreed(signal: AbortSignal, mostMs?: number): Promise<void> {
		let resolve: () => void = () => undefined;
		const freed = new Promise<void>((done) => this.waiting.add((resolve = done)));
		const timer = mostMs === undefined ? undefined : setTimeout(resolve, mostMs);
		try {
			await onceAborted(freed, signal);
		} finally {
			clearTimeout(timer);
			this.waiting.delete(resolve);
		}
	}

	/**
	 * Resolves with a slot when one is free.
	 * @param max the limit; of several, that of different runs, the widest holds here
	 * @throws the signal's reason when it aborts before
	 */
	async take(max: number, signal: AbortSignal): Promise<Slot> {
		if (max > this.max) {
			this.max = max;
			this.places?.updateSettings({ maxConcurrent: max });
		}
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
			for (const resolve of this.waiting) resolve();
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
export class LimitedWindow implements LedgerWindow {
	readonly name: string;

	readonly max: number;

	readonly windowMs: number;

	readonly holdMs: number;

	readonly window: Window;

	/**
	 * @param windows those of the key by their name; the window is put there on first use
	 * @param foreign who else uses it
	 */
	constructor(
		limit: Limit,
		scope: string,
		windows: Map<string, Window>,
		readonly foreign: ForeignUse,
		onFreed: () => void,
	) {
		({ max: this.max, windowMs: this.windowMs } = limit);
		this.name = windowName(scope, limit);
		this.holdMs = holdMsOf(this.windowMs);
		this.window = windows.get(this.name) ?? new Window(this.windowMs, this.max, onFreed);
		windows.set(this.name, this.window);
	}

	get room(): number {
		return this.foreign.roomIn(this);
	}

	/** Waits until there may be room. @throws the signal's reason when it aborts before */
	async untilRoom(signal: AbortSignal): Promise<void> {
		// Room also comes with what is forgotten of others.
		const turnMs = this.foreign.isKnown ? this.windowMs / this.max : undefined;
		await this.window.untilFreed(signal, turnMs);
	}
}

/** The first of the windows that has no room; undefined when a slot can be taken in each. */
export function fullOf(windows: LimitedWindow[]): LimitedWindow | undefined {
	return windows.find(({ window, room }) => window.used >= room);
}

/**
 * Takes a slot in each window, which all have room.
 * @throws the signal's reason, or an error of Bottleneck's own; no slot is taken then
 */
export async function takeEach(windows: LimitedWindow[], signal: AbortSignal): Promise<Slot[]> {
	const results = await Promise.allSettled(
		windows.map(async ({ window, max }) => await window.take(max, signal)),
	);
	const slots = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
	const failed = results.find((one) => one.status === 'rejected');
	if (failed === undefined && !signal.aborted) return slots;
	freeAll(slots);
	throw failed?.reason ?? signal.reason;
}

/** Gives all slots back at once. */
export function freeAll(slots: Slot[]): void {
	for (const slot of slots) slot.free();
}
