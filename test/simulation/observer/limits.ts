/**
 * No window of the service is over its limit by requests of ours alone.
 *
 * What excuses it: a process that counts alone and is killed has forgotten what it has sent; a Redis that lost its
 * data, or whose clock was set forward, has forgotten what others hold, until they have entered it again: that
 * takes a second, unless something hinders them, and what goes out meanwhile is not counted here. Each process alone
 * keeps its own count even then: that is checked, too.
 */
import { losesData } from '../scenario/generateFaults';
import { beginOf, type Plan, type PlannedFault } from '../scenario/plan';
import type { Player } from '../scenario/player';
import type { Limit } from '../service/counters';
import type { Exchange } from '../service/exchange';
import { timeOf } from '../world/history';
import { groupBy } from './groupBy';
import type { Violation } from './violation';

type Counted = Exchange & { countedAt: number };

/** How long (ms) it takes at most until all that is held is in Redis again. */
const ENTERED_AGAIN_MS = 1_500;
/** The same where something else is wrong with a process or with Redis. */
const HINDERED_MS = 40_000;

export function checkLimits(player: Player): Violation[] {
	const { plan, network } = player;
	const counted = network.exchanges.filter(
		(exchange): exchange is Counted =>
			exchange.countedAt !== undefined && exchange.isDouble !== true,
	);
	const countsTogether = plan.store === 'redis';
	return groups(counted).flatMap(({ endpoint, own }) => {
		const limits = limitsOn(plan, endpoint);
		const alone = [...groupBy(own, ({ caller }) => caller?.process).values()];
		return limits.flatMap((limit) => [
			...alone.flatMap((some) => excesses(some, limit, endpoint)),
			...(countsTogether ? excesses(known(player, own), limit, endpoint) : []),
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

/** Without those that Redis cannot have known. */
function known({ plan, lives }: Player, own: Counted[]): Counted[] {
	const losses = plan.faults.filter(isLoss).map((loss) => {
		const { at } = loss;
		const isHindered = plan.faults.some(
			(fault) =>
				fault !== loss &&
				['redis', 'command', 'stall'].includes(fault.kind) &&
				Math.abs(beginOf(fault) - at) < 2 * HINDERED_MS,
		);
		return { at, until: at + (isHindered ? HINDERED_MS : ENTERED_AGAIN_MS) };
	});
	const diedAt = (exchange: Counted) =>
		lives.find(({ process }) => process.name === exchange.caller?.process)?.diedAt ?? Infinity;
	return own.filter((exchange) =>
		losses.every(({ at, until }) => {
			const { startedAt } = exchange;
			return startedAt > until || (startedAt < at && diedAt(exchange) > until);
		}),
	);
}

/** Whether Redis forgets what is held, or comes to believe that it is over. */
function isLoss(fault: PlannedFault): fault is PlannedFault & { kind: 'redis' } {
	if (fault.kind !== 'redis') return false;
	const { event } = fault;
	return losesData(event) || (event.what === 'clock' && event.stepMs > 0);
}

function excesses(
	own: Counted[],
	{ max, windowSeconds }: Limit,
	endpoint: string | undefined,
): Violation[] {
	const times = own.map(({ countedAt }) => countedAt).sort((a, b) => a - b);
	for (const [index, last] of times.entries()) {
		const first = times[index - max];
		if (first === undefined || last - first >= windowSeconds * 1000) continue;
		return [
			{
				kind: 'limit exceeded',
				text: `${max + 1} requests${endpoint === undefined ? '' : ` ${endpoint}`} from ${timeOf(first)} to ${timeOf(last)}, where ${max} are allowed in ${windowSeconds} s`,
			},
		];
	}
	return [];
}
