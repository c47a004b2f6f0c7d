// Decides which fault, if any, a request gets, by the rules that tests set.
//
// The interface document names only the errors 401 and 429. All other faults are the sandbox's own invention.

import type { EndpointDirectory } from './endpoints';
import type { FaultAction, FaultRule } from './faultRules';
import type { ReceivedRequest } from './request';

/** The header with which a test marks the requests for a rule. */
export const MARKER_HEADER = 'x-sandbox-marker';

type ActiveRule = FaultRule & { times: number; after: number };

/** The active rules. The first one that matches a request applies; later ones do not see it. */
export class FaultBook {
	private rules: ActiveRule[] = [];
	private release: () => void = () => undefined;
	/** Resolves when the current rules are cleared. */
	cleared = this.untilCleared();

	constructor(private readonly endpoints: EndpointDirectory) {}

	/** The number of rules that still apply. */
	get size(): number {
		return this.rules.length;
	}

	/** Adds a rule after the active ones. Throws if its endpoint is malformed. */
	add({ endpoint, times = 1, after = 0, ...rule }: FaultRule): void {
		const name = endpoint === undefined ? undefined : this.endpoints.normalize(endpoint);
		this.rules.push({ ...rule, endpoint: name, times, after });
	}

	/** The fault of this request, if any. Counts against the `times` of its rule. */
	next(request: Pick<ReceivedRequest, 'endpoint' | 'headers'>): FaultAction | undefined {
		const rule = this.rules.find(
			(one) =>
				(one.endpoint === undefined || one.endpoint === request.endpoint) &&
				(one.marker === undefined || one.marker === request.headers[MARKER_HEADER]) &&
				one.after-- <= 0,
		);
		if (rule === undefined) return undefined;
		rule.times -= 1;
		this.rules = this.rules.filter(({ times }) => times > 0);
		return rule.action;
	}

	/** Removes all rules. */
	clear(): void {
		this.rules = [];
		this.release();
		this.cleared = this.untilCleared();
	}

	private untilCleared(): Promise<void> {
		return new Promise((resolve) => (this.release = resolve));
	}
}
