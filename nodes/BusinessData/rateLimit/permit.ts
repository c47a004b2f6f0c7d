/** The right to send one request, and the four ways in which the request may end. */
import type { SharedRequest } from './ledger';
import type { Pauses } from './pauses';
import type { Wait, WaitCause } from './wait';
import { freeAll, type Slot } from './window';

/** One of the four endings must be called; of several, the first one counts. */
export class Permit {
	/** How long (ms) the request has waited. */
	readonly waitedMs: number;

	/** What it waited for most. */
	readonly waitedFor: WaitCause | undefined;

	private readonly sentAt = performance.now();

	private hasEnded = false;

	constructor(
		private readonly scope: string | undefined,
		private readonly slots: Slot[],
		private readonly shared: SharedRequest | undefined,
		private readonly pauses: Pauses,
		wait: Wait,
	) {
		this.waitedMs = wait.totalMs;
		this.waitedFor = wait.longestCause;
	}

	/** The service counted the request and let it through. */
	letThrough(): void {
		this.hold(0);
		this.pauses.letThrough(this.scope, this.sentAt);
	}

	/** The service refused the request. Returns how many refusals in a row came before this one. */
	refused(): number {
		this.hold(0);
		return this.pauses.refused(this.scope, this.sentAt);
	}

	/** When (ms, `performance.now()`) a request with the same limits was let through last. */
	get lastLetThroughAt(): number {
		return this.pauses.lastLetThroughAt(this.scope);
	}

	/** No answer was seen: the service may count the request up to `lateMs` (ms) from now. */
	lost(lateMs: number): void {
		this.hold(lateMs);
	}

	/** The request never reached the service. */
	unused(): void {
		if (this.hasEnded) return;
		this.hasEnded = true;
		freeAll(this.slots);
		this.shared?.free();
	}

	private hold(lateMs: number): void {
		if (this.hasEnded) return;
		this.hasEnded = true;
		for (const slot of this.slots) slot.hold(lateMs);
		this.shared?.hold(lateMs);
	}
}
