/** What a request waits for, and when that takes too long. */
import type { NamedLimit } from './limits';

/** A pause after the service refused a request of the key in spite of its slots. */
export const REFUSAL = 'refusal';
/** A pause that the service has asked for in the headers of a response. */
export const PAUSE = 'pause';

/** A window that was full, or a pause. */
export type WaitCause = NamedLimit | typeof REFUSAL | typeof PAUSE;

/** The request would wait longer than it may; nothing was sent. */
export class WaitTooLongError extends Error {
	constructor(
		/** How long (ms) the request would have to wait still, at the least. */
		readonly retryAfterMs: number,
		/** Whether the service has asked for a pause that is longer than any window that applies. */
		readonly isRequested?: boolean,
	) {
		super(`The wait would take at least ${Math.ceil(retryAfterMs / 1000)} s`);
		this.name = 'WaitTooLongError';
	}
}
