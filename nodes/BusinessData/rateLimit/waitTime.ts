/** What a request waits for, and for how long. */

/** A pause after the service refused a request of the key in spite of its slots. */
export const REFUSAL = 'refusal';

/** A pause that the service has asked for in the headers of a response. */
export const PAUSE = 'pause';

/** A window that was full, or a pause. */
export type WaitCause =
	{ name: string; max: number; windowMs: number } | typeof REFUSAL | typeof PAUSE;

/** The request would wait longer than it may; nothing was sent. */
export class WaitTooLongError extends Error {
	constructor(
		/** How long (ms) the request would have to wait still, at the least. */
		readonly retryAfterMs: number,
		/** Whether the service has asked for a pause that is too long to wait for, see `Stages`. */
		readonly isRequested?: boolean,
	) {
		super(`The wait would take at least ${Math.ceil(retryAfterMs / 1000)} s`);
		this.name = 'WaitTooLongError';
	}
}

/** The wait of one request, in stages with a cause each. */
export class WaitTime {
	/** When (ms, `performance.now()`) it began. */
	readonly startedAt = performance.now();

	/** What most of the time was spent for. */
	longestCause: WaitCause | undefined;

	private longestMs = 0;

	private stageStartedAt = this.startedAt;

	/** The time since the last call, or since the beginning, was spent for this. */
	spentFor(cause: WaitCause | undefined): void {
		const now = performance.now();
		const ms = now - this.stageStartedAt;
		this.stageStartedAt = now;
		if (ms <= this.longestMs) return;
		this.longestMs = ms;
		this.longestCause = cause;
	}

	/** The time (ms) from the beginning to the last call. */
	get totalMs(): number {
		return this.stageStartedAt - this.startedAt;
	}
}
