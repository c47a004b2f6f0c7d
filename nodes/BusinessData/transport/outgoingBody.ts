/** The body of a request on its way. */
import { Readable } from 'node:stream';

/**
 * A body that tells whether anything has begun to send it: as long as nothing has, nothing of the request
 * has left this process, whatever the error. Once the run is over nothing can begin to.
 */
export class OutgoingBody extends Readable {
	private hasBegun = false;

	constructor(
		private readonly payload: Buffer,
		private readonly signal: AbortSignal,
	) {
		super();
	}

	/** In bytes. */
	get length(): number {
		return this.payload.length;
	}

	/** Lets nothing begin to send it from now on. Returns whether something has. */
	forbid(): boolean {
		if (!this.hasBegun) this.destroy();
		return this.hasBegun;
	}

	override _read(): void {
		if (this.signal.aborted && !this.hasBegun) {
			this.destroy(this.signal.reason as Error);
			return;
		}
		this.hasBegun = true;
		this.push(this.payload);
		this.push(null);
	}
}
