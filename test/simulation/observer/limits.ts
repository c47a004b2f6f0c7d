/**
 * The requests of the node alone never exceed a limit of the service.
 *
 * Exceptions: a killed process that counts in memory forgets its requests; a Redis that loses its data, or whose clock
 * is set forward, forgets the slots of all processes until they have entered them again. That takes a second unless
 * another fault interferes, and requests in that time are ignored here. Each process alone must keep the limits even
 * then, which is checked too.
 */
import type { Limit } from '../../../sandbox/limits';
import { countedBy, excesses } from '../../support/countedRequests';
import { losesData } from '../scenario/generateFaults';
import { beginOf, type PlannedFault } from '../scenario/plan';
import type { Player } from '../scenario/player';
import type { Exchange } from '../service/exchange';
import { timeOf } from '../world/history';
import { groupBy } from './groupBy';
import type { Violation } from './observe';

type Counted = Exchange & { countedAt: number };

/** The longest time (ms) until all held slots are in Redis again. */
const ENTERED_AGAIN_MS = 1_500;
/** The same, while another fault affects a process or Redis. */
const HINDERED_MS = 40_000;

export function checkLimits(player: Player): Violation[] {
	const { plan, network } = player;
	const counted = network.exchanges.filter((exchange): exchange is Counted => {
		return exchange.countedAt !== undefined && exchange.isDuplicate !== true;
	});
	const ofKeys = groupBy(counted, ({ headers }) => headers['x-api-key']);
	return [...ofKeys.values()].flatMap((ofKey) =>
		countedBy(ofKey, plan.service.limits).flatMap(({ limit, scope, own }) => {
			const alone = [...groupBy(own, ({ caller }) => caller?.process).values()];
			const together = plan.store === 'redis' ? [known(player, own)] : [];
			return [...alone, ...together].flatMap((some) => exceeded(some, limit, scope));
		}),
	);
}

/** The requests, without those that Redis cannot have known. */
function known({ plan, lives }: Player, own: Counted[]): Counted[] {
	const losses = plan.faults.filter(isLoss).map((loss) => {
		const { at, event } = loss;
		// Lost slots cannot be entered again before Redis is up.
		const awayMs = 'ms' in event ? event.ms : 0;
		const isHindered = plan.faults.some(
			(fault) =>
				fault !== loss &&
				['redis', 'command', 'stall'].includes(fault.kind) &&
				Math.abs(beginOf(fault) - at) < 2 * HINDERED_MS,
		);
		return { at, until: at + awayMs + (isHindered ? HINDERED_MS : ENTERED_AGAIN_MS) };
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

/** Whether Redis loses held slots, or considers them expired. */
function isLoss(fault: PlannedFault): fault is PlannedFault & { kind: 'redis' } {
	if (fault.kind !== 'redis') return false;
	const { event } = fault;
	return losesData(event) || (event.what === 'clock' && event.stepMs > 0);
}

function exceeded(own: Counted[], limit: Limit, scope: string): Violation[] {
	const times = own.map(({ countedAt }) => countedAt);
	return excesses(times, limit)
		.slice(0, 1)
		.map(({ first, last }) => ({
			kind: 'limit exceeded',
			text: `${limit.max + 1} requests (${scope}) from ${timeOf(first)} to ${timeOf(last)}, where ${limit.max} are allowed in ${limit.windowSeconds} s`,
		}));
}
