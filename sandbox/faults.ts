// Says which requests are to go wrong, and how: the choice among the rules that tests set.
//
// The interface document names no error but 401 and 429; what else can happen to a request on its way
// is the sandbox's own invention.

import type { EndpointDirectory } from './endpoints';
import type { FaultAction, FaultRule } from './faultRules';
import type { ReceivedRequest } from './request';

/** The header by which a test marks the requests that a rule is for. */
export const MARKER_HEADER = 'x-sandbox-marker';

interface ActiveRule {
	endpoint?: string;
	marker?: string;
	remaining: number;
	toSkip: number;
	probability: number;
	action: FaultAction;
}

/** The rules that are in force. The first that wants a request gets it; the later ones never see it. */
export class FaultBook {
	readonly #endpoints: EndpointDirectory;
	readonly #random: () => number;
	#rules: ActiveRule[] = [];
	#release: () => void = () => undefined;
	#cleared = this.#untilCleared();

	/** `random` gives numbers from 0 (inclusive) to 1 (exclusive). */
	constructor(endpoints: EndpointDirectory, random: () => number) {
		this.#endpoints = endpoints;
		this.#random = random;
	}

	/** How many rules are not spent yet. */
	get size(): number {
		return this.#rules.length;
	}

	/** Resolves when the rules of this moment are removed. */
	get cleared(): Promise<void> {
		return this.#cleared;
	}

	/** Puts a rule behind those already in force. Throws when its endpoint is malformed. */
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

	/** What goes wrong with this request, if anything. Uses up one turn of the rule that says so. */
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
