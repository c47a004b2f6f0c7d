// Says which requests are to go wrong, and how: the rules that tests set, and the choice among them.
//
// The interface document names no error but 401 and 429; what else can happen to a request on its way
// is the sandbox's own invention.

import type { EndpointDirectory } from './endpoints';
import type { RetryAfterForm } from './refusal';
import type { ReceivedRequest } from './request';

/** The header by which a test marks the requests that a rule is for. */
export const MARKER_HEADER = 'x-sandbox-marker';

/** What goes wrong with a request. Unless said otherwise the request acts before it goes wrong. */
export type FaultAction =
	/** A scripted answer, `afterMs` (ms) late. The request acts only when `act` is true. */
	| {
			type: 'status';
			status: number;
			/** Text is sent as it is, anything else as JSON. */
			body?: unknown;
			headers?: Record<string, string>;
			contentType?: string;
			act?: boolean;
			afterMs?: number;
	  }
	/** A scripted 429, which says in this form to come back after `waitMs` (ms). It does not act. */
	| { type: 'refuse'; retryAfter: RetryAfterForm; waitMs: number }
	/** The connection ends without an answer, before the request has acted. */
	| { type: 'hangUpBeforeActing' }
	/** The connection ends without an answer, after the request has acted. */
	| { type: 'hangUpAfterActing' }
	/** The right answer comes `ms` (ms) late; the request acts before or after that time. */
	| { type: 'delay'; ms: number; actFirst: boolean }
	/** The connection stays open, without any answer. */
	| { type: 'neverAnswer'; act: boolean }
	/** Half of the right answer, and then the connection ends. */
	| { type: 'truncate' }
	/** The right status with half a JSON text as its complete body. */
	| { type: 'brokenJson' }
	/** The right status with no body. */
	| { type: 'emptyBody' }
	/** The right status with a JSON string of so many megabytes. */
	| { type: 'hugeBody'; megabytes: number }
	/** The right answer, so many bytes at a time, one piece every `everyMs` (ms). */
	| { type: 'trickle'; bytes: number; everyMs: number };

/**
 * A rule that makes requests go wrong. Only requests that passed the checks of the key and of the
 * limits meet the rules, so that a scripted answer never hides a genuine refusal.
 */
export interface FaultRule {
	/** `METHOD /path`, in any spelling; default: every endpoint. */
	endpoint?: string;
	/** Only requests that carry this value in the header `x-sandbox-marker`; default: all. */
	marker?: string;
	/** How many requests go wrong before the rule is spent; default 1, may be Infinity. */
	times?: number;
	/** How many matching requests pass unharmed first; default 0. */
	after?: number;
	/** Chance from 0 to 1 that a matching request goes wrong; default 1. */
	probability?: number;
	action: FaultAction;
}

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

	/** `random` gives numbers from 0 (inclusive) to 1 (exclusive). */
	constructor(endpoints: EndpointDirectory, random: () => number) {
		this.#endpoints = endpoints;
		this.#random = random;
	}

	/** How many rules are not spent yet. */
	get size(): number {
		return this.#rules.length;
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
