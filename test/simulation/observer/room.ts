/**
 * Wait for Room sends nothing, ends when there is room, wakes executions that wait for the same room one after the
 * other, and never waits without a reason. Checked only for waits without a fault.
 */
import { LIMITS_WITH_ROOM } from '../scenario/generateNodes';
import { beginOf } from '../scenario/plan';
import type { Played, Player } from '../scenario/player';
import type { Violation } from './observe';

/** The delay (ms) that clocks and a busy process may add. */
const SLACK_MS = 5_000;
/** How long (ms) an unused ticket, or a request without a response, may block others. */
const LONGEST_OBSTACLE_MS = 300_000;
/** How long (ms) the ticket of an execution that has waited is kept. */
const TICKET_KEPT_MS = 120_000;

interface Wait {
	name: string;
	/** The endpoint that needs room; undefined for all. */
	endpoint: string | undefined;
	requests: number;
	max: number;
	windowMs: number;
	from: number;
	to: number;
	/** When it was parked, which fixes its end; Infinity if it waited in the node. */
	parkedAt: number;
}

export function checkRoom(player: Player): Violation[] {
	const { network, plan, struck } = player;
	const waits = player.played.flatMap((played) => waitOf(player, played));
	const senders = new Set(waits.map(({ name }) => name));
	const sent = network.exchanges.filter(({ caller }) => senders.has(caller?.execution ?? ''));
	const strikes = [...struck.map(({ at }) => at), ...plan.faults.map(beginOf)];
	const quiet = waits.filter(
		({ from, to, windowMs }) =>
			!plan.hasLowerLimits &&
			!strikes.some((at) => at > from - windowMs - LONGEST_OBSTACLE_MS && at < to),
	);
	const found = quiet.flatMap((wait): Array<[kind: string, wait: Wait]> => [
		...(hasRoom(player, wait) ? [] : [['no room', wait] as [string, Wait]]),
		...(hasReason(player, wait, waits) ? [] : [['wait without a reason', wait] as [string, Wait]]),
		...quiet
			.filter((other) => wakesTogether(wait, other))
			.map((other): [string, Wait] => ['room given twice', other]),
	]);
	return [
		...sent.map(({ id }) => ({ kind: 'request of a wait', text: `request ${id}` })),
		...found.map(([kind, { name, from, to }]) => ({ kind, text: `${name} from ${from} to ${to}` })),
	];
}

function waitOf({ plan }: Player, { planned, execution, endedAt: to }: Played): Wait[] {
	const { parameters = {} } = plan.nodes.find(({ id }) => id === planned.node) ?? {};
	const { operation, limitOf, requests } = parameters;
	const { ending, wasParked } = execution;
	const { from, to: ranUntil = Infinity } = execution.runs.at(-1) ?? {};
	// An item that fails at once because the wait would be too long gets no room.
	const isGood = ending?.status === 'success' && ending.items.every(({ error }) => !error);
	if (operation !== 'waitForRoom' || !isGood || from === undefined || to === undefined) return [];
	const name = limitOf as keyof typeof LIMITS_WITH_ROOM;
	const { limits } = plan.service;
	const limit = LIMITS_WITH_ROOM[name](limits);
	if (limit === undefined) return [];
	const { max, windowSeconds } = limit;
	const endpoint = Object.keys(limits.endpoints).find((key) => limits.endpoints[key] === limit);
	const windowMs = windowSeconds * 1000;
	const parkedAt = wasParked ? ranUntil : Infinity;
	return [
		{ name: planned.id, endpoint, requests: requests as number, max, windowMs, from, to, parkedAt },
	];
}

function countedBy({ network }: Player, endpoint: string | undefined) {
	return network.exchanges.filter(
		(exchange) => endpoint === undefined || endpoint === exchange.endpoint,
	);
}

/** Ignores slots taken since the wait began, as tickets reserve nothing, and requests in flight when it was parked. */
function hasRoom(player: Player, wait: Wait): boolean {
	const { from, to, windowMs, max, requests, endpoint, parkedAt } = wait;
	const inWindow = countedBy(player, endpoint).filter(
		({ startedAt, respondedAt = Infinity, countedAt = 0 }) =>
			(parkedAt < Infinity ? respondedAt : startedAt) < from && countedAt > to - windowMs,
	);
	return inWindow.length + requests <= max;
}

function hasReason(player: Player, wait: Wait, waits: Wait[]): boolean {
	const { from, to, windowMs, requests, endpoint, max } = wait;
	if (to - from < 4 * SLACK_MS) return true;
	const [general] = player.plan.service.limits.general.slice(-1);
	const limits = [
		{ counted: countedBy(player, endpoint), max, windowMs },
		{
			counted: countedBy(player, undefined),
			max: general?.max ?? 0,
			windowMs: 1000 * (general?.windowSeconds ?? 0),
		},
	];
	const isBusy = limits.some((limit) => {
		const since = from - limit.windowMs - SLACK_MS;
		const between = limit.counted.filter(({ startedAt }) => startedAt > since && startedAt < to);
		return between.length + requests > limit.max;
	});
	const since = from - windowMs - TICKET_KEPT_MS;
	return isBusy || waits.some((other) => other !== wait && other.to > since && other.from < to);
}

/**
 * Whether the second wait began during the first, and both ended within a window that has no room for both. A second wait
 * that was parked earlier cannot know that the first one has to wait longer.
 */
function wakesTogether(first: Wait, second: Wait): boolean {
	return (
		first.parkedAt <= second.parkedAt &&
		first.endpoint === second.endpoint &&
		first.from < second.from - SLACK_MS &&
		second.from < first.to - SLACK_MS &&
		first.requests + second.requests > first.max &&
		Math.abs(second.to - first.to) < first.windowMs - SLACK_MS
	);
}
