/**
 * No run waits although there is room, and none starves.
 *
 * Room is what a run can know: a slot is taken from the start of a request until its window has passed after the
 * response, or longer by the timeout if it timed out or its process died. A waiting run with room in all its windows and
 * no other reason to wait must continue within a bound: 5 s if a process counts in memory; 20 s if processes share
 * Redis, because a waiting request asks again every 5 s, and a place is kept 2 s longer.
 */
import type { Played, Player } from '../scenario/player';
import { isSendOnce } from '../scenario/plan';
import type { Exchange } from '../service/exchange';
import { timeOf } from '../world/history';
import { excusesOf, type Wait } from './excuses';
import { crowded, type Interval, overlap, union, without } from './intervals';
import type { Violation } from './observe';

const BOUND_MS = { memory: 5_000, redis: 20_000 };
/** The longest time (ms) until a request that waits in Redis asks again. */
const TURN_MS = 5_500;
/** The delay (ms) that window margins and a busy event loop may add. */
const MARGIN_MS = 1_500;
/** How long (ms) after the timeout the slots of a dead process may last. */
const LONGEST_SLACK_MS = 20_000;
/** How long (ms) a process needs to notice that Redis has lost data, and to enter its slots again. */
const ENTERED_AGAIN_MS = 5_000;
/** The most requests that have slots in Redis but have not begun: admission takes some ms. */
const MOST_UNSEEN = 3;

export function checkProgress(player: Player): Violation[] {
	return player.played
		.flatMap((played) => waitsOf(player, played))
		.flatMap((wait) => [...idleness(player, wait), ...starvation(player, wait)]);
}

function waitsOf(player: Player, played: Played): Wait[] {
	const { plan } = player;
	const { planned, execution, life } = played;
	const node = plan.nodes.find(({ id }) => id === planned.node);
	const own = requestsOf(player, played);
	const [first] = own;
	if (node === undefined || first === undefined) return [];
	const keys = [...new Set(own.map(({ headers }) => headers['x-api-key'] ?? ''))];
	const { endpoint } = first;
	const until = Math.min(life.diedAt ?? Infinity, execution.stoppedAt ?? Infinity);
	// Each call of a tool is a separate run.
	return execution.runs.flatMap(({ from, to = Infinity }, index) => {
		const ofRun = own.filter(({ caller }) => caller?.run === index + 1);
		const underWay = ofRun.map((exchange): Interval => [exchange.startedAt, endOf(exchange)]);
		return without([from, Math.min(to, until)], underWay).map((interval) => ({
			interval,
			node,
			execution: planned.id,
			process: life.process.name,
			keys,
			endpoint,
			hasEnded: underWay.some(([begin]) => begin === interval[1]),
		}));
	});
}

function requestsOf({ network }: Player, { planned }: Played): Exchange[] {
	return network.exchanges.filter(({ caller }) => caller?.execution === planned.id);
}

/** The number of active runs. Each call of a tool is one. */
function runsAt({ execution }: Played, moment: number): number {
	const { runs } = execution;
	return runs.filter(({ from, to = Infinity }) => from <= moment && moment <= to).length;
}

function endOf({ bodyAt, lostAt, startedAt }: Exchange): number {
	return Math.min(bodyAt ?? Infinity, lostAt ?? Infinity, startedAt + 3_600_000);
}

function idleness(player: Player, wait: Wait): Violation[] {
	const bound = BOUND_MS[player.plan.store] + skippersMs(player, wait);
	const [from, to] = wait.interval;
	if (to - from <= bound) return [];
	const windows = windowsOf(player, wait.endpoint);
	const full = wait.keys.flatMap((key) =>
		windows.flatMap(({ max, windowMs, endpoint }) => {
			const taken = rivals(player, wait.process, key, endpoint).map((exchange) =>
				slotOf(player, exchange, windowMs),
			);
			return crowded([...taken, ...unseenSlots(player, key, endpoint, windowMs)], max);
		}),
	);
	const blocked = union([...full, ...excusesOf(player, wait)]);
	return without(wait.interval, blocked)
		.filter(([begin, end]) => end - begin > bound)
		.slice(0, 1)
		.map(([begin, end]) => ({
			kind: 'waits although there is room',
			text: `${wait.execution} in ${wait.process} for ${wait.endpoint} from ${timeOf(begin)} to ${timeOf(end)}`,
		}));
}

/** An execution that finds out in its turn that its key was used delays those after it by a turn. */
function skippersMs({ plan, played }: Player, { node, interval }: Wait): number {
	if (!isSendOnce(node) || plan.store === 'memory') return 0;
	const rivals = played.filter(
		({ planned, startedAt, endedAt = Infinity }) =>
			planned.node === node.id && overlap([startedAt, endedAt], interval),
	);
	return rivals.length * TURN_MS;
}

/** The windows in which a request to the endpoint counts, with the lowest limits that were ever set. */
function windowsOf({ plan }: Player, endpoint: string) {
	const { general, endpoints } = plan.service.limits;
	const lowest = (limit: { max: number }) => Math.max(1, limit.max - (plan.hasLowerLimits ? 2 : 0));
	const own = endpoints[endpoint];
	return [
		...general.map((limit) => ({
			max: lowest(limit),
			windowMs: limit.windowSeconds * 1000,
			endpoint: undefined,
		})),
		...(own === undefined ? [] : [{ max: own.max, windowMs: own.windowSeconds * 1000, endpoint }]),
	];
}

