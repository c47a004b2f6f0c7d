/**
 * After the day, no slot is held any more: the requests that a limit allows go out as soon as the windows have room, as
 * seen by the service. The output of Get Status must agree with that.
 */
import type { Limit } from '../../../sandbox/limits';
import { countedBy } from '../../support/countedRequests';
import type { Execution } from '../n8n/execution';
import type { Player } from '../scenario/player';
import type { Exchange } from '../service/exchange';
import { timeOf } from '../world/history';
import { crowded, type Interval, without } from './intervals';
import type { Violation } from './observe';

/** How long (ms) a run may wait although there is room. */
const BOUND_MS = 6_000;
/** The delay (ms) that window margins and a busy event loop may add. */
const MARGIN_MS = 1_500;

interface Counted {
	limit: Limit;
	scope: string;
	own: Exchange[];
}

export function checkNights({ nights, network }: Player): Violation[] {
	return nights.flatMap(({ life, limits, before, filling, after }) => {
		const requests = network.exchanges.filter(
			({ caller }) => caller?.execution === filling.start.id,
		);
		const counted = countedBy(requests, limits);
		const found: Array<[kind: string, text: string | undefined]> = [
			['slot left', lossIn(filling, requests, counted)],
			['status is not so', difference(before, [])],
			['status is not so', difference(after, counted)],
		];
		return found.flatMap(([kind, text]) =>
			text === undefined ? [] : [{ kind, text: `${life.process.name}: ${text}` }],
		);
	});
}

function lossIn({ start, runs }: Execution, requests: Exchange[], counted: Counted[]) {
	if (requests.length < start.items.length) {
		return `${requests.length} of ${start.items.length} requests went out`;
	}
	const from = runs[0]?.from ?? 0;
	const last = Math.max(...requests.map(({ startedAt }) => startedAt));
	const full = counted.flatMap(({ limit: { max, windowSeconds }, own }) =>
		crowded(
			own.map((one) => [one.startedAt, goneAt(one, windowSeconds)]),
			max,
		),
	);
	const underWay = requests.map(({ startedAt, bodyAt = last }): Interval => [startedAt, bodyAt]);
	const [idle] = without([from, last], [...full, ...underWay]).filter(
		([begin, end]) => end - begin > BOUND_MS,
	);
	return idle && `${start.id} waits from ${timeOf(idle[0])} to ${timeOf(idle[1])} with room`;
}

function goneAt({ respondedAt = Infinity }: Exchange, windowSeconds: number): number {
	return respondedAt + windowSeconds * 1000 + MARGIN_MS;
}

function difference({ runs, ending }: Execution, counted: Counted[]): string | undefined {
	if (ending?.status !== 'success') return 'there is none';
	const { from = 0, to = 0 } = runs[0] ?? {};
	const shown = ending.items.map(({ json }) => json as Record<string, number>);
	const wrong = shown.find(
		({ limit: name, max = 0, used = 0, remaining, queued, availableInMs }) => {
			const { limit, own = [] } =
				counted.find(({ limit, scope }) => `${scope}/${limit.windowSeconds}s` === String(name)) ??
				{};
			const { windowSeconds = 0 } = limit ?? {};
			const least = own.filter(({ countedAt = 0 }) => countedAt + windowSeconds * 1000 > to);
			const most = own.filter((one) => goneAt(one, windowSeconds) > from);
			const isUsed = used >= least.length && used <= most.length && remaining === max - used;
			return !isUsed || queued !== 0 || (most.length < max && availableInMs !== 0);
		},
	);
	return wrong && JSON.stringify(wrong);
}
