/** The right to send one request, and the four ways in which the request may end. */
import type { UsedWindow } from './foreignUse';
import type { RedisRequest } from './redis/redisRequest';
import type { Stage, Stages } from './scope';
import type { Wait, WaitCause } from './wait';
import type { Slot } from './window';

/** A stage, and its windows as they were when the request went out. */
interface Counted {
	stage: Stage;
	windows: UsedWindow[];
}

/** One of the four endings must be called; of several, the first one counts. */
export class Permit {
	/** How long (ms) the request has waited. */
	readonly waitedMs: number;

	/** What it waited for most. */
	readonly waitedFor: WaitCause | undefined;

	private readonly sentAt = performance.now();

	private readonly general: Counted;

	private readonly scope: Counted | undefined;

	private readonly countedBy: Counted[];

	private hasEnded = false;

	private end: () => void = () => undefined;

	/**
	 * @param shared the request in Redis
	 * @param used how many slots all processes hold in each window, those of the scope first
	 */
	constructor(
		private readonly slots: Slot[],
		private readonly shared: RedisRequest | undefined,
		{ scope, general }: Stages,
		used: number[],
		wait: Wait,
	) {
		this.waitedMs = wait.totalMs;
		this.waitedFor = wait.longestCause;
		this.scope = scope && { stage: scope, windows: scope.usedWindows(used) };
		const usedOfAll = used.slice(scope?.windows.length ?? 0);
		this.general = { stage: general, windows: general.usedWindows(usedOfAll) };
		this.countedBy = this.scope === undefined ? [this.general] : [this.scope, this.general];
		const ended = new Promise<void>((resolve) => (this.end = resolve));
		for (const { stage } of this.countedBy) stage.foreign.sent(ended);
	}

	/** Settles when every slot has its place, or with an error of Bottleneck's own. */
	get placed(): Promise<unknown> {
		return Promise.all(this.slots.map(({ placed }) => placed));
	}

	/** The service counted the request and let it through. */
	letThrough(): void {
		for (const { stage } of this.countedBy) stage.foreign.letThrough(this.sentAt);
		this.hold(0);
	}

	/**
	 * The service refused the request.
	 * @param askedMs how long (ms) it asks to wait; 0 when it does not say
	 */
	refused(askedMs: number): void {
		const { stage: blamed, windows } = this.blamed();
		blamed.foreign.learn(windows, this.sentAt);
		for (const { stage } of this.countedBy) stage.foreign.refused(stage.windows, askedMs);
		this.shared?.tell();
		this.hold(0);
	}

	/** No answer was seen: the service may count the request up to `lateMs` (ms) from now. */
	lost(lateMs: number): void {
		this.hold(lateMs);
	}

	/** The request never reached the service. */
	unused(): void {
		if (this.hasEnded) return;
		this.hasEnded = true;
		for (const slot of this.slots) slot.free();
		this.shared?.free();
		this.end();
	}

	/**
	 * The service says how much is left, for all programs, of a limit that counts this request.
	 * @param max how much that limit allows, where the service says so
	 * @param resetMs when (ms from now) it is full again
	 */
	hear({ remaining, resetMs, max }: { remaining: number; resetMs: number; max?: number }): void {
		const isMeant = ({ windows }: Counted) => windows.some((window) => window.max === max);
		const { stage } = this.countedBy.find(isMeant) ?? this.scope ?? this.general;
		const underWay = Math.max(0, ...stage.windows.map(({ window }) => window.underWay));
		// Those that are under way it may not have counted.
		stage.foreign.hear(stage.windows, remaining - underWay, resetMs, this);
	}

	/** When (ms, `performance.now()`) a request with the same limits was let through last. */
	get lastLetThroughAt(): number {
		return (this.scope ?? this.general).stage.foreign.lastLetThroughAt;
	}

	/** Whose windows were full, those of the scope or the general ones, nobody says. */
	private blamed(): Counted {
		const { scope, general } = this;
		if (scope === undefined) return general;
		const isGeneralBusy = general.windows.some(({ used, max }) => 2 * used > max);
		const mayBeGeneral = isGeneralBusy || general.stage.foreign.isKnown;
		return mayBeGeneral && !scope.stage.foreign.isRefusing ? general : scope;
	}

	private hold(lateMs: number): void {
		if (this.hasEnded) return;
		this.hasEnded = true;
		for (const slot of this.slots) slot.hold(lateMs);
		this.shared?.hold(lateMs);
		this.end();
	}
}
