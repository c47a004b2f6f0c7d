/** Valid reasons for a run to wait, besides a full window. */
import type { SavedNode } from '../n8n/workflow';
import { losesData } from '../scenario/generateFaults';
import { isSendOnce, type PlannedFault, type RedisEvent } from '../scenario/plan';
import type { Player } from '../scenario/player';
import type { Exchange } from '../service/exchange';
import type { Interval } from './intervals';

/** A time in which a run has no request in flight. */
export interface Wait {
	interval: Interval;
	node: SavedNode;
	execution: string;
	process: string;
	/** The keys of all its requests, as the credential may be edited before a retry. */
	keys: string[];
	/** Whether the wait ended with a request. */
	hasEnded: boolean;
	endpoint: string;
}

/** How long (ms) commands to Redis may be retried, with the time for what follows. */
const AFTER_REDIS_MS = 40_000;
/** The longest back-off (ms) after a failed attempt, without Retry-After. */
const LONGEST_BACKOFF_MS = 10_000;
/** How long (ms) after the timeout a lease or a place of a dead process may last. */
const AFTER_DEATH_MS = 75_000;

export function excusesOf(player: Player, wait: Wait): Interval[] {
	return [
		...pauses(player, wait),
		...ownFailures(player, wait),
		...leases(player, wait),
		...faults(player),
		...player.lives.map(({ bornAt }): Interval => [bornAt, bornAt + 1_000]),
	];
}

/** After a refusal, all requests of the key pause, for the Retry-After of the service or the back-off. */
function pauses({ network, plan }: Player, { keys }: Wait): Interval[] {
	const { general, endpoints } = plan.service.limits;
	const longest = Math.max(
		60_000,
		...[...general, ...Object.values(endpoints)].map(({ windowSeconds }) => windowSeconds * 1000),
	);
	return network.exchanges
		.filter(({ status, headers }) => status === 429 && keys.includes(headers['x-api-key'] ?? ''))
		.map(({ startedAt, respondedAt, retryAfterMs = 0 }): Interval => {
			const at = respondedAt ?? startedAt;
			return [startedAt, at + Math.max(longest, retryAfterMs) + LONGEST_BACKOFF_MS];
		});
}

function ownFailures({ network }: Player, { execution }: Wait): Interval[] {
	const isFailure = ({ status = 0, bodyAt }: Exchange) => status >= 400 || bodyAt === undefined;
	return network.exchanges
		.filter((exchange) => exchange.caller?.execution === execution && isFailure(exchange))
		.map((exchange): Interval => {
			const { startedAt, respondedAt, lostAt, retryAfterMs = 0 } = exchange;
			const at = respondedAt ?? lostAt ?? startedAt;
			return [startedAt, at + LONGEST_BACKOFF_MS + Math.min(60_000, retryAfterMs)];
		});
}

function leases(player: Player, { node, execution }: Wait): Interval[] {
	const { network, played } = player;
	if (!isSendOnce(node)) return [];
	const others = new Set(
		played.filter(({ planned }) => planned.node === node.id).map(({ planned }) => planned.id),
	);
	others.delete(execution);
	const underWay = network.exchanges
		.filter(({ caller }) => others.has(caller?.execution ?? ''))
		.map(({ startedAt, bodyAt, lostAt }): Interval => {
			return [startedAt - 1_000, (bodyAt ?? lostAt ?? startedAt + 120_000) + 2_000];
		});
	return [...underWay, ...deaths(player, AFTER_DEATH_MS)];
}

function faults(player: Player): Interval[] {
	const struck = player.struck.map(({ at, fault }): Interval => [at, at + lastsFor(fault)]);
	return [...deaths(player, 15_000), ...struck];
}

function deaths({ plan, lives }: Player, ms: number): Interval[] {
	if (plan.store === 'memory') return [];
	return lives.flatMap(({ diedAt }): Interval[] => {
		return diedAt === undefined ? [] : [[diedAt, diedAt + ms]];
	});
}

/** How long (ms) a fault may delay any run. */
function lastsFor(fault: PlannedFault): number {
	switch (fault.kind) {
		case 'stall':
			return fault.ms + 5_000;
		case 'command':
			return AFTER_REDIS_MS + AFTER_DEATH_MS;
		case 'table':
			return AFTER_REDIS_MS;
		case 'redis':
			return lastsForRedis(fault.event);
		default:
			return 0;
	}
}

function lastsForRedis(event: RedisEvent): number {
	if (event.what === 'clock') {
		// A clock that was set back keeps windows full for as long, but for at most one more window.
		return Math.abs(event.stepMs) + 600_000 + AFTER_REDIS_MS;
	}
	const ms = 'ms' in event ? event.ms : 0;
	// A request whose outcome Redis does not know holds its slot until its timeout.
	const unsettledMs = event.what === 'flush' && losesData(event) ? 0 : AFTER_DEATH_MS;
	return ms + AFTER_REDIS_MS + unsettledMs;
}
