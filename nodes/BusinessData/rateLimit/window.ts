/**
 * The slots of a window: running jobs of a Bottleneck limiter whose `maxConcurrent` is the limit. A slot is held from
 * when a request goes out until a window after its response, so the service sees at most `max` requests in any window.
 */
import Bottleneck from 'bottleneck/light';

import { holdMsOf, type Limit } from './limits';
import type { Permit } from './permit';

export class Window {
	private readonly jobs: Bottleneck;
	/** By the permits that have them, oldest first. */
	private readonly slots = new Map<Permit, { end: () => void; timer?: NodeJS.Timeout }>();

	/** @param onFreed called after a slot was given back */
	constructor(
		private readonly limit: Limit,
		private readonly onFreed: () => void,
	) {
		// Bottleneck schedules jobs by the wall clock. With this `minTime`, a clock that is set back delays none.
		this.jobs = new Bottleneck({ maxConcurrent: limit.max, minTime: -Infinity });
		// Bottleneck delays the first job to the next millisecond, so the first one is of no request, and takes no slot.
		void this.jobs.schedule({ weight: 0, priority: 0 }, async () => await Promise.resolve());
	}

	get used(): number {
		return this.slots.size;
	}

	get permits(): Permit[] {
		return [...this.slots.keys()];
	}

	/**
	 * The slot counts at once. With `max`, there must be room. Without it, the request has no limit of this length: in a
	 * full window, the oldest slot that the service has counted makes room.
	 */
	async take(permit: Permit, max?: number): Promise<void> {
		if (max === undefined && this.used >= this.limit.max) {
			const oldest = this.permits.find(({ countedAt }) => countedAt !== undefined);
			if (oldest !== undefined) this.free(oldest);
		}
		let end: () => void = () => undefined;
		const ended = new Promise<void>((resolve) => (end = resolve));
		this.slots.set(permit, { end });
		this.freeInTime(permit);
		// The widest limit of all requests counts.
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

	/** Frees a slot once the window has passed, never before. The timer keeps no process alive. */
	freeInTime(permit: Permit): void {
		const slot = this.slots.get(permit);
		if (slot === undefined || permit.countedAt === undefined) return;
		const leftMs = permit.countedAt + holdMsOf(this.limit.windowMs) - performance.now();
		// A timer counts from the start of its turn of the event loop, so it may fire early.
		if (leftMs <= 0) this.free(permit);
		else slot.timer = setTimeout(() => this.freeInTime(permit), Math.ceil(leftMs)).unref();
	}

	private free(permit: Permit): void {
		const slot = this.slots.get(permit);
		this.slots.delete(permit);
		clearTimeout(slot?.timer);
		slot?.end();
		this.onFreed();
	}
}
