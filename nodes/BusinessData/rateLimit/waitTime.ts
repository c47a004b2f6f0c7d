import { SharedError } from '../values/sharedError';
import type { NamedLimit } from './limits';

/** A pause after the service refused a request of the key in spite of its slots. */
export const REFUSAL = 'refusal';
/** A pause that the headers of a response have asked for. */
export const PAUSE = 'pause';

/** A window that was full, or a pause. */
export type WaitCause = NamedLimit | typeof REFUSAL | typeof PAUSE;

/** Nothing was sent. */
export class WaitTooLongError extends SharedError {
	constructor(
		/** How long (ms) the request would still have to wait, at the least. */
		readonly retryAfterMs: number,
		/** Whether the service has asked for a pause longer than all windows that apply. */
		readonly isRequested?: boolean,
	) {
		super(`The wait would take at least ${Math.ceil(retryAfterMs / 1000)} s`);
		this.name = 'WaitTooLongError';
	}
}
