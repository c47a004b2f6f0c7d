// Decides which fault, if any, a request gets, by the rules that tests set.
//
// The interface document names only the errors 401 and 429. All other faults are the sandbox's own invention.

import type { EndpointDirectory } from './endpoints';
import type { FaultAction, FaultRule } from './faultRules';
import type { ReceivedRequest } from './request';

/** The header with which a test marks the requests for a rule. */
export const MARKER_HEADER = 'x-sandbox-marker';

interface ActiveRule {
	endpoint?: string;
	marker?: string;
	remaining: number;
	toSkip: number;
	probability: number;
	action: FaultAction;
}

/** The active rules. The first one that matches a request applies; later ones do not see it. */
export class FaultBook {
	readonly #endpoints: EndpointDirectory;
	readonly #random: () => number;
	#rules: ActiveRule[] = [];
	#release: () => void = () => undefined;
	#cleared = this.#untilCleared();

	/** @param random returns numbers from 0 (inclusive) to 1 (exclusive) */
	constructor(endpoints: EndpointDirectory, random: () => number) {
		this.#endpoints = endpoints;
		this.#random = random;
	}

	/** The number of rules that still apply. */
	get size(): number {
		return this.#rules.length;
	}

	/** Resolves when the current rules are cleared. */
	get cleared(): Promise<void> {
		return this.#cleared;
	}

	/** Adds a rule after the active ones. Throws if its endpoint is malformed. */
	add(rule: FaultRule): void {
		this.#rules.push({
			endpoint: rule.endpoint === undefined ? undefined : this.#endpoints.normalise(rule.endpoint),
			marker: rule.marker,
			remaining: rule.times ?? 1,
			toSkip: rule.after ?? 0,
			probability: rule.probability ?? 1,
			action: rule.action,
		});
	}

	/** The fault of this request, if any. Counts against the `times` of its rule. */
	next(request: Pick<ReceivedRequest, 'endpoint' | 'headers'>): FaultAction | undefined {
		const rule = this.#rules.find((candidate) => this.#wants(candidate, request));
		if (rule === undefined) return undefined;
		rule.remaining -= 1;
		this.#rules = this.#rules.filter((candidate) => candidate.remaining > 0);
		return rule.action;
	}

	/** Removes all rules. */
	clear(): void {
		this.#rules = [];
		this.#release();
		this.#cleared = this.#untilCleared();
	}

	#untilCleared(): Promise<void> {
		return new Promise((resolve) => (this.#release = resolve));
	}

	#wants(rule: ActiveRule, request: Pick<ReceivedRequest, 'endpoint' | 'headers'>): boolean {
		if (rule.endpoint !== undefined && rule.endpoint !== request.endpoint) return false;
		if (rule.marker !== undefined && rule.marker !== request.headers[MARKER_HEADER]) return false;
		if (rule.toSkip > 0) {
			rule.toSkip -= 1;
			return false;
		}
		return this.#random() < rule.probability;
	}
}
