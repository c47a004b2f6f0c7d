/** One limiter with the documented limits, in logical time, and the service that counts its requests. */
import { KeyLimiter, type SlotRequest } from '../../nodes/BusinessData/rateLimit/keyLimiter';
import type { Limits } from '../../nodes/BusinessData/rateLimit/limits';
import { abortController } from '../../nodes/BusinessData/waiting';
import { CountingService } from './countingService';

export const general = [
	{ max: 10, windowMs: 1_000 },
	{ max: 30, windowMs: 10_000 },
	{ max: 100, windowMs: 60_000 },
];
export const SEND = 'POST /txndata/sendTxn';
export const send = { max: 3, windowMs: 600_000 };
export const HOUR = 3_600_000;

export const limits: Limits = { general, scopes: { [SEND]: [send] } };
const never = abortController().signal;

export function slotRequest(changes: Partial<SlotRequest> = {}): SlotRequest {
	return { run: 'a', limits, signal: never, ...changes };
}

/** Everything here is new for each test. */
export class LimiterBench {
	readonly onIdle = jest.fn();

	/** What the limiter said last: whether nothing is queued, held, promised or known of others. */
	isIdle: boolean | undefined;

	readonly limiter = new KeyLimiter((isIdle) => {
		this.isIdle = isIdle;
		if (isIdle) this.onIdle();
	});

	/** Those that the requests are under. */
	limits = limits;

	readonly service = new CountingService();

	/** The run of each request, in the order in which they went out. */
	readonly sentRuns: string[] = [];

	async acquire(changes: Partial<SlotRequest> = {}) {
		return await this.limiter.acquire(slotRequest({ limits: this.limits, ...changes }));
	}

	/** One request: takes its slots, is counted, and gives them back. Returns when it went out (ms). */
	async request(changes: Partial<SlotRequest> = {}, latencyMs = 0): Promise<number> {
		const permit = await this.acquire(changes);
		this.sentRuns.push(changes.run ?? 'a');
		const sentAt = performance.now();
		await this.service.request(latencyMs / 2, latencyMs / 2);
		permit.letThrough();
		return sentAt;
	}

	/** So many of them at once. */
	async requests(count: number, changes?: Partial<SlotRequest>, latencyMs = 0): Promise<number[]> {
		const all = Array.from({ length: count }, async () => await this.request(changes, latencyMs));
		return await Promise.all(all);
	}
}
