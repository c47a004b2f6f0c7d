import { SharedError } from '../values/sharedError';
import type { NamedLimit } from './limits';

/** A pause because the service refused a request that had its slots. */
export const REFUSAL = 'refusal';
/** A pause that the headers of a response asked for. */
export const PAUSE = 'pause';

/** What a request waited for: a full window, or a pause. */
export type WaitCause = NamedLimit | typeof REFUSAL | typeof PAUSE;

/** Nothing was sent. */
export class WaitTooLongError extends SharedError {
	constructor(
		/** How long (ms) the request would still have to wait, at least. */
		readonly retryAfterMs: number,
		/** Whether the service has asked for it: a pause longer than every window that applies. */
		readonly isAskedFor?: boolean,
	) {
		super(`The wait would take at least ${Math.ceil(retryAfterMs / 1000)} s`);
		this.name = 'WaitTooLongError';
	}
}
