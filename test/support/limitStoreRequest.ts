/** Requests that use the limit store directly. */
import type { Limits, RedisLimitStore } from '../../nodes/BusinessData/rateLimit';
import {
	type AppliedLimits,
	EndpointLimiter,
} from '../../nodes/BusinessData/rateLimit/endpointLimiter';
import {
	Permit,
	type PermitRequest,
	type RequestLimits,
} from '../../nodes/BusinessData/rateLimit/permit';
import { abortController } from '../../nodes/BusinessData/async';

/** The limits in a process without known other clients. */
export function limitsOf(endpoint: string, limits: Limits['general']): AppliedLimits {
	return new EndpointLimiter(endpoint, () => undefined).under(limits, endpoint);
}

/** One window of two slots. */
export const GENERAL = limitsOf('general', [{ max: 2, windowMs: 300 }]);

/** A permit that does not wait in a queue, optionally with a `limitStore` and a callback for its end. */
export function permitUnder(
	all: RequestLimits,
	changes: Partial<PermitRequest> = {},
	onEnd: () => void = () => undefined,
): Permit {
	const limits = { general: [], endpoints: {} };
	const asked = { run: 'run', priority: 5, maxWaitMs: Infinity, inFlightMs: 400, limits };
	const { signal } = abortController();
	return new Permit({ ...asked, signal, ...changes }, all, all, onEnd);
}

/** A request that uses the limit store without a queue. */
export class LimitStoreRequest {
	readonly permit: Permit;

	constructor(
		private readonly limitStore: RedisLimitStore,
		own = GENERAL,
		...general: AppliedLimits[]
	) {
		this.permit = permitUnder([own, ...general], { limitStore });
	}

	/** Tries to take its slots, in this process as well. Returns whether it has them. */
	async take(): Promise<boolean> {
		const { isTaken } = await this.limitStore.take(this.permit, abortController().signal);
		if (isTaken) this.permit.grant();
		return isTaken;
	}
}
