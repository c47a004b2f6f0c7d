/** Slots that are held for a known time: one timer gives back all that are due. */

/** Node's timers hold no more than 2³¹ − 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** From so many entries on, those that are gone are cut off. */
const MOST_GONE = 32;

interface Held {
	freeAt: number;
	giveBack: () => void;
}

export class HeldSlots {
	/** In the order in which they come free. */
	private held: Held[] = [];

	/** Index of the first one that was not given back. */
	private first = 0;

	private timer: NodeJS.Timeout | undefined;

	/** @param onFreed called after slots were given back */
	constructor(private readonly onFreed: () => void) {}

	get count(): number {
		return this.held.length - this.first;
	}

	/** When (ms, `performance.now()`) the slots come free, in order. */
	get freeTimes(): number[] {
		return this.held.slice(this.first).map(({ freeAt }) => freeAt);
	}

	/** Calls `giveBack` at `freeAt` (ms, `performance.now()`), never before. */
	add(freeAt: number, giveBack: () => void): void {
		const index = this.indexFor(freeAt);
		// Nearly always at the end, because nearly all are held for the same time.
		if (index === this.held.length) this.held.push({ freeAt, giveBack });
		else this.held.splice(index, 0, { freeAt, giveBack });
		if (index === this.first) this.setTimer();
	}

	/** Where a slot belongs that comes free at `freeAt`. */
	private indexFor(freeAt: number): number {
		let [low, high] = [this.first, this.held.length];
		if ((this.held[high - 1]?.freeAt ?? 0) <= freeAt) return high;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if ((this.held[middle]?.freeAt ?? 0) <= freeAt) low = middle + 1;
			else high = middle;
		}
		return low;
	}

	private setTimer(): void {
		clearTimeout(this.timer);
		const next = this.held[this.first];
		if (next === undefined) return;
		const leftMs = Math.max(1, Math.ceil(next.freeAt - performance.now()));
		// Held slots alone keep no process alive.
		this.timer = setTimeout(() => this.freeDue(), Math.min(leftMs, LONGEST_TIMER_MS)).unref();
	}

	private freeDue(): void {
		// A timer counts from the start of its event-loop turn, so it may fire a little early.
		const now = performance.now();
		const firstBefore = this.first;
		for (let next = this.held[this.first]; next !== undefined; next = this.held[this.first]) {
			if (next.freeAt > now) break;
			this.first++;
			next.giveBack();
		}
		const hasFreed = this.first > firstBefore;
		if (this.first >= MOST_GONE || this.first === this.held.length) {
			this.held.splice(0, this.first);
			this.first = 0;
		}
		this.setTimer();
		if (hasFreed) this.onFreed();
	}
}
