/** What a request waited for, and for how long. */

/** A pause after the service refused a request of the key in spite of its slots. */
export const REFUSAL = 'refusal';

/** A window that was full, or a pause after a refusal. */
export type WaitCause = { name: string; max: number; windowMs: number } | typeof REFUSAL;

/** Splits the time since its making into stages, each with its cause. */
export class StageTimes {
	/** When (ms, `performance.now()`) the wait began. */
	readonly startedAt = performance.now();

	private stageStartedAt = this.startedAt;

	private expectedCause: WaitCause | undefined;

	private longestMs = 0;

	private longestCause: WaitCause | undefined;

	/** Ends the stage that began with the last call (or the making); `cause` is what it waited for. */
	end(cause: WaitCause | undefined): void {
		const now = performance.now();
		const ms = now - this.stageStartedAt;
		this.stageStartedAt = now;
		if (cause !== undefined && ms > this.longestMs) {
			this.longestMs = ms;
			this.longestCause = cause;
		}
	}

	/** Names what the stage that has begun waits for. */
	expect(cause: WaitCause): void {
		this.expectedCause = cause;
	}

	/** Ends a stage whose cause was named before. */
	endExpected(): void {
		this.end(this.expectedCause);
	}

	/** The time (ms) from the making to the end of the last stage. */
	get totalMs(): number {
		return this.stageStartedAt - this.startedAt;
	}

	longest(): WaitCause | undefined {
		return this.longestCause;
	}
}
