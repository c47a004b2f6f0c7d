/** The right to send one request: it is asked for, waits in a queue for its slots, and ends in one of four ways. */
import type { AppliedLimits } from './endpointLimiter';
import { ASSUMED_LIMIT, holdMsOf, type Limits } from './limits';
import type { UsedLimit } from './otherClients';
import type { Queue } from './queue';
import type { RedisLimitStore } from './redis/redisLimitStore';
import type { WaitCause } from './waitTime';

/** Requests that are to come. */
export interface LimitedRequest {
	/** The limits of these requests; other requests of the key may have others. */
	limits: Limits;
	/** The endpoint whose windows count them beside the general ones. */
	endpoint?: string;
	/** Counts the requests of all processes that share it, too. */
	limitStore?: RedisLimitStore;
}

/** What a permit is asked for. */
export interface PermitRequest extends LimitedRequest {
	/** The requests of a run go in the order of the calls, and runs take turns. */
	run: string;
	/** 0 goes first. */
	priority: number;
	/** How long (ms) the request may wait; longer is an error at once. */
	maxWaitMs: number;
	/** How long (ms) the request may be under way, should this process die; for a limit store. */
	inFlightMs: number;
	/** Ends the wait. */
	signal: AbortSignal;
}

/** Slots that were taken so long (ms) ago may run out in the limit store while the request is under way. */
const TAKEN_LONG_AGO_MS = 1_000;

/** One of the four endings must be called; of several, the first one counts. Moments are ms of `performance.now()`. */
export class Permit {
	/** When the service has counted the request at the latest; undefined before it ends, -Infinity for never. */
	countedAt: number | undefined;
	/** Its ID in the limit store, undefined when that knows nothing of it, and when its slots there were asked for. */
	id: string | undefined;
	takenAt = -Infinity;
	/** What the request waited for longest at a stretch. */
	waitedFor: WaitCause | undefined;
	/** Settles when it has a slot in every window, or with the error of a request that fails. */
	readonly granted: Promise<unknown>;
	private resolve: (placed: Promise<unknown>) => void = () => undefined;
	refuse: (error: Error) => void = () => undefined;

	private readonly startedAt = performance.now();
	private sentAt = 0;
	/** What it waits for, and since when; null before it is the first of its queue. */
	private cause: WaitCause | undefined | null = null;
	private since = this.startedAt;
	private longestMs = 0;
	/** The windows when the request went out. */
	private readonly used = new Map<AppliedLimits, UsedLimit[]>();

	/**
	 * @param countedBy the limits of the queue, and the endpoint where only other requests have limits for it
	 * @param onEnd called when the request is over
	 */
	constructor(
		readonly request: PermitRequest,
		readonly queue: Queue,
		readonly countedBy: AppliedLimits[],
		private readonly onEnd: () => void,
	) {
		this.granted = new Promise((resolve, reject) => {
			[this.resolve, this.refuse] = [resolve, reject];
		});
	}

	/** How long (ms) it may still wait. */
	get leftMs(): number {
		return this.startedAt + this.request.maxWaitMs - performance.now();
	}

	/** How long (ms) it has waited, until it waited for nothing any more. */
	get waitedMs(): number {
		return this.since - this.startedAt;
	}

	/** When the last request with the same limits went out that was let through. */
	get lastLetThroughAt(): number {
		return this.queue.own.endpoint.otherClients.lastLetThroughAt;
	}

	/** It is the first of its queue, and waits for `cause` from now on. */
	waitsFor(cause: WaitCause | undefined): void {
		const now = performance.now();
		// Before that it has waited for what those before it have waited for.
		if (this.cause === null) this.cause = this.queue.lastCause;
		if (cause === this.cause) return;
		if (this.cause !== undefined && now - this.since > this.longestMs) {
			[this.waitedFor, this.longestMs] = [this.cause, now - this.since];
		}
		[this.cause, this.since] = [cause, now];
	}

	/** Takes its slots, for which there is room. All processes hold so many in each window. */
	grant(used: number[][] = []): void {
		this.sentAt = performance.now();
		const places = this.countedBy.map(async (applied, index) => {
			const { endpoint, limits } = applied;
			// It counts at once; only its place is waited for.
			const placed = endpoint.take(this, limits);
			const all = limits.map((limit, window) => {
				const known = used[index]?.[window] ?? 0;
				return { ...limit, used: Math.max(endpoint.window(limit).used, known) };
			});
			this.used.set(applied, all);
			endpoint.otherClients.sent(this);
			await placed;
		});
		this.resolve(Promise.all(places));
	}

