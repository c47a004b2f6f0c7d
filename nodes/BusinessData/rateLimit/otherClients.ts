/**
 * Estimates how much of the limits other clients of the key, such as a second program, use. A refusal (429) in spite of
 * our slots means that all requests together reached a limit: other clients used what we had left. From then on that
 * share stays free, and our requests go one by one, evenly spread, so that other clients find room at any time. The
 * estimate fades; the next refusal shows whether other clients still send.
 */
import type { Limit } from './limits';

/** How much of what a single refusal suggests is believed. */
const BELIEF = 0.5;
/** The least share of the longest limit that other clients are assumed to use. */
const LEAST_SHARE = 0.22;
/** Other clients send unevenly, so more is left free than their average. */
const LEFT_FREE = 1.35;
/** Our requests are spread over a little more than the longest window. */
const SPREAD = 1.1;
/**
 * In so many of the longest windows everything is forgotten: requests of other clients stay in a window for one, after
 * they end.
 */
const WINDOWS_TO_FORGET = 1;
/** The pause after a refusal, in multiples of the time in which a full window lets one more request through. */
const PAUSE_TURNS = { least: 1.8, jitter: 0.6 };
const MOST_DOUBLINGS = 10;
/** A longer pause (ms) than a daily limit needs is taken for a mistake of the service. */
const LONGEST_PAUSE_MS = 24 * 3_600_000;

/** A window as it was when a request went out that was refused; `used` counts that one, too. */
export interface UsedWindow extends Limit {
	used: number;
}

/**
 * Other clients in the general windows, or in the windows of one scope. Moments are ms of `performance.now()`; limits
 * and windows come longest first.
 */
export class OtherClients {
	/** When a request was let through last. */
	lastLetThroughAt = -Infinity;

	/** Requests per ms of other clients, as of `learnedAt`. */
	private rate = 0;

	private learnedAt = -Infinity;

	private longestMs = 0;

	private pausedUntil = 0;

	private refusalsInRow = 0;

	private lastRefusedAt = -Infinity;

	/** How much is left for all clients by the last rate-limit headers, and until when. */
	private headerLimits: Array<{ left: number; until: number }> = [];

	/** The request whose response had these headers. */
	private headerLimitsOf: unknown;

	/** When the last request that was let through went out. */
	private lastTakenAt = -Infinity;

	/** Settles when the request that went out last is over. */
	private latest: Promise<void> | undefined;

	/** Whether other clients seem to use these windows. */
	get isKnown(): boolean {
		return this.usedIn(this.longestMs) > 0;
	}

	/** Whether nothing was let through since the last refusal. */
	get isRefusing(): boolean {
		return this.lastRefusedAt > this.lastLetThroughAt;
	}

	/** How many requests of other clients a window of `windowMs` seems to hold; 0 when none are known. */
	usedIn(windowMs: number): number {
		const age = (performance.now() - this.learnedAt) / (WINDOWS_TO_FORGET * this.longestMs || 1);
		const rate = this.rate * Math.max(0, 1 - age);
		return rate * this.longestMs < 1 ? 0 : rate * windowMs;
	}

	/** How many of our requests fit into a window beside those of other clients; at least one. */
	roomIn({ max, windowMs }: Limit): number {
		return Math.max(1, Math.floor(max - LEFT_FREE * this.usedIn(windowMs)));
	}

	/** How long (ms) none of our requests may go: a pause after a refusal, and the time that spreads them. */
	waitMs(limits: Limit[]): number {
		const now = performance.now();
		const headerPauseMs = this.headerLimits.map(({ left, until }) => (left < 1 ? until - now : 0));
		const pausedMs = Math.max(0, this.pausedUntil - now, ...headerPauseMs);
		const everyMs = this.everyMs(limits);
		return everyMs === 0 ? pausedMs : Math.max(pausedMs, this.lastTakenAt + everyMs - now);
	}

	/** After how long (ms) our next request goes, so that they are spread; 0 without other clients. */
	everyMs(limits: Limit[]): number {
		const [longest] = limits;
		if (!this.isKnown || longest === undefined) return 0;
		return Math.min((SPREAD * longest.windowMs) / this.roomIn(longest), longest.windowMs);
	}

