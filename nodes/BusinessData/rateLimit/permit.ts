/** The right to send one request: it waits in a queue for its slots, and ends in one of four ways. */
import type { AppliedLimits } from './endpointLimiter';
import { ASSUMED_LIMIT, holdMsOf, type Limits, longestWindowMs } from './limits';
import type { UsedLimit } from './otherClients';
import type { RedisLimitStore } from './redis/redisLimitStore';
import type { WaitCause } from './waitTime';
import type { SlotHolder } from './window';

export interface LimitedRequest {
	/** Other requests of the key may have other limits. */
	limits: Limits;
	/** Its limits apply together with the general ones. */
	endpoint?: string;
	/** Counts the requests of all processes that share it. */
	limitStore?: RedisLimitStore;
}

export interface PermitRequest extends LimitedRequest {
	/** The requests of a run go in order, and runs take turns. */
	run: string;
	/** 0 goes first. */
	priority: number;
	/** How long (ms) the request may wait. If it would have to wait longer, it fails at once. */
	maxWaitMs: number;
	/** How long (ms) the request may be under way. The limit store needs it in case this process dies. */
	inFlightMs: number;
	/** Ends the wait. */
	signal: AbortSignal;
}

/** The limits that apply to a request: those of its endpoint, if it has any, and the general ones. */
export type RequestLimits = [own: AppliedLimits, ...general: AppliedLimits[]];

/** Slots taken longer ago (ms) than this may expire in the limit store while the request is under way. */
const TAKEN_LONG_AGO_MS = 1_000;

/** End it with `letThrough`, `refused`, `ended` or `unused`; the first call counts. Times are ms of `performance.now()`. */
export class Permit implements SlotHolder {
	countedAt: number | undefined;
	id: string | undefined;
	takenAt = -Infinity;
	/** What it waited for longest without a break. */
	waitedFor: WaitCause | undefined;
	/** Resolves when it has a slot in every window. */
	readonly granted: Promise<unknown>;
	private resolve: (placed: Promise<unknown>) => void = () => undefined;
	refuse: (error: Error) => void = () => undefined;

	private readonly startedAt = performance.now();
	private sentAt = 0;
	/** What it is waiting for, and since when; null until it is the first of its queue. */
	private cause: WaitCause | undefined | null = null;
	private since = this.startedAt;
	private longestMs = 0;
	/** The windows when the request went out. */
	private readonly used = new Map<AppliedLimits, UsedLimit[]>();

	/** @param countedBy the same limits, and the endpoint if only other credentials have limits for it */
	constructor(
		readonly request: PermitRequest,
		private readonly limitedBy: RequestLimits,
		readonly countedBy: AppliedLimits[],
		private readonly onEnd: () => void,
	) {
		this.granted = new Promise((resolve, reject) => {
			this.resolve = resolve;
			this.refuse = reject;
		});
	}

	get leftMs(): number {
		return this.startedAt + this.request.maxWaitMs - performance.now();
	}

	/** How long (ms) it has waited in all. */
	get waitedMs(): number {
		return this.since - this.startedAt;
	}

	/** The longest window (ms) that counts the request. */
	get longestWindowMs(): number {
		return longestWindowMs(this.limitedBy);
	}

	/** When the last request that was let through under the same limits went out. */
	get lastLetThroughAt(): number {
		return this.limitedBy[0].endpoint.otherClients.lastLetThroughAt;
	}

	/** Notes what it waits for, while it is the first of its queue. @param before what the one before it waited for */
	waitsFor(cause: WaitCause | undefined, before: WaitCause | undefined): void {
		const now = performance.now();
		// Until now, it has waited for the same thing as those before it.
		if (this.cause === null) this.cause = before;
		if (cause === this.cause) return;
		if (this.cause !== undefined && now - this.since > this.longestMs) {
			this.waitedFor = this.cause;
			this.longestMs = now - this.since;
		}
		this.cause = cause;
		this.since = now;
	}

	/** Takes its slots; there must be room. @param used how many slots all processes hold in each window */
	grant(used: number[][] = []): void {
		this.sentAt = performance.now();
		const places = this.countedBy.map(async (applied, index) => {
			const { endpoint, limits } = applied;
			// The slot counts at once; only its Bottleneck job is awaited.
			const placed = endpoint.take(this, limits);
			const all = limits.map((limit, number) => {
				const known = used[index]?.[number] ?? 0;
				return { ...limit, used: Math.max(endpoint.window(limit).used, known) };
			});
			this.used.set(applied, all);
			endpoint.otherClients.sent(this);
			await placed;
		});
		this.resolve(Promise.all(places));
	}

