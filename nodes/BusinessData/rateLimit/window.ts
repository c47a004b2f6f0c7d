/**
 * The windows of a scope, and the slots in them. In each window a slot is a running job of a Bottleneck limiter,
 * and `maxConcurrent` is the limit. It is held from the moment a request goes out until the window has passed
 * after its response, so the service never sees more than `max` requests in any window, wherever it begins.
 */
import type Bottleneck from 'bottleneck';

import { LONGEST_TIMER_MS, sleep } from '../async';
import { atMost } from './bottleneck';
import { holdMsOf } from './limits';

export class Window {
	/** How long (ms) a slot stays taken after its response. */
	readonly holdMs: number;

	private readonly jobs: Bottleneck;

	/** The taken slots, oldest first. */
	private readonly slots = new Set<Slot>();

	/** Called when a slot is given back. */
	private readonly waiting = new Set<() => void>();

	/** How many jobs may run at once. */
	private most: number;

	constructor(
		windowMs: number,
		private max: number,
		/** Called after a slot was given back. */
		private readonly onFreed: () => void,
	) {
		this.holdMs = holdMsOf(windowMs);
		this.most = max;
		this.jobs = atMost(max);
	}

	get used(): number {
		return this.slots.size;
	}

	/** How many slots are taken by requests whose response has not arrived. */
	get underWay(): number {
		return [...this.slots].filter(({ countedAt }) => countedAt === undefined).length;
	}

	/**
	 * The moments (ms, `performance.now()`) at which the taken slots come free at the earliest. A request still under
	 * way counts as if its response came `now`.
	 */
	freeTimes(now: number): number[] {
		return [...this.slots].map(({ countedAt = now }) => countedAt + this.holdMs);
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
	 * Takes a place for a slot.
	 * @param max the limit, in which there must be room; the widest limit of all runs applies. Undefined where the
	 * request has no limit of this length: then the oldest slot that the service has counted makes room.
	 */
	add(slot: Slot, max?: number): void {
		this.max = Math.max(this.max, max ?? 0);
		if (max === undefined && this.used >= this.max) {
			[...this.slots].find(({ countedAt }) => countedAt !== undefined)?.leave(this);
		}
		this.slots.add(slot);
		const most = Math.max(this.max, this.used);
		if (most > this.most) this.jobs.updateSettings({ maxConcurrent: (this.most = most) });
		let end: () => void = () => undefined;
		const ended = new Promise<void>((resolve) => (end = resolve));
		const placed = new Promise<void>((running, failed) => {
			const job = async () => {
				running();
				await ended;
			};
			this.jobs.schedule(job).catch(failed);
		});
		slot.enter(this, placed, () => {
			end();
			this.slots.delete(slot);
			for (const resolve of this.waiting) resolve();
			this.onFreed();
		});
	}
}

interface Place {
	/** Gives it back. */
	leave: () => void;
	timer?: NodeJS.Timeout;
}

/** One request in all windows of a scope; it ends in one of two ways. */
export class Slot {
	/** When (ms, `performance.now()`) the service has counted it at the latest; undefined while it is under way. */
	countedAt: number | undefined;

	private readonly places = new Map<Window, Place>();

	private readonly allPlaced: Array<Promise<void>> = [];

	/** @param onGone called when no window has it any more */
	constructor(private readonly onGone: () => void) {}

	/** Settles when it has a place in every window, or with an error of Bottleneck's own. */
	get placed(): Promise<unknown> {
		return Promise.all(this.allPlaced);
	}

	/** It has a place in one more window. */
	enter(window: Window, placed: Promise<void>, leave: () => void): void {
		// The caller may have given up waiting.
		placed.catch(() => undefined);
		this.allPlaced.push(placed);
		this.places.set(window, { leave });
		this.leaveInTime(window);
	}

	/** Gives its place in a window back. */
	leave(window: Window): void {
		const place = this.places.get(window);
		this.places.delete(window);
		clearTimeout(place?.timer);
		if (this.places.size === 0) this.onGone();
		place?.leave();
	}

	/** Gives it back at once: no request was counted for it. */
	free(): void {
		this.onGone();
		for (const window of this.places.keys()) this.leave(window);
	}

	/** Gives it back in each window when that has passed, `lateMs` (ms) later than from now. */
	hold(lateMs: number): void {
		this.countedAt = performance.now() + lateMs;
		if (this.places.size === 0) this.onGone();
		for (const window of this.places.keys()) this.leaveInTime(window);
	}

	/** Leaves a window when it has passed, never before. Its timer alone keeps no process alive. */
	private leaveInTime(window: Window): void {
		const place = this.places.get(window);
		if (place === undefined || this.countedAt === undefined) return;
		const leftMs = this.countedAt + window.holdMs - performance.now();
		// A timer counts from the start of its turn of the event loop, so it may fire early.
		if (leftMs <= 0) this.leave(window);
		else place.timer = setTimeout(() => this.leaveInTime(window), Math.ceil(leftMs)).unref();
	}
}
