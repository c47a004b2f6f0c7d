// The table of each work item.
import { bestMakespan } from './bestSchedule';
import { CONTENDERS } from './contenders';
import { formatCount, formatTime, markdownTable } from './format';
import { isComplete, longestGoodWait } from './goals';
import { scaledTable, windowsOf } from './limits';
import { requestsFor } from './measure';
import type { ContenderResult, SingleRequest } from './results';
import { largest, median } from './statistics';
import type { WorkItem } from './workItems';

const NOT_APPLICABLE = '–';

/** One column: its title, its cell for the best possible schedule, and for a contender. */
type Column = [title: string, best: string, cell: (result: ContenderResult) => string];

const shareOf = (through: number, all: number): string =>
	`${formatCount(through)} of ${formatCount(all)}`;

function makespanColumns(item: WorkItem, results: ContenderResult[]): Column[] {
	const bests = results.map(({ bestMs }) => bestMs);
	const best = Math.min(...bests);
	// With single requests in between, each contender has had its own number of requests.
	const bestCell = best === Math.max(...bests) ? formatTime(best) : NOT_APPLICABLE;
	// Where items were lost, the time until the last of the others is no makespan.
	const ifComplete = (cell: (result: ContenderResult) => string) => (result: ContenderResult) =>
		isComplete(result) ? cell(result) : NOT_APPLICABLE;
	const ratio = item.foreignShare === undefined ? 'Makespan ÷ best' : 'Makespan ÷ best left';
	return [
		['Makespan', bestCell, ifComplete(({ makespanMs }) => formatTime(makespanMs))],
		[ratio, '1.00', ifComplete(({ makespanMs, bestMs }) => (makespanMs / bestMs).toFixed(2))],
		['Whole workflow', NOT_APPLICABLE, ({ workflowMs }) => formatTime(workflowMs)],
	];
}

function documentColumns({ work, workflows }: WorkItem): Column[] {
	if (work !== 'send') return [];
	const cell =
		(figure: keyof NonNullable<ContenderResult['documents']>) =>
		({ documents }: ContenderResult): string =>
			String(documents?.[figure] ?? NOT_APPLICABLE);
	return [
		['Documents sent', String(workflows[0]), cell('sent')],
		['Sent twice after the second run', '0', cell('sentTwice')],
		['Missing after the second run', '0', cell('missing')],
	];
}

function singleColumns({ singlesEverySeconds, latencyMs }: WorkItem): Column[] {
	if (singlesEverySeconds === undefined) return [];
	const cell =
		(read: (singles: SingleRequest[]) => number | undefined, format: (value: number) => string) =>
		({ singles = [] }: ContenderResult): string => {
			const value = read(singles);
			return value === undefined ? NOT_APPLICABLE : format(value);
		};
	const waits = (singles: SingleRequest[]) => singles.flatMap(({ waitMs }) => waitMs ?? []);
	const isGood = (single: SingleRequest) =>
		single.waitMs !== undefined && single.waitMs <= longestGoodWait(single, latencyMs);
	return [
		[
			'Single requests through',
			NOT_APPLICABLE,
			({ singles = [] }) => shareOf(waits(singles).length, singles.length),
		],
		['Median wait of these', NOT_APPLICABLE, cell((singles) => median(waits(singles)), formatTime)],
		[
			'Longest wait of these',
			NOT_APPLICABLE,
			cell((singles) => largest(waits(singles)), formatTime),
		],
		[
			'Longest time until a slot is free',
			NOT_APPLICABLE,
			cell((singles) => largest(singles.map(({ slotMs }) => slotMs)), formatTime),
		],
		[
			'Within the goal',
			NOT_APPLICABLE,
			({ singles = [] }) => shareOf(singles.filter(isGood).length, singles.length),
		],
	];
}

function foreignColumns({ foreignShare }: WorkItem): Column[] {
	if (foreignShare === undefined) return [];
	return [
		[
			'Refused of the foreign program',
			NOT_APPLICABLE,
			({ foreign }) =>
				foreign === undefined ? NOT_APPLICABLE : shareOf(foreign.refused, foreign.requests),
		],
	];
}

function workerColumns({ inQueueMode }: WorkItem): Column[] {
	if (!inQueueMode) return [];
	return [
		[
			'Executions per worker',
			NOT_APPLICABLE,
			({ executionsPerWorker = [] }) => executionsPerWorker.join(' + '),
		],
	];
}

/** The table of a work item: a row for the best possible schedule, and one for each contender. */
export function tableOf(item: WorkItem, results: ContenderResult[]): string {
	const count = requestsFor(item);
	const columns: Column[] = [
		['Contender', 'Best possible schedule', ({ contender }) => CONTENDERS[contender].title],
		[
			'Items through',
			shareOf(count, count),
			(result) => shareOf(result.itemsThrough, result.items),
		],
		['Requests', String(count), ({ requests }) => formatCount(requests)],
		['Refused (429)', '0', ({ refused }) => formatCount(refused)],
		...makespanColumns(item, results),
		...documentColumns(item),
		...singleColumns(item),
		...foreignColumns(item),
		...workerColumns(item),
	];
	// The singles come beside the work, so there is no one schedule for all of it.
	const best = item.singlesEverySeconds === undefined ? [columns.map(([, cell]) => cell)] : [];
	const rows = results.map((result) => columns.map(([, , cell]) => cell(result)));
	return markdownTable(
		columns.map(([title]) => title),
		[...best, ...rows],
	);
}

/** The table of the bulk deletions beside one request per record. */
export function bulkTable(measured: { item: WorkItem; result: ContenderResult }[]): string {
	const realWindows = (endpoint: string) => windowsOf(scaledTable(1, 1), endpoint);
	const rows = measured.flatMap(({ item, result }) => {
		const records = item.workflows[0] ?? 0;
		const atBest = (requests: number) =>
			formatTime(bestMakespan(requests, realWindows(item.endpoint)) + item.latencyMs);
		return [
			[
				`${formatCount(records)}, one request each (computed)`,
				formatCount(records),
				...Array<string>(4).fill(NOT_APPLICABLE),
				atBest(records),
			],
			[
				`${formatCount(records)}, ${CONTENDERS[result.contender].title}`,
				formatCount(result.requests),
				formatCount(result.refused),
				formatTime(result.makespanMs),
				formatTime(result.bestMs),
				formatTime(result.workflowMs),
				atBest(requestsFor(item)),
			],
		];
	});
	return markdownTable(
		[
			'Records',
			'Requests',
			'Refused (429)',
			'Makespan, measured',
			'Best possible there',
			'Whole workflow',
			'Best possible at the real limits',
		],
		rows,
	);
}
