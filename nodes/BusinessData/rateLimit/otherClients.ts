/**
 * How much of the limits other clients of the key use, such as a second program. A refusal (429) although we had our slots
 * means that other clients used the rest of a limit. From then on
 *
 * - their share stays free in every window, and a little more because they send unevenly (`roomIn`);
 * - our requests go one by one, evenly spread, so that other clients always find room (`waitMs`, `isUnderWay`);
 * - nothing goes for a pause that doubles with each consecutive refusal (`learn`).
 *
 * The estimate fades within the longest window; the next refusal shows whether other clients still send. Header limits
 * can only lower what is free.
 */
import { ASSUMED_LIMIT, type Limit } from './limits';
import type { SlotHolder } from './window';

/** The weight of a single refusal in the estimate. */
const REFUSAL_WEIGHT = 0.5;
/** The least share of the longest limit that other clients are assumed to use. */
const LEAST_SHARE = 0.22;
/** How much is left free, as a multiple of their average use. */
const LEFT_FREE = 1.35;
/** Our requests are spread over this multiple of the longest window. */
const SPREAD = 1.1;
/** The pause after a refusal, in multiples of the mean time per request under the slowest limit. */
const PAUSE_FACTOR = { least: 1.8, jitter: 0.6 };
/** A pause (ms) longer than for a daily limit is considered a mistake of the service. */
const LONGEST_PAUSE_MS = 24 * 3_600_000;

/** A window at the time when the refused request went out, which `used` includes. */
export type UsedLimit = Limit & { used: number };

/** What a process publishes for the others. The estimate may be empty. No request may go for `pausedMs`. */
export type Snapshot = [estimate: string, ageMs: number, pausedMs: number];

/** Times are ms of `performance.now()`; limits come longest first. */
export class OtherClients {
	/** The estimate that was last published or merged. */
	shared = '';
	/** Requests of other clients per ms, as of `learnedAt`. */
	private rate = 0;
	private learnedAt = -Infinity;
	private longestMs = 0;
	private pausedUntil = 0;
	private refusalsInRow = 0;
	/** When the last request that was let through, and the last that was refused, went out. */
	lastLetThroughAt = -Infinity;
	private lastRefusedAt = -Infinity;
	/** How much the latest rate limit headers leave for all clients, and until when. */
	private headerLimits: Array<{ left: number; until: number }> = [];
	private headersSentAt = -Infinity;
	/** The request that went out last. */
	private latest: SlotHolder | undefined;

	get isKnown(): boolean {
		return this.usedIn(this.longestMs) > 0;
	}

	/** Whether nothing has been let through since the last refusal. */
	get isRefusing(): boolean {
		return this.lastRefusedAt > this.lastLetThroughAt;
	}

	/** Whether the next request has to wait for the end of the last one. */
	get isUnderWay(): boolean {
		return this.isKnown && this.latest !== undefined && this.latest.countedAt === undefined;
	}

	/** How many requests of other clients a window of `windowMs` seems to hold. */
	usedIn(windowMs: number): number {
		// A request still counts for a whole window after it has ended.
		const age = (performance.now() - this.learnedAt) / (this.longestMs || 1);
		const rate = this.rate * Math.max(0, 1 - age);
		return rate * this.longestMs < 1 ? 0 : rate * windowMs;
	}

	/** How many of our requests fit into a window beside other clients, at least one. */
	roomIn({ max, windowMs }: Limit): number {
		return Math.max(1, Math.floor(max - LEFT_FREE * this.usedIn(windowMs)));
	}

	/** How long (ms) no request may go. */
	get pausedMs(): number {
		const now = performance.now();
		const headerPauseMs = this.headerLimits.map(({ left, until }) => (left < 1 ? until - now : 0));
		return Math.max(0, this.pausedUntil - now, ...headerPauseMs);
	}

	/** How long (ms) the next request waits, for a pause or to be spread. */
	waitMs(limits: Limit[]): number {
		const againMs = this.lastLetThroughAt + this.everyMs(limits) - performance.now();
		return Math.max(this.pausedMs, againMs);
	}

