/** The clocks of one machine: a monotonic clock that drifts a little, and a wall clock that can be set. */

export class Clock {
	private steppedMs = 0;

	constructor(
		private readonly worldNow: () => number,
		/** The time (ms since 1970) of the wall clock when the world began. */
		private readonly beginsAt: number,
		/** Seconds gained per second. */
		private readonly drift: number,
		/** When (ms of world time) the monotonic clock was 0. */
		private readonly bootedAt: number,
	) {}

	/** Milliseconds since the start, like `performance.now()`. */
	monotonic(): number {
		return (this.worldNow() - this.bootedAt) * (1 + this.drift);
	}

	/** Milliseconds since 1970, like `Date.now()` but not truncated. */
	wall(): number {
		return this.beginsAt + this.worldNow() * (1 + this.drift) + this.steppedMs;
	}

	/** When (ms of world time) the monotonic clock shows `ms`. */
	worldTimeOf(ms: number): number {
		return this.bootedAt + ms / (1 + this.drift);
	}

	step(ms: number): void {
		this.steppedMs += ms;
	}
}
