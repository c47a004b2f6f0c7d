// The goals of the node, and checks whether the results meet them.
import {
	type BenchmarkResults,
	type ContenderResult,
	findResult,
	type SingleRequest,
} from './results';
import { WORK_ITEMS, type WorkItem } from './workItems';

export interface Goal {
	goal: string;
	/** What was measured, in words and figures. */
	measured: string;
	isMet: boolean;
}

const LARGEST_RATIO = 1.05;
const SLACK_MS = 500;
const LARGEST_WAIT_RATIO = 1.5;
const TIMES_FASTER = [
	{ item: 'reads-30-50ms', times: 5 },
	{ item: 'reads-100-50ms', times: 1.5 },
];

const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

interface OwnResult {
	item: WorkItem;
	result: ContenderResult;
}

/** Whether all items of a work item succeeded. */
export function isComplete({ items, itemsThrough }: ContenderResult): boolean {
	return itemsThrough === items;
}

/** The longest time (ms) that a single request may wait: 1.5 times the wait for a slot, plus the request itself. */
function longestGoodWait({ slotMs }: SingleRequest, latencyMs: number): number {
	return LARGEST_WAIT_RATIO * slotMs + SLACK_MS + latencyMs;
}

/** Next to another client: makespan relative to the best in what is left, and own requests refused. */
const MOST_BESIDE_OTHERS = 1.5;
const MOST_REFUSED = 20;
const READS_OF_MOST_REFUSED = 130;
/** The share of the other client's requests refused, if it uses less than half of the limits, or more. */
const MOST_OF_OTHER_CLIENT = 0.25;
const MOST_OF_OTHER_CLIENT_WITH_LITTLE_LEFT = 0.4;
const LITTLE_LEFT = 0.5;

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** The goals next to another client, in words. */
export const BESIDE_OTHERS =
	`Beside another client of the key, all reads must get through in at most ${MOST_BESIDE_OTHERS} × the best possible time in the room that is left, ` +
	`with at most ${MOST_REFUSED} of ${READS_OF_MOST_REFUSED} requests refused, and ${percent(MOST_OF_OTHER_CLIENT)} of the other client's ` +
	`(${percent(MOST_OF_OTHER_CLIENT_WITH_LITTLE_LEFT)} if it uses more than half).`;

const seconds = (ms: number): string =>
	Number.isFinite(ms) ? `${(ms / 1000).toFixed(2)} s` : 'forever';

function nothingLost(own: OwnResult[]): Goal[] {
	const alone = own.filter(({ item }) => item.otherClientShare === undefined);
	if (alone.length === 0) return [];
	const results = alone.map(({ result }) => result);
	const singles = results.flatMap((result) => result.singles ?? []);
	const items = sum(results.map((result) => result.items)) + singles.length;
	const through =
		sum(results.map(({ itemsThrough }) => itemsThrough)) +
		singles.filter(({ waitMs }) => waitMs !== undefined).length;
	const refused = sum(results.map((result) => result.refused));
	return [
		{
			goal: 'Every item gets through and no request is refused if nothing else uses the key',
			measured: `${through} of ${items} through, ${refused} refused`,
			isMet: through === items && refused === 0,
		},
	];
}

function nearTheBest(own: OwnResult[]): Goal[] {
	const alone = own.filter(({ item }) => item.otherClientShare === undefined);
	const checked = alone.map(({ item, result }) => {
		// Both figures include the latency.
		const best = result.bestMs - item.latencyMs;
		const most = LARGEST_RATIO * best + SLACK_MS + item.latencyMs;
		return { item, result, most, isMet: isComplete(result) && result.makespanMs <= most };
	});
	const byRatio = checked.toSorted(
		(a, b) => b.result.makespanMs / b.most - a.result.makespanMs / a.most,
	);
	if (byRatio.length === 0) return [];
	const missed = byRatio.filter(({ isMet }) => !isMet);
	const named = (missed.length > 0 ? missed : byRatio.slice(0, 1)).map(
		({ item, result, most }) => `${item.title}: ${seconds(result.makespanMs)} of ${seconds(most)}`,
	);
	return [
		{
			goal: 'Makespan of at most 1.05 × the best possible + 0.5 s + one latency',
			measured:
				`${checked.length - missed.length} of ${checked.length} work items; ` +
				`${missed.length > 0 ? 'missed' : 'nearest to the bound'}: ${named.join('; ')}`,
			isMet: missed.length === 0,
		},
	];
}

