/** Requests that ask the limit store by themselves. */
import type { Limits, RedisLimitStore } from '../../nodes/BusinessData/rateLimit';
import {
	type AppliedLimits,
	EndpointLimiter,
} from '../../nodes/BusinessData/rateLimit/endpointLimiter';
import { Permit, type PermitRequest } from '../../nodes/BusinessData/rateLimit/permit';
import { Queue } from '../../nodes/BusinessData/rateLimit/queue';
import { abortController } from '../../nodes/BusinessData/async';

/** The limits of a process that knows of no other clients. */
export function limitsOf(endpoint: string, limits: Limits['general']): AppliedLimits {
	return new EndpointLimiter(endpoint, () => undefined).under(limits, endpoint);
}

/** One window of two slots. */
export const GENERAL = limitsOf('general', [{ max: 2, windowMs: 300 }]);

/** A request of a queue, which is not in it yet; also with a `limitStore`, and told when it is over. */
export function permitUnder(
	queue: Queue,
	changes: Partial<PermitRequest> = {},
	onEnd: () => void = () => undefined,
): Permit {
	const limits = { general: [], endpoints: {} };
	const asked = { run: 'run', priority: 5, maxWaitMs: Infinity, inFlightMs: 400, limits };
	const { signal } = abortController();
	return new Permit({ ...asked, signal, ...changes }, queue, queue.limits, onEnd);
}

/** A request that asks the limit store by itself, without a queue. */
export class LimitStoreRequest {
	readonly permit: Permit;

	constructor(
		private readonly limitStore: RedisLimitStore,
		...countedBy: [own?: AppliedLimits, general?: AppliedLimits]
	) {
		const [own = GENERAL, general = own] = countedBy;
		this.permit = permitUnder(new Queue('queue', own, general), { limitStore });
	}

	/** Whether it has its slots now, which are held in this process as well. */
	async take(): Promise<boolean> {
		const { isTaken } = await this.limitStore.take(this.permit, abortController().signal);
		if (isTaken) this.permit.grant();
		return isTaken;
	}
}
