/** The right to send one request, and the four ways in which the request may end. */
import type { ForeignUse, UsedWindow } from './foreignUse';
import type { SharedRequest } from './ledger';
import type { Wait, WaitCause } from './wait';
import { freeAll, type Slot } from './window';

/** Windows that count the request, as they were when it went out. */
interface Counted {
	windows: UsedWindow[];
	foreign: ForeignUse;
	/** How many requests that these windows count are under way now. */
	underWay(): number;
}

/** One of the four endings must be called; of several, the first one counts. */
export class Permit {
	/** How long (ms) the request has waited. */
	readonly waitedMs: number;

	/** What it waited for most. */
	readonly waitedFor: WaitCause | undefined;

	private readonly sentAt = performance.now();

	private readonly countedBy: Counted[];

	private hasEnded = false;

	private end: () => void = () => undefined;

	constructor(
		private readonly slots: Slot[],
		private readonly shared: SharedRequest | undefined,
		private readonly general: Counted,
		private readonly scope: Counted | undefined,
		wait: Wait,
	) {
		this.waitedMs = wait.totalMs;
		this.waitedFor = wait.longestCause;
		this.countedBy = scope === undefined ? [general] : [scope, general];
		const ended = new Promise<void>((resolve) => (this.end = resolve));
		for (const { foreign } of this.countedBy) foreign.sent(ended);
	}

	/** The service counted the request and let it through. */
	letThrough(): void {
		for (const { foreign } of this.countedBy) foreign.letThrough(this.sentAt);
		this.hold(0);
	}

	/**
	 * The service refused the request.
	 * @param askedMs how long (ms) it asks to wait; 0 when it does not say
	 */
	refused(askedMs: number): void {
		const { windows, foreign } = this.blamed();
		foreign.learn(windows, this.sentAt);
		for (const counted of this.countedBy) counted.foreign.refused(counted.windows, askedMs);
		this.shared?.tell();
		this.hold(0);
	}

	/**
	 * The service says how much is left, for all programs, of a limit that counts this request.
	 * @param max how much that limit allows, where the service says so
	 * @param resetMs when (ms from now) it is full again
	 */
	hear({ remaining, resetMs, max }: { remaining: number; resetMs: number; max?: number }): void {
		const isMeant = ({ windows }: Counted) => windows.some((window) => window.max === max);
		const meant = this.countedBy.find(isMeant) ?? this.scope ?? this.general;
		meant.foreign.hear(meant.windows, remaining, resetMs, meant.underWay());
	}

	/** When (ms, `performance.now()`) a request with the same limits was let through last. */
	get lastLetThroughAt(): number {
		return (this.scope ?? this.general).foreign.lastLetThroughAt;
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
		this.end();
	}

	/** Whose windows were full, those of the scope or the general ones, nobody says. */
	private blamed(): Counted {
		const { scope, general } = this;
		if (scope === undefined) return general;
		const isGeneralBusy = general.windows.some(({ used, max }) => 2 * used > max);
		const mayBeGeneral = isGeneralBusy || general.foreign.isKnown;
		return mayBeGeneral && !scope.foreign.isRefusing ? general : scope;
	}

	private hold(lateMs: number): void {
		if (this.hasEnded) return;
		this.hasEnded = true;
		for (const slot of this.slots) slot.hold(lateMs);
		this.shared?.hold(lateMs);
		this.end();
	}
}
