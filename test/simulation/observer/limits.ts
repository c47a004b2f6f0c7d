/**
 * No window of the service is over its limit by the requests of the node alone.
 *
 * What excuses it: a process that counts alone and is killed has forgotten what it has sent; a Redis that lost its
 * data, or whose clock was set forward, has forgotten what others hold, until they have entered it again: that
 * takes a second, unless something hinders them, and what goes out meanwhile is not counted here. Each process alone
 * keeps its own count even then: that is checked, too.
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

/** How long (ms) it takes at most until all that is held is in Redis again. */
const ENTERED_AGAIN_MS = 1_500;
/** The same where something else is wrong with a process or with Redis. */
const HINDERED_MS = 40_000;

export function checkLimits(player: Player): Violation[] {
	const { plan, network } = player;
	const counted = network.exchanges.filter((exchange): exchange is Counted => {
		return exchange.countedAt !== undefined && exchange.isDouble !== true;
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

/** Without those that Redis cannot have known. */
function known({ plan, lives }: Player, own: Counted[]): Counted[] {
	const losses = plan.faults.filter(isLoss).map((loss) => {
		const { at, event } = loss;
		// What is lost cannot be entered before Redis is there again.
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

/** Whether Redis forgets what is held, or comes to believe that it is over. */
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
