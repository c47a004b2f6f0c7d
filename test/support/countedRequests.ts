/** Judges the requests that a service has counted. */
import type { Limit, LimitTable } from '../../sandbox/limits';
import { EXAMPLE_LIMITS } from './exampleLimits';

/** A request as counted by a service. */
export interface CountedRequest {
	/** In ms. */
	at: number;
	/** `METHOD /path`. */
	endpoint?: string;
}

/** The most moments (ms) in any half-open window of `windowMs`, wherever it begins; so fixed windows are covered, too. */
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

/** The first and last moment (ms) of each group that exceeds a limit. */
export function excesses(moments: number[], { max, windowSeconds }: Limit) {
	const times = [...moments].sort((a, b) => a - b);
	return times.flatMap((last, index) => {
		const first = times[index - max];
		return first === undefined || last - first >= windowSeconds * 1000 ? [] : [{ first, last }];
	});
}

/** The requests of one key that each limit counts, by the example limits unless others are given. */
export function countedBy<T extends { endpoint?: string }>(
	requests: T[],
	{ general, endpoints }: LimitTable = EXAMPLE_LIMITS,
): Array<{ limit: Limit; scope: string; own: T[] }> {
	return [
		...general.map((limit) => ({ limit, scope: 'general', own: requests })),
		...Object.entries(endpoints).map(([scope, limit]) => {
			return { limit, scope, own: requests.filter(({ endpoint }) => endpoint === scope) };
		}),
	];
}

/** The limits that requests of one key have exceeded, such as `general/60s`. */
export function exceededLimits(requests: CountedRequest[], limits?: LimitTable): string[] {
	return countedBy(requests, limits).flatMap(({ limit, scope, own }) => {
		const times = own.map(({ at }) => at);
		return excesses(times, limit).length > 0 ? [`${scope}/${limit.windowSeconds}s`] : [];
	});
}