function fasterThanBatching(results: BenchmarkResults): Goal[] {
	return TIMES_FASTER.flatMap(({ item, times }) => {
		const own = findResult(results, item, 'package');
		const batching = findResult(results, item, 'batching');
		if (own === undefined || batching === undefined) return [];
		const measured = batching.makespanMs / own.makespanMs;
		return [
			{
				goal: `${times} times as fast as HTTP Request with batching on ${own.items} reads`,
				measured: `${measured.toFixed(2)} times (${seconds(own.makespanMs)} and ${seconds(batching.makespanMs)})`,
				isMet: isComplete(own) && measured >= times,
			},
		];
	});
}

function shortWaits(own: OwnResult[]): Goal[] {
	return own.flatMap(({ item, result: { singles } }) => {
		if (singles === undefined) return [];
		const checked = singles.map((single) => ({
			waitMs: single.waitMs ?? Infinity,
			most: longestGoodWait(single, item.latencyMs),
		}));
		const good = checked.filter(({ waitMs, most }) => waitMs <= most);
		const [worst] = checked.toSorted((a, b) => b.waitMs / b.most - a.waitMs / a.most);
		const named =
			worst === undefined
				? ''
				: `; nearest to the bound or beyond: ${seconds(worst.waitMs)} of ${seconds(worst.most)}`;
		return [
			{
				goal: 'A single request beside a batch of 300 waits at most 1.5 × the time until a slot is free + 0.5 s + one latency',
				measured: `${good.length} of ${checked.length} single requests${named}`,
				isMet: checked.length > 0 && good.length === checked.length,
			},
		];
	});
}

function sentOnce(own: OwnResult[]): Goal[] {
	return own.flatMap(({ result: { documents, items } }) =>
		documents === undefined
			? []
			: [
					{
						goal: 'Every document is sent, and none twice when the workflow runs again',
						measured: `${documents.sent} of ${items} sent, ${documents.sentTwice} of them twice`,
						isMet: documents.sent === items && documents.sentTwice === 0,
					},
				],
	);
}

function besideOthers(own: OwnResult[]): Goal[] {
	return own.flatMap(({ item, result }) => {
		const { otherClientShare, inQueueMode = false } = item;
		const { otherClient, executionsPerWorker = [] } = result;
		if (otherClientShare === undefined || otherClient === undefined) return [];
		const isLittleLeft = 1 - otherClientShare < LITTLE_LEFT;
		const mostOfOtherClient = isLittleLeft
			? MOST_OF_OTHER_CLIENT_WITH_LITTLE_LEFT
			: MOST_OF_OTHER_CLIENT;
		const ratio = result.makespanMs / result.bestMs;
		const isPolite =
			result.refused * READS_OF_MOST_REFUSED <= MOST_REFUSED * result.items &&
			otherClient.refused <= mostOfOtherClient * otherClient.requests;
		const byWorkers = inQueueMode ? `, ${executionsPerWorker.join(' + ')} executions` : '';
		return [
			{
				goal: `130 reads beside ${percent(otherClientShare)} by another client${inQueueMode ? ', two workers' : ''}`,
				measured:
					`${result.itemsThrough} of ${result.items} through, ${ratio.toFixed(2)} × the best, ${result.refused} refused, ` +
					`of the other client ${otherClient.refused} of ${otherClient.requests}${byWorkers}`,
				isMet:
					isComplete(result) &&
					ratio <= MOST_BESIDE_OTHERS &&
					isPolite &&
					(!inQueueMode || (executionsPerWorker.length > 1 && !executionsPerWorker.includes(0))),
			},
		];
	});
}

/** The goals for which there are results. */
export function checkGoals(results: BenchmarkResults): Goal[] {
	const own = WORK_ITEMS.flatMap((item): OwnResult[] => {
		const result = findResult(results, item.id, 'package');
		return result === undefined ? [] : [{ item, result }];
	});
	return [
		...nothingLost(own),
		...nearTheBest(own),
		...fasterThanBatching(results),
		...shortWaits(own),
		...sentOnce(own),
		...besideOthers(own),
	];
}
