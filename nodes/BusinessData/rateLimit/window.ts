/**
 * One window of a key: a slot is a running job of a Bottleneck limiter, and `maxConcurrent` is the limit. A
 * slot is held from the moment a request goes out until the window has passed after its response, so the
 * service never sees more than `max` requests in any window, wherever it begins.
 */
import type Bottleneck from 'bottleneck';

import { LONGEST_TIMER_MS, sleep } from '../waiting';
import { atMost } from './bottleneck';

export class Window {
	private readonly places: Bottleneck;

	/** Those that are taken. */
	private readonly slots = new Set<Slot>();

	/** Called when a slot is given back. */
	private readonly waiting = new Set<() => void>();

	constructor(
		/** How long (ms) a slot stays taken after its response. */
		private readonly holdMs: number,
		private max: number,
		/** Called after a slot was given back. */
		private readonly onFreed: () => void,
	) {
		this.places = atMost(max);
	}

	get used(): number {
		return this.slots.size;
	}

	/** How many slots are taken by requests whose response has not arrived. */
	get underWay(): number {
		return [...this.slots].filter(({ freeAt }) => freeAt === undefined).length;
	}

	/**
	 * The moments (ms, `performance.now()`) at which the taken slots come free at the earliest. A request
	 * still under way is taken to be answered at `now`.
	 */
	freeTimes(now: number): number[] {
		return [...this.slots].map(({ freeAt }) => freeAt ?? now + this.holdMs);
	}

	/**
	 * Resolves when a slot was given back, or after `mostMs` (ms).
	 * @throws the signal's reason when it aborts before
	 */
	async untilFreed(signal: AbortSignal, mostMs = LONGEST_TIMER_MS): Promise<void> {
		let resolve: () => void = () => undefined;
		const freed = new Promise<void>((done) => this.waiting.add((resolve = done)));
		try {
			await sleep(mostMs, signal, freed);
		} finally {
			this.waiting.delete(resolve);
		}
	}

	/**
	 * Takes a slot; there must be room for it.
	 * @param max the limit; of several, that of different runs, the widest holds here
	 */
	take(max: number): Slot {
		if (max > this.max) {
			this.max = max;
			this.places.updateSettings({ maxConcurrent: max });
		}
		const slot = new Slot(this.places, this.holdMs, () => {
			this.slots.delete(slot);
			for (const resolve of this.waiting) resolve();
			this.onFreed();
		});
		this.slots.add(slot);
		return slot;
	}
}

/** A running job of a window, which ends in one of two ways. */
export class Slot {
	/** When (ms, `performance.now()`) it comes free; undefined until the response has arrived. */
	freeAt: number | undefined;

	/** Settles when the job runs, or with an error of Bottleneck's own. */
	readonly placed: Promise<void>;

	/** Gives it back at once: no request was counted for it. */
	readonly free: () => void;

	constructor(
		places: Bottleneck,
		private readonly holdMs: number,
		onFreed: () => void,
	) {
		let end: () => void = () => undefined;
		const ended = new Promise<void>((resolve) => (end = resolve));
		this.placed = new Promise((placed, failed) => {
			const job = async () => {
				placed();
				await ended;
			};
			places.schedule(job).catch(failed);
		});
		// Nobody may be waiting for it any more.
		this.placed.catch(() => undefined);
		this.free = () => {
			end();
			onFreed();
		};
	}

	/** Gives it back when the window has passed, `lateMs` (ms) later than from now. */
	hold(lateMs: number): void {
		this.freeAt = performance.now() + this.holdMs + lateMs;
		at(this.freeAt, this.free);
	}
}

/** Calls `then` at `time` (ms, `performance.now()`), never before. It alone keeps no process alive. */
function at(time: number, then: () => void): void {
	const leftMs = time - performance.now();
	// A timer counts from the start of its turn of the event loop, so it may fire early.
	if (leftMs <= 0) then();
	else setTimeout(() => at(time, then), Math.ceil(leftMs)).unref();
}