	/** The state for other processes (empty when nothing is known), its age (ms), and the pause (ms). */
	get snapshot(): [state: string, ageMs: number, pausedMs: number] {
		const now = performance.now();
		const { rate, longestMs, refusalsInRow } = this;
		const state = this.isKnown ? JSON.stringify({ rate, longestMs, refusalsInRow }) : '';
		const ageMs = this.isKnown ? now - this.learnedAt : 0;
		return [state, ageMs, Math.max(0, this.pausedUntil - now)];
	}

	/** Merges the snapshot of another process, if it is newer. */
	merge(...[state, ageMs, pausedMs]: OtherClients['snapshot']): void {
		const now = performance.now();
		this.pausedUntil = Math.max(this.pausedUntil, now + pausedMs);
		if (state === '' || now - ageMs <= this.learnedAt) return;
		const published = JSON.parse(state) as { longestMs: number };
		if (ageMs >= WINDOWS_TO_FORGET * published.longestMs) return;
		Object.assign(this, published, { learnedAt: now - ageMs });
	}

	/** Settles when our next request may go; undefined without other clients. */
	get underWay(): Promise<void> | undefined {
		return this.isKnown ? this.latest : undefined;
	}

	/** When (ms from now) what was learned is forgotten, and every pause is over. */
	get forgottenInMs(): number {
		const forgottenAt = this.learnedAt + WINDOWS_TO_FORGET * this.longestMs;
		return Math.max(this.rate === 0 ? 0 : forgottenAt, this.pausedUntil) - performance.now();
	}

	/**
	 * The service says how much is left of a limit until it is full again. That may only lower what is free here, and
	 * for no longer than the longest window.
	 * @param left how many of our requests it still takes
	 * @param request whose response says so; all limits of one response apply together
	 */
	applyHeaderLimit(windows: Limit[], left: number, resetMs: number, request: unknown): void {
		const [longest] = windows;
		if (longest === undefined || resetMs > longest.windowMs) return;
		if (request !== this.headerLimitsOf) this.headerLimits = [];
		this.headerLimitsOf = request;
		this.headerLimits.push({ left, until: performance.now() + resetMs });
	}

	/** @param ended settles when the request is over */
	sent(ended: Promise<void>): void {
		for (const limit of this.headerLimits) limit.left--;
		this.latest = ended;
		void ended.then(() => {
			if (this.latest === ended) this.latest = undefined;
		});
	}

	letThrough(sentAt: number): void {
		this.lastLetThroughAt = performance.now();
		this.lastTakenAt = sentAt;
		if (sentAt >= this.pausedUntil) this.refusalsInRow = 0;
	}

	/** A request was refused, because of these windows or of others. */
	refused(): void {
		this.lastRefusedAt = performance.now();
	}

	/**
	 * The service asks that nothing goes for `requestedMs` (ms).
	 * @param isOwn whether that is about requests of this scope; another's pause lasts at most a window here
	 */
	pause(windows: Limit[], requestedMs: number, isOwn: boolean): void {
		const mostMs = windows[0]?.windowMs ?? 0;
		const ms =
			isOwn && requestedMs <= LONGEST_PAUSE_MS ? requestedMs : Math.min(requestedMs, mostMs);
		this.pausedUntil = Math.max(this.pausedUntil, performance.now() + ms);
	}

	/** Learns from a refusal; of requests that were under way together, from the first one. */
	learn(windows: UsedWindow[], sentAt: number): void {
		const [longest] = windows;
		if (longest === undefined || sentAt <= this.learnedAt) return;
		const now = performance.now();
		const least = Math.max(1, LEAST_SHARE * longest.max) / longest.windowMs;
		const known = this.usedIn(1);
		// The service does not say which window was full; so the least that explains it.
		const seen = Math.min(...windows.map(({ max, windowMs, used }) => (max - used + 1) / windowMs));
		this.rate = Math.max(least, known, known + (seen - known) * BELIEF);
		this.learnedAt = now;
		this.longestMs = longest.windowMs;
		const doublings = 2 ** Math.min(this.refusalsInRow++, MOST_DOUBLINGS);
		const turns = (PAUSE_TURNS.least + PAUSE_TURNS.jitter * Math.random()) * doublings;
		const turnMs = Math.max(...windows.map(({ max, windowMs }) => windowMs / max));
		const pauseMs = Math.min(turns * turnMs, longest.windowMs);
		this.pausedUntil = Math.max(this.pausedUntil, now + pauseMs);
	}
}