	/**
	 * Call right before the request goes out: takes slots again that were taken long ago. If it returns false, call `unused`.
	 * @throws RedisError, or the signal's reason
	 */
	async confirm(signal: AbortSignal): Promise<boolean> {
		const isOld = performance.now() - this.takenAt >= TAKEN_LONG_AGO_MS;
		const reply = isOld ? await this.request.limitStore?.take(this, signal) : undefined;
		this.sentAt = performance.now();
		return reply?.isTaken ?? true;
	}

	letThrough(): void {
		for (const { endpoint } of this.countedBy) endpoint.otherClients.letThrough(this.sentAt);
		this.ended(0);
	}

	/** For a 429; again when its body says how long to wait. @param askedMs 0 if unknown @param spent a used-up limit */
	refused(askedMs: number, spent?: { resetMs: number; max?: number }): void {
		if (this.countedAt !== undefined) return this.pause(askedMs, true);
		const named = this.withLimit(spent?.max);
		const waitMs = askedMs || (spent?.resetMs ?? 0);
		const blamed = named ?? this.blamed(waitMs);
		const { otherClients } = blamed.endpoint;
		// With the few slots of an endpoint, the estimate would pause far longer than the service asks.
		if (waitMs === 0 || blamed === this.limitedBy.at(-1) || otherClients.isRefusing) {
			const used = this.used.get(blamed) ?? [];
			otherClients.learn(used.length > 0 ? used : [ASSUMED_LIMIT], this.sentAt);
		}
		for (const { endpoint } of this.countedBy) endpoint.otherClients.refused(this.sentAt);
		// For the reset of a named limit, only the requests under it wait: see `applyHeaderLimits`.
		this.pause(named === undefined ? waitMs : askedMs, true);
		this.ended(0);
	}

	/**
	 * Pauses the requests under the same limits, as the service asks. After a refusal, a pause no longer than the window of
	 * the endpoint is for the endpoint alone. Any other pause is for all requests of the key.
	 */
	pause(askedMs: number, isRefusal = false): void {
		const [own] = this.limitedBy;
		const isExplained = isRefusal && askedMs <= holdMsOf(own.limits[0]?.windowMs ?? 0);
		for (const applied of this.countedBy) {
			const isOwn = applied === own || !isExplained;
			applied.endpoint.otherClients.pause(applied.limits, askedMs, isOwn);
		}
		this.request.limitStore?.publish(this.limitedBy);
	}

	/** @param lateMs how long (ms from now) the service may still count it; -Infinity if it never will */
	ended(lateMs: number): void {
		if (this.countedAt !== undefined) return;
		this.countedAt = performance.now() + lateMs;
		for (const { endpoint } of this.countedBy) endpoint.freeInTime(this);
		this.request.limitStore?.complete(this, lateMs);
		this.onEnd();
	}

	/** The request never reached the service. */
	unused(): void {
		this.ended(-Infinity);
	}

	/** @param all for each limit, how much is left for all clients, and when (ms from now) it is reset */
	applyHeaderLimits(all: Array<{ remaining: number; resetMs: number; max?: number }>): void {
		for (const applied of this.limitedBy) {
			const { endpoint, limits } = applied;
			const said = all.filter(({ max }) => (this.withLimit(max) ?? this.limitedBy[0]) === applied);
			if (said.length === 0) continue;
			const others = endpoint.holders.filter((one) => one !== this);
			// The service may not have counted the requests under way.
			const underWay = others.filter(({ countedAt }) => countedAt === undefined).length;
			const rooms = said.map(({ remaining, resetMs }) => ({ left: remaining - underWay, resetMs }));
			endpoint.otherClients.applyHeaderLimits(limits, rooms, this.sentAt);
		}
	}

	/** A service identifies a limit only by its max. */
	private withLimit(max?: number): AppliedLimits | undefined {
		return this.limitedBy.find(({ limits }) => limits.some((limit) => limit.max === max));
	}

	/** A guess, because the service does not say which window was full. A short wait points to a general one. */
	private blamed(waitMs: number): AppliedLimits {
		const [own, general = own] = this.limitedBy;
		const isBusy = this.used.get(general)?.some(({ used, max }) => 2 * used > max) === true;
		const isShort = waitMs > 0 && waitMs <= holdMsOf(general.limits[0]?.windowMs ?? 0);
		const isGeneral = isBusy || isShort || general.endpoint.otherClients.isKnown;
		return isGeneral && !own.endpoint.otherClients.isRefusing ? general : own;
	}
}
