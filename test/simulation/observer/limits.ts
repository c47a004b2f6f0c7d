/**
 * No window of the service is over its limit by requests of ours alone.
 *
 * What excuses it: a process that counts alone and is killed has forgotten what it has sent; a Redis that lost its
 * data, or whose clock was set forward, has forgotten what others hold. Each process alone keeps its own count
 * even then, so that at most `processes × limit` are in a window: that is checked, too.
 */
import { losesData } from '../scenario/generateFaults';
import type { Plan } from '../scenario/plan';
import type { Player } from '../scenario/player';
import type { Limit } from '../service/counters';
import type { Exchange } from '../service/exchange';
import { timeOf } from '../world/history';
import { groupBy } from './groupBy';
import type { Violation } from './violation';

type Counted = Exchange & { countedAt: number };

export function checkLimits({ plan, network }: Player): Violation[] {
	const counted = network.exchanges.filter(
		(exchange): exchange is Counted =>
			exchange.countedAt !== undefined && exchange.isDouble !== true,
	);
	const forgottenAt = momentsOfForgetting(plan);
	const countsTogether = plan.store === 'redis';
	return groups(counted).flatMap(({ endpoint, own }) => {
		const limits = limitsOn(plan, endpoint);
		const alone = [...groupBy(own, ({ caller }) => caller?.process).values()];
		return limits.flatMap((limit) => [
			...alone.flatMap((some) => excesses(some, limit, endpoint, [])),
			...(countsTogether ? excesses(own, limit, endpoint, forgottenAt) : []),
		]);
	});
}

/** The requests of each key: all of them, and those to each endpoint with a limit of its own. */
function groups(counted: Counted[]) {
	const keyOf = (exchange: Counted) => exchange.headers['x-api-key'] ?? '';
	const endpointOf = ({ method, path }: Counted) => `${method} ${path}`;
	return [...groupBy(counted, keyOf).values()].flatMap((own) => [
		{ endpoint: undefined, own },
		...[...groupBy(own, endpointOf)].map(([endpoint, some]) => ({ endpoint, own: some })),
	]);
}

function limitsOn(plan: Plan, endpoint: string | undefined): Limit[] {
	const { general, endpoints } = plan.service.limits;
	if (endpoint === undefined) return general;
	const limit = endpoints[endpoint];
	return limit === undefined ? [] : [limit];
}

/** When (ms) Redis forgot what is held, or came to believe that it is over. */
function momentsOfForgetting({ faults }: Plan): number[] {
	return faults.flatMap((fault) => {
		if (fault.kind !== 'redis') return [];
		const { event, at } = fault;
		const isForward = event.what === 'clock' && event.stepMs > 0;
		return losesData(event) || isForward ? [at] : [];
	});
}

function excesses(
	own: Counted[],
	{ max, windowSeconds }: Limit,
	endpoint: string | undefined,
	forgottenAt: number[],
): Violation[] {
	const times = own.map(({ countedAt }) => countedAt).sort((a, b) => a - b);
	for (const [index, last] of times.entries()) {
		const first = times[index - max];
		if (first === undefined || last - first >= windowSeconds * 1000) continue;
		// What was on its way at that moment was counted a little later.
		if (forgottenAt.some((at) => at > first - 20_000 && at <= last)) continue;
		return [
			{
				kind: 'limit exceeded',
				text: `${max + 1} requests${endpoint === undefined ? '' : ` ${endpoint}`} from ${timeOf(first)} to ${timeOf(last)}, where ${max} are allowed in ${windowSeconds} s`,
			},
		];
	}
	return [];
}
