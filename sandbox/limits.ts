// Counts requests per API key and says which of them exceed a limit (sections 7 and 8).

/**
 * How the windows of the limits are counted, which section 8 leaves open. What `fixed` refuses,
 * `sliding` refuses too, so `both` is as strict as `sliding` alone.
 */
export type WindowMode = 'sliding' | 'fixed' | 'both';

/** At most `max` requests per key within `windowSeconds` (s, before scaling). */
export interface Limit {
	max: number;
	windowSeconds: number;
}

/** General limits apply to every request; an endpoint's own limit comes on top (section 8). */
export interface LimitTable {
	general: Limit[];
	/** By endpoint, written as `METHOD /path`. */
	endpoints: Record<string, Limit>;
}

/**
 * The documented limits, written down by hand from section 8 of the interface document: the sandbox judges by them,
 * and by nothing that the node itself says of its limits.
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

/** What the limits say to one request. */
export interface Verdict {
	/** Names of the exceeded limits, such as `general/60s`; empty when the request is admitted. */
	exceeded: string[];
	/** Time in ms after which a request would be admitted, if no other came in between. */
	retryAfterMs: number;
}

interface WindowCounter {
	/** Whether one more request at this moment would exceed the limit. */
	wouldExceed(nowMs: number): boolean;
	record(nowMs: number): void;
	/** Time in ms until one more request fits. */
	waitMs(nowMs: number): number;
}

/** A log of moments: counts what lies less than one window (ms) back. */
class SlidingWindow implements WindowCounter {
	readonly #max: number;
	readonly #windowMs: number;
	#moments: number[] = [];

	constructor(max: number, windowMs: number) {
		this.#max = max;
		this.#windowMs = windowMs;
	}

	wouldExceed(nowMs: number): boolean {
		// Half-open: a request exactly one window old no longer counts.
		const firstInside = this.#moments.findIndex((moment) => nowMs - moment < this.#windowMs);
		this.#moments = firstInside < 0 ? [] : this.#moments.slice(firstInside);
		return this.#moments.length >= this.#max;
	}

	record(nowMs: number): void {
		this.#moments.push(nowMs);
	}

	waitMs(nowMs: number): number {
		if (!this.wouldExceed(nowMs)) return 0;
		const lastToLeave = this.#moments[this.#moments.length - this.#max] ?? nowMs;
		return this.#windowMs - (nowMs - lastToLeave);
	}
}

/** One counter that starts at zero whenever the next clock-aligned window (ms) begins. */
class FixedWindow implements WindowCounter {
	readonly #max: number;
	readonly #windowMs: number;
	readonly #phaseMs: number;
	#windowNumber = Number.NaN;
	#count = 0;

	constructor(max: number, windowMs: number, phaseMs: number) {
		this.#max = max;
		this.#windowMs = windowMs;
		this.#phaseMs = phaseMs;
	}

	wouldExceed(nowMs: number): boolean {
		const windowNumber = Math.floor((nowMs + this.#phaseMs) / this.#windowMs);
		if (windowNumber !== this.#windowNumber) this.#count = 0;
		this.#windowNumber = windowNumber;
		return this.#count >= this.#max;
	}

	record(nowMs: number): void {
		this.wouldExceed(nowMs);
		this.#count += 1;
	}

	waitMs(nowMs: number): number {
		if (!this.wouldExceed(nowMs)) return 0;
		return (this.#windowNumber + 1) * this.#windowMs - this.#phaseMs - nowMs;
	}
}

// Nobody knows where the service's windows begin. Looking at several beginnings at once shows that
// a client is safe whichever of them is the true one.
const FIXED_WINDOW_PHASES = 8;

function countersFor(limit: Limit, rules: CountingRules): WindowCounter[] {
	const { windowMode: mode, timeScale, phaseMs: only } = rules;
	const windowMs = limit.windowSeconds * 1000 * timeScale;
	const counters: WindowCounter[] = [];
	if (mode !== 'fixed') counters.push(new SlidingWindow(limit.max, windowMs));
	if (mode !== 'sliding') {
		const count = only === undefined ? FIXED_WINDOW_PHASES : 1;
		for (let phase = 0; phase < count; phase += 1) {
			const phaseMs = only ?? (phase * windowMs) / FIXED_WINDOW_PHASES;
			counters.push(new FixedWindow(limit.max, windowMs, phaseMs));
		}
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
	/** Where (ms) fixed windows begin; in several places at once unless given. */
	phaseMs?: number;
}

/** The counters of all keys (section 8: limits are counted per API key). */
export class LimitCounters {
	readonly #rules: CountingRules;
	readonly #countersByKey = new Map<string, Map<string, WindowCounter[]>>();

	/** `rules.limits.endpoints` must have the spelling that `admit` is called with. */
	constructor(rules: CountingRules) {
		this.#rules = rules;
	}

	/**
	 * Judges a request of a key at a moment (ms) and counts it. It is refused when it would exceed
	 * any one of the limits that apply (section 8, rule 1).
	 */
	admit(key: string, endpoint: string, nowMs: number): Verdict {
		const applicable = this.#applicable(key, endpoint);
		const exceeded = applicable
			.filter(([, counters]) => counters.some((counter) => counter.wouldExceed(nowMs)))
			.map(([name]) => name);
		if (exceeded.length === 0 || this.#rules.countRefused) this.count(key, endpoint, nowMs);
		if (exceeded.length === 0) return { exceeded, retryAfterMs: 0 };
		const waits = applicable.flatMap(([, counters]) =>
			counters.map((counter) => counter.waitMs(nowMs)),
		);
		return { exceeded, retryAfterMs: Math.max(...waits) };
	}

	/** Counts a request of a key at a moment (ms) without judging it. */
	count(key: string, endpoint: string, nowMs: number): void {
		for (const [, counters] of this.#applicable(key, endpoint)) {
			for (const counter of counters) counter.record(nowMs);
		}
	}

	/** Forgets everything counted so far. */
	reset(): void {
		this.#countersByKey.clear();
	}

	#applicable(key: string, endpoint: string): [string, WindowCounter[]][] {
		const { limits } = this.#rules;
		const counters = this.#countersByKey.get(key) ?? new Map<string, WindowCounter[]>();
		this.#countersByKey.set(key, counters);
		const find = (scope: string, limit: Limit): [string, WindowCounter[]] => {
			const name = `${scope}/${limit.windowSeconds}s`;
			const existing = counters.get(name) ?? countersFor(limit, this.#rules);
			counters.set(name, existing);
			return [name, existing];
		};
		const applicable = limits.general.map((limit) => find('general', limit));
		const own = Object.hasOwn(limits.endpoints, endpoint) ? limits.endpoints[endpoint] : undefined;
		if (own !== undefined) applicable.push(find(endpoint, own));
		return applicable;
	}
}