function rivals(
	{ plan, network }: Player,
	process: string,
	key: string,
	endpoint: string | undefined,
) {
	return network.exchanges.filter(
		(exchange) =>
			exchange.isDuplicate !== true &&
			countsFor(exchange, key, endpoint) &&
			(plan.store === 'redis' || exchange.caller?.process === process),
	);
}

/** @param endpoint undefined if the requests to all endpoints count */
function countsFor(exchange: Exchange, key: string, endpoint: string | undefined): boolean {
	return (
		exchange.headers['x-api-key'] === key &&
		(endpoint === undefined || endpoint === exchange.endpoint)
	);
}

/** Slots of runs in a dead process: their next request may have been admitted just before. */
function unseenSlots(
	player: Player,
	key: string,
	endpoint: string | undefined,
	windowMs: number,
): Interval[] {
	if (player.plan.store === 'memory') return [];
	return player.lives.flatMap((life): Interval[] => {
		const { diedAt } = life;
		if (diedAt === undefined) return [];
		const unseen = player.played.flatMap((played) => {
			const [first] = requestsOf(player, played);
			// The endpoint of a request that never began is unknown.
			const mayCount = first === undefined || countsFor(first, key, endpoint);
			const isKilled = played.life === life && mayCount;
			return Array.from({ length: isKilled ? runsAt(played, diedAt) : 0 });
		});
		const until = diedAt + longestTimeoutMs(player.plan) + windowMs + MARGIN_MS + LONGEST_SLACK_MS;
		return unseen.slice(0, MOST_UNSEEN).map(() => [diedAt - MARGIN_MS, until]);
	});
}

/** The time in which a request holds a slot of the window. */
function slotOf({ plan, lives, struck }: Player, exchange: Exchange, windowMs: number): Interval {
	const { startedAt, respondedAt, lostAt = Infinity, caller } = exchange;
	// A document with a key takes its slot before its key is recorded.
	const from = startedAt - MARGIN_MS;
	const after = windowMs + MARGIN_MS;
	const timeoutMs = caller === undefined ? 0 : longestTimeoutMs(plan);
	const died = lives.find(({ process }) => process.name === caller?.process)?.diedAt ?? Infinity;
	if (respondedAt !== undefined && died > settledAt(struck, respondedAt))
		return [from, respondedAt + after];
	const over = Math.min(lostAt, startedAt + timeoutMs);
	const slackMs = died <= over + MARGIN_MS ? LONGEST_SLACK_MS : 0;
	return [from, over + timeoutMs + after + slackMs];
}

/** When Redis knows the outcome of a request: a moment later, or when its process enters it again after a fail-over. */
function settledAt(struck: Player['struck'], respondedAt: number): number {
	const lost = struck.flatMap(({ at, fault }) => {
		if (fault.kind !== 'redis' || fault.event.what !== 'failOver') return [];
		const { ms, lostMs } = fault.event;
		const isLost = at > respondedAt && at - lostMs < respondedAt + MARGIN_MS;
		return isLost ? [at + ms + ENTERED_AGAIN_MS] : [];
	});
	return Math.max(respondedAt + MARGIN_MS, ...lost);
}

function longestTimeoutMs({ nodes }: Player['plan']): number {
	const longest = nodes.map(({ parameters }) => {
		const { timeout = 60 } = (parameters.options ?? {}) as { timeout?: number };
		return timeout * 1000;
	});
	return Math.max(...longest);
}

/** In addition to the turns of others: a request that was refused, or came at the same moment, may go first. */
const MOST_OVERTAKEN = 2;

function starvation(player: Player, wait: Wait): Violation[] {
	const { endpoint, interval } = wait;
	if (player.plan.service.limits.endpoints[endpoint] === undefined) return [];
	if (excusesOf(player, wait).some((excuse) => overlap(excuse, interval))) return [];
	const others = player.played
		.flatMap((other) => waitsOf(player, other))
		.filter(
			(other) =>
				other.endpoint === endpoint &&
				other.hasEnded &&
				other.keys.some((key) => wait.keys.includes(key)),
		);
	const later = others.filter(
		(other) =>
			other.execution !== wait.execution &&
			other.interval[0] > interval[0] &&
			other.interval[1] < interval[1],
	);
	// Processes take turns, and within a process earlier requests go first.
	const before = others.filter(
		(other) =>
			other.process === wait.process &&
			other.interval[0] <= interval[0] &&
			other.interval[1] > interval[0],
	);
	// They include the waiting request itself.
	const most = Math.max(1, before.length) * player.plan.processes.length + MOST_OVERTAKEN;
	if (later.length <= most) return [];
	return [
		{
			kind: 'starves',
			text: `${wait.execution} in ${wait.process} waits for ${endpoint} from ${timeOf(interval[0])} to ${timeOf(interval[1])}, and ${later.length} that came later went before`,
		},
	];
}
