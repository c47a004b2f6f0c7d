/** A pause of a queue after a refusal, and how many refusals came in a row. */
import { sleep } from './abort';

export class Pause {
	private until = 0;

	private refusals = 0;

	/** How long (ms) the pause still lasts; 0 when there is none. */
	get leftMs(): number {
		return Math.max(0, this.until - performance.now());
	}

	/** Resolves when no pause is left. @throws the signal's reason as soon as it aborts. */
	async passed(signal: AbortSignal): Promise<void> {
		while (this.leftMs > 0) await sleep(Math.ceil(this.leftMs), signal);
	}

	/** Pauses for `ms` from now, unless it is paused for longer already. */
	extend(ms: number): void {
		this.until = Math.max(this.until, performance.now() + ms);
	}

	/**
	 * Counts a refusal of a request that went out at `sentAt` (ms, `performance.now()`); those that were
	 * under way together count as one. Returns how many there were in a row before this one.
	 */
	refused(sentAt: number): number {
		if (sentAt >= this.until || this.refusals === 0) this.refusals++;
		return this.refusals - 1;
	}

	/** A request that went out at `sentAt` was let through. */
	letThrough(sentAt: number): void {
		if (sentAt >= this.until) this.refusals = 0;
	}
}
