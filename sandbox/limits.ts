// Counts requests per API key and decides which of them exceed a limit (sections 7 and 8).

/**
 * The kind of windows, which section 8 leaves open. `sliding` refuses everything that `fixed` refuses, so `both` is as
 * strict as `sliding` alone.
 */
export const WINDOW_MODES = ['sliding', 'fixed', 'both'] as const;
export type WindowMode = (typeof WINDOW_MODES)[number];

/** At most `max` requests per key within `windowSeconds` (s, before scaling). */
export interface Limit {
	max: number;
	windowSeconds: number;
}

/** General limits apply to every request, the limit of an endpoint in addition (section 8). */
export interface LimitTable {
	general: Limit[];
	/** By endpoint, written as `METHOD /path`. */
	endpoints: Record<string, Limit>;
}

/**
 * The documented limits, copied by hand from section 8 of the interface document, so that the sandbox is independent
 * of the limits in the node.
 */
export const DOCUMENTED_LIMITS: LimitTable = {
	general: [
		{ max: 10, windowSeconds: 1 },
		{ max: 30, windowSeconds: 10 },
		{ max: 100, windowSeconds: 60 },
	],
	endpoints: {
		'POST /txndata/sendTxn': { max: 3, windowSeconds: 600 },
		'POST /txndata/sendPayment': { max: 3, windowSeconds: 600 },
		'POST /txndata/sendTxnWP': { max: 5, windowSeconds: 600 },
	},
};

/** The decision about one request. */
export interface Verdict {
	/** The names of the exceeded limits, such as `general/60s`; empty if the request is admitted. */
	exceeded: string[];
	/** Time (ms) after which a request would be admitted if no other came in between. */
	retryAfterMs: number;
}

interface WindowCounter {
	/** Whether one more request at this time would exceed the limit. */
	wouldExceed(nowMs: number): boolean;
	record(nowMs: number): void;
	/** Time (ms) until one more request fits. */
	waitMs(nowMs: number): number;
}

/** Counts the requests of the last window (ms). */
class SlidingWindow implements WindowCounter {
	private moments: number[] = [];

	constructor(
		private readonly max: number,
		private readonly windowMs: number,
	) {}

	wouldExceed(nowMs: number): boolean {
		// Half-open: a request that is exactly one window old no longer counts.
		const firstInside = this.moments.findIndex((moment) => nowMs - moment < this.windowMs);
		this.moments = firstInside < 0 ? [] : this.moments.slice(firstInside);
		return this.moments.length >= this.max;
	}

	record(nowMs: number): void {
		this.moments.push(nowMs);
	}

	waitMs(nowMs: number): number {
		if (!this.wouldExceed(nowMs)) return 0;
		const lastToLeave = this.moments[this.moments.length - this.max] ?? nowMs;
		return this.windowMs - (nowMs - lastToLeave);
	}
}

/** A counter that is reset at the start of each clock-aligned window (ms). */
class FixedWindow implements WindowCounter {
	private windowNumber = Number.NaN;
	private count = 0;

	constructor(
		private readonly max: number,
		private readonly windowMs: number,
		private readonly phaseMs: number,
	) {}

	wouldExceed(nowMs: number): boolean {
		const windowNumber = Math.floor((nowMs + this.phaseMs) / this.windowMs);
		if (windowNumber !== this.windowNumber) this.count = 0;
		this.windowNumber = windowNumber;
		return this.count >= this.max;
	}

	record(nowMs: number): void {
		this.wouldExceed(nowMs);
		this.count += 1;
	}

	waitMs(nowMs: number): number {
		if (!this.wouldExceed(nowMs)) return 0;
		return (this.windowNumber + 1) * this.windowMs - this.phaseMs - nowMs;
	}
}

// It is unknown when the service's windows begin. Counting with several offsets at once shows that a client is safe
// with any of them.
const PHASES = 8;

function countersFor(limit: Limit, rules: CountingRules): WindowCounter[] {
	const { windowMode, timeScale, phaseMs } = rules;
	const windowMs = limit.windowSeconds * 1000 * timeScale;
	const counters: WindowCounter[] = [];
	if (windowMode !== 'fixed') counters.push(new SlidingWindow(limit.max, windowMs));
	if (windowMode !== 'sliding') {
		const evenly = Array.from({ length: PHASES }, (_, index) => (index * windowMs) / PHASES);
		const phases = phaseMs === undefined ? evenly : [phaseMs];
		for (const one of phases) counters.push(new FixedWindow(limit.max, windowMs, one));
	}
	return counters;
}

/** How limits are counted. */
export interface CountingRules {
	limits: LimitTable;
	windowMode: WindowMode;
	/** Every window length is multiplied by it. */
	timeScale: number;
	/** Whether a refused request counts in the windows too. */
	countRefused: boolean;
	/** The offset (ms) of fixed windows; by default, several at once. */
	phaseMs?: number;
}

/** The counters of all keys (section 8: limits are counted per API key). */
export class LimitCounters {
	private readonly countersByKey = new Map<string, Map<string, WindowCounter[]>>();

	/** @param rules with endpoints in the spelling of the calls of `admit` */
	constructor(private readonly rules: CountingRules) {}

	/**
	 * Decides about a request of a key at a time (ms), and counts it. It is refused if it would exceed any of the limits
	 * that apply (section 8, rule 1).
	 */
	admit(key: string, endpoint: string, nowMs: number): Verdict {
		const applicable = this.applicable(key, endpoint);
		const exceeded = applicable
			.filter(([, counters]) => counters.some((counter) => counter.wouldExceed(nowMs)))
			.map(([name]) => name);
		if (exceeded.length === 0 || this.rules.countRefused) this.count(key, endpoint, nowMs);
		if (exceeded.length === 0) return { exceeded, retryAfterMs: 0 };
		const waits = applicable.flatMap(([, counters]) =>
			counters.map((counter) => counter.waitMs(nowMs)),
		);
		return { exceeded, retryAfterMs: Math.max(...waits) };
	}

	/** Counts a request of a key at a time (ms) without a decision. */
	count(key: string, endpoint: string, nowMs: number): void {
		for (const [, counters] of this.applicable(key, endpoint)) {
			for (const counter of counters) counter.record(nowMs);
		}
	}

	/** Forgets everything counted so far. */
	reset(): void {
		this.countersByKey.clear();
	}

	private applicable(key: string, endpoint: string): [string, WindowCounter[]][] {
		const { limits } = this.rules;
		const counters = this.countersByKey.get(key) ?? new Map<string, WindowCounter[]>();
		this.countersByKey.set(key, counters);
		const find = (scope: string, limit: Limit): [string, WindowCounter[]] => {
			const name = `${scope}/${limit.windowSeconds}s`;
			const existing = counters.get(name) ?? countersFor(limit, this.rules);
			counters.set(name, existing);
			return [name, existing];
		};
		const applicable = limits.general.map((limit) => find('general', limit));
		const own = Object.hasOwn(limits.endpoints, endpoint) ? limits.endpoints[endpoint] : undefined;
		if (own !== undefined) applicable.push(find(endpoint, own));
		return applicable;
	}
}
