/** A service in logical time that counts requests, and the judge of what was counted by it or by any other. */
import { DOCUMENTED_LIMITS, type LimitTable } from '../../sandbox/limits';
import { after } from './logicalTime';

export { DOCUMENTED_LIMITS };

/** A request as a service counted it. */
export interface CountedRequest {
	/** In ms. */
	at: number;
	/** `METHOD /path`. */
	endpoint?: string;
}

/**
 * The most of the moments (ms) in any half-open window of `windowMs`, wherever it starts: the windows of a clock
 * are among them.
 */
export function fullestWindow(moments: number[], windowMs: number): number {
	const times = [...moments].sort((a, b) => a - b);
	let first = 0;
	let fullest = 0;
	for (const [index, time] of times.entries()) {
		while (time - (times[first] ?? 0) >= windowMs) first++;
		fullest = Math.max(fullest, index - first + 1);
	}
	return fullest;
}

/**
 * The limits that requests of one key have exceeded, as the interface document states them unless others are
 * given, such as `general/60s`.
 */
export function exceededLimits(
	requests: CountedRequest[],
	{ general, endpoints }: LimitTable = DOCUMENTED_LIMITS,
): string[] {
	const named = [
		...general.map((limit) => ({ ...limit, scope: 'general', own: requests })),
		...Object.entries(endpoints).map(([scope, limit]) => ({
			...limit,
			scope,
			own: requests.filter(({ endpoint }) => endpoint === scope),
		})),
	];
	return named.flatMap(({ scope, max, windowSeconds, own }) => {
		const times = own.map(({ at }) => at);
		return fullestWindow(times, windowSeconds * 1000) > max ? [`${scope}/${windowSeconds}s`] : [];
	});
}

export class CountingService {
	/** When (ms) each request was counted, in order. */
	readonly counted: number[] = [];

	/** A request that takes `beforeMs` to arrive and whose answer takes `afterMs`. */
	async request(beforeMs: number, afterMs: number): Promise<void> {
		await after(beforeMs);
		this.counted.push(performance.now());
		await after(afterMs);
	}

	fullestWindow(windowMs: number): number {
		return fullestWindow(this.counted, windowMs);
	}
}