	/** The interval (ms) of our requests; 0 without other clients. */
	everyMs([longest]: Limit[]): number {
		if (!this.isKnown || longest === undefined) return 0;
		return Math.min((SPREAD * longest.windowMs) / this.roomIn(longest), longest.windowMs);
	}

	/** When (ms from now) the estimate, the header limits and all pauses are over. */
	get forgottenInMs(): number {
		const ends = [this.pausedUntil, ...this.headerLimits.map(({ until }) => until)];
		return Math.max(this.learnedAt + this.longestMs, ...ends) - performance.now();
	}

	sent(request: SlotHolder): void {
		for (const limit of this.headerLimits) limit.left--;
		this.latest = request;
	}

	letThrough(sentAt: number): void {
		this.lastLetThroughAt = Math.max(this.lastLetThroughAt, sentAt);
		if (sentAt >= this.pausedUntil) this.refusalsInRow = 0;
	}

	refused(sentAt: number): void {
		this.lastRefusedAt = Math.max(this.lastRefusedAt, sentAt);
	}

	/** Learns from a refusal. If several requests under way are refused, only the first one counts. */
	learn(limits: UsedLimit[], sentAt: number): void {
		const [longest] = limits;
		if (longest === undefined || sentAt <= this.learnedAt) return;
		const least = Math.max(1, LEAST_SHARE * longest.max) / longest.windowMs;
		const known = this.usedIn(1);
		// The service does not say which window was full, so assume the least that explains the refusal.
		const seen = Math.min(...limits.map(({ max, windowMs, used }) => (max - used + 1) / windowMs));
		this.rate = Math.max(least, known, known + (seen - known) * REFUSAL_WEIGHT);
		this.learnedAt = performance.now();
		this.longestMs = longest.windowMs;
		const meanMs = Math.max(...limits.map(({ max, windowMs }) => windowMs / max));
		const factor = PAUSE_FACTOR.least + PAUSE_FACTOR.jitter * Math.random();
		this.pauseFor(Math.min(factor * 2 ** this.refusalsInRow++ * meanMs, longest.windowMs));
	}

	/** Pauses as the service asks, but at most for a window if the pause is not about these limits. */
	pause([longest]: Limit[], askedMs: number, isOwn: boolean): void {
		const isBounded = !isOwn || askedMs > LONGEST_PAUSE_MS;
		this.pauseFor(isBounded ? Math.min(askedMs, longest?.windowMs ?? 0) : askedMs);
	}

	/** @param sentAt when the request went out, because responses to earlier requests are outdated */
	applyHeaderLimits(
		[longest = ASSUMED_LIMIT]: Limit[],
		all: Array<{ left: number; resetMs: number }>,
		sentAt: number,
	): void {
		const now = performance.now();
		const applied = all.filter(({ resetMs }) => resetMs <= longest.windowMs);
		if (applied.length === 0 || sentAt < this.headersSentAt) return;
		this.headersSentAt = sentAt;
		this.headerLimits = applied.map(({ left, resetMs }) => ({ left, until: now + resetMs }));
	}

	publish(): Snapshot {
		const pausedMs = Math.max(0, this.pausedUntil - performance.now());
		if (!this.isKnown) return ['', 0, pausedMs];
		const { rate, longestMs, refusalsInRow } = this;
		this.shared = JSON.stringify({ rate, longestMs, refusalsInRow });
		return [this.shared, performance.now() - this.learnedAt, pausedMs];
	}

	/** Merges what another process has published, if it is newer. */
	merge([estimate, ageMs, pausedMs]: Snapshot): void {
		if (pausedMs > 0) this.pauseFor(pausedMs);
		if (estimate === '' || estimate === this.shared) return;
		this.shared = estimate;
		const learnedAt = performance.now() - ageMs;
		const published = JSON.parse(estimate) as { longestMs: number };
		if (learnedAt <= this.learnedAt || ageMs >= published.longestMs) return;
		Object.assign(this, published, { learnedAt });
	}

	private pauseFor(ms: number): void {
		this.pausedUntil = Math.max(this.pausedUntil, performance.now() + ms);
	}
}
