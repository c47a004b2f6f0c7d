/** The clocks of one machine: one that only runs, a little too fast or too slow, and one that is set. */

export class Clock {
	private steppedMs = 0;

	constructor(
		private readonly worldNow: () => number,
		/** When (ms since 1970) by the wall clock the world began. */
		private readonly beginsAt: number,
		/** Seconds gained per second. */
		private readonly drift: number,
		/** When (ms of the world's time) the monotonic clock was 0. */
		private readonly bootedAt: number,
	) {}

	/** Milliseconds since the start, as `performance.now()` gives them. */
	monotonic(): number {
		return (this.worldNow() - this.bootedAt) * (1 + this.drift);
	}

	/** Milliseconds since 1970, as `Date.now()` gives them before it cuts them. */
	wall(): number {
		return this.beginsAt + this.worldNow() * (1 + this.drift) + this.steppedMs;
	}

	/** When (ms of the world's time) the monotonic clock shows `ms`. */
	worldTimeOf(ms: number): number {
		return this.bootedAt + ms / (1 + this.drift);
	}

	step(ms: number): void {
		this.steppedMs += ms;
	}
}
