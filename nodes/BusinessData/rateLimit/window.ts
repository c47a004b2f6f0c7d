/**
 * The slots of a window: running jobs of a Bottleneck limiter whose `maxConcurrent` is the limit. A slot is held from the
 * start of a request until one window after its response, so the service sees at most `max` requests in any window.
 */
import Bottleneck from 'bottleneck/light';

import { holdMsOf, type Limit } from './limits';

/** A request that has a slot in each window that counts it. Times are ms of `performance.now()`. */
export interface SlotHolder {
	/** When the service counted it, at the latest; undefined until it has ended, -Infinity for never. */
	countedAt: number | undefined;
	/** Its ID in the limit store, if it is known there, and when its slots there were requested. */
	id: string | undefined;
	takenAt: number;
	readonly request: { inFlightMs: number; limitStore?: unknown };
}

export class Window {
	private readonly jobs: Bottleneck;
	/** Oldest first. */
	private readonly slots = new Map<SlotHolder, { end: () => void; timer?: NodeJS.Timeout }>();

	/** @param onFreed called after a slot was freed */
	constructor(
		private readonly limit: Limit,
		private readonly onFreed: () => void,
	) {
		// Bottleneck schedules by the wall clock. With this `minTime`, no job is delayed if the clock is set back.
		this.jobs = new Bottleneck({ maxConcurrent: limit.max, minTime: -Infinity });
		// Bottleneck delays its first job to the next millisecond, so that is an empty one, which takes no slot.
		void this.jobs.schedule({ weight: 0, priority: 0 }, async () => await Promise.resolve());
	}

	get used(): number {
		return this.slots.size;
	}

	get holders(): SlotHolder[] {
		return [...this.slots.keys()];
	}

	/**
	 * Takes a slot, which counts at once. With `max`, there must be room. Without it, the request has no limit of this
	 * length, so in a full window, the oldest slot of a request that has ended makes room.
	 */
	async take(holder: SlotHolder, max?: number): Promise<void> {
		if (max === undefined && this.used >= this.limit.max) {
			const oldest = this.holders.find(({ countedAt }) => countedAt !== undefined);
			if (oldest !== undefined) this.free(oldest);
		}
		let end: () => void = () => undefined;
		const ended = new Promise<void>((resolve) => (end = resolve));
		this.slots.set(holder, { end });
		this.freeInTime(holder);
		// The window is as wide as the widest limit of all requests.
		const most = Math.max(max ?? 0, this.used);
		if (most > this.limit.max) this.jobs.updateSettings({ maxConcurrent: (this.limit.max = most) });
		await new Promise<void>((placed, failed) => {
			const job = async () => {
				placed();
				await ended;
			};
			this.jobs.schedule(job).catch(failed);
		});
	}

	/** Frees the slot once the window has passed, never before. The timer does not keep the process alive. */
	freeInTime(holder: SlotHolder): void {
		const slot = this.slots.get(holder);
		if (slot === undefined || holder.countedAt === undefined) return;
		const leftMs = holder.countedAt + holdMsOf(this.limit.windowMs) - performance.now();
		// A timer counts from the start of its turn of the event loop, so it may fire early.
		if (leftMs <= 0) this.free(holder);
		else slot.timer = setTimeout(() => this.freeInTime(holder), Math.ceil(leftMs)).unref();
	}

	private free(holder: SlotHolder): void {
		const slot = this.slots.get(holder);
		this.slots.delete(holder);
		clearTimeout(slot?.timer);
		slot?.end();
		this.onFreed();
	}
}