	/**
	 * Whether the slots last for a request that goes out now: those that were taken long ago are taken anew. If not, call
	 * `unused`. @throws RedisError, or the signal's reason
	 */
	async confirm(signal: AbortSignal): Promise<boolean> {
		const isOld = performance.now() - this.takenAt >= TAKEN_LONG_AGO_MS;
		const reply = isOld ? await this.request.limitStore?.take(this, signal) : undefined;
		this.sentAt = performance.now();
		return reply?.isTaken ?? true;
	}

	/** The service counted the request and let it through. */
	letThrough(): void {
		for (const { endpoint } of this.countedBy) endpoint.otherClients.letThrough(this.sentAt);
		this.ended(0);
	}

	/** The service refused it, asks to wait for `requestedMs` (0 when it does not say), and may name a `spent` limit. */
	refused(requestedMs: number, spent?: { resetMs: number; max?: number }): void {
		if (this.countedAt !== undefined) return this.pause(requestedMs, true);
		const named = this.withLimit(spent?.max);
		const askedMs = requestedMs || (spent?.resetMs ?? 0);
		const blamed = named ?? this.blamed(askedMs);
		const { otherClients } = blamed.endpoint;
		// A guess of how long the few slots of an endpoint are taken would be far longer than what the service says.
		if (askedMs === 0 || blamed === this.queue.general || otherClients.isRefusing) {
			const used = this.used.get(blamed) ?? [];
			otherClients.learn(used.length > 0 ? used : [ASSUMED_LIMIT], this.sentAt);
		}
		for (const { endpoint } of this.countedBy) endpoint.otherClients.refused(this.sentAt);
		// Only those under the limit that is named wait for its reset, see `applyHeaderLimits`.
		this.pause(named === undefined ? askedMs : requestedMs, true);
		this.ended(0);
	}

	/**
	 * Pauses all requests under the same limits for `requestedMs` (ms), as the service asks. After a refusal, a pause
	 * no longer than the request's own window concerns that window; any other concerns every request of the key.
	 */
	pause(requestedMs: number, isRefusal = false): void {
		const { own } = this.queue;
		const isExplained = isRefusal && requestedMs <= holdMsOf(own.limits[0]?.windowMs ?? 0);
		for (const applied of this.countedBy) {
			const isOwn = applied === own || !isExplained;
			applied.endpoint.otherClients.pause(applied.limits, requestedMs, isOwn);
		}
		this.request.limitStore?.publish(this);
	}

	/** The request is over: the service may count it up to `lateMs` (ms) from now; with -Infinity, never. */
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

	/** The service says how much is left of limits, for all programs, and when (ms from now) they are full again. */
	applyHeaderLimits(all: Array<{ remaining: number; resetMs: number; max?: number }>): void {
		for (const applied of this.queue.limits) {
			const { endpoint, limits } = applied;
			const said = all.filter(({ max }) => (this.withLimit(max) ?? this.queue.own) === applied);
			if (said.length === 0) continue;
			const others = endpoint.permits.filter((one) => one !== this);
			// The service may not have counted those under way.
			const underWay = others.filter(({ countedAt }) => countedAt === undefined).length;
			const rooms = said.map(({ remaining, resetMs }) => ({ left: remaining - underWay, resetMs }));
			endpoint.otherClients.applyHeaderLimits(limits, rooms, this.sentAt);
		}
	}

	/** Whose limit the service means: how much it allows tells which one it is. */
	private withLimit(max?: number): AppliedLimits | undefined {
		return this.queue.limits.find(({ limits }) => limits.some((limit) => limit.max === max));
	}

	/** The service does not say whose windows were full. A short wait (ms) that it asks for tells of the general ones. */
	private blamed(requestedMs: number): AppliedLimits {
		const { own, general } = this.queue;
		const isBusy = this.used.get(general)?.some(({ used, max }) => 2 * used > max) === true;
		const isShort = requestedMs > 0 && requestedMs <= holdMsOf(general.limits[0]?.windowMs ?? 0);
		const isGeneral = isBusy || isShort || general.endpoint.otherClients.isKnown;
		return isGeneral && !own.endpoint.otherClients.isRefusing ? general : own;
	}
}
