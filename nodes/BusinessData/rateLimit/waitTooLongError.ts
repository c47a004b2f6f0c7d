/** The request would wait longer than it may; nothing was sent. */
export class WaitTooLongError extends Error {
	constructor(
		/** How long (ms) the request would have to wait still, at the least. */
		readonly retryAfterMs: number,
	) {
		super(`The wait would take at least ${Math.ceil(retryAfterMs / 1000)} s`);
		this.name = 'WaitTooLongError';
	}
}
