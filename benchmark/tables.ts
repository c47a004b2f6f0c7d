// Renders the tables of the page, and all figures as CSV.
import { DOCUMENTED_LIMITS } from '../sandbox/limits';
import { bestMakespan, windowsOf } from './bestSchedule';
import { CONTENDERS } from './contenders';
import { formatCount, formatTime, markdownTable } from './format';
import { isComplete } from './goals';
import type { ContenderResult } from './results';
import { CONTENDER_IDS, type WorkItem } from './workItems';

const NOT_APPLICABLE = '–';

/** A work item and its results. */
export interface Measured {
	item: WorkItem;
	results: ContenderResult[];
}

/** A column: its title, and its cells for the best possible schedule and for a contender. */
type Column = [title: string, best: string, cell: (result: ContenderResult) => string];

const shareOf = (through: number, all: number): string =>
	`${formatCount(through)}/${formatCount(all)}`;

/** The makespan, or if items were lost, how many succeeded; in brackets, the refused requests. */
function outcomeOf(result: ContenderResult): string {
	const { items, itemsThrough, refused, makespanMs, otherClient } = result;
	const outcome = isComplete(result) ? formatTime(makespanMs) : shareOf(itemsThrough, items);
	const all = refused === 0 ? outcome : `${outcome} (${formatCount(refused)})`;
	return otherClient === undefined
		? all
		: `${all}; ${shareOf(otherClient.refused, otherClient.requests)}`;
}

function outcomeColumn(item: WorkItem, results: ContenderResult[]): Column {
	const best = Math.min(...results.map(({ bestMs }) => bestMs));
	return [item.title, formatTime(best), outcomeOf];
}

function documentColumns({ work, workflows }: WorkItem): Column[] {
	if (work !== 'send') return [];
	const cell =
		(figure: keyof NonNullable<ContenderResult['documents']>) =>
		({ documents }: ContenderResult): string =>
			String(documents?.[figure] ?? NOT_APPLICABLE);
	return [
		['Documents sent', String(workflows[0]), cell('sent')],
		['Sent twice', '0', cell('sentTwice')],
	];
}

/** A row for the best possible schedule and for each contender; one or more columns for each work item. */
export function tableOf(measured: Measured[]): string {
	const columns = measured.flatMap(({ item, results }) =>
		[outcomeColumn(item, results), ...documentColumns(item)].map(([title, best, cell]) => ({
			title,
			best,
			cell,
			results,
		})),
	);
	const contenders = CONTENDER_IDS.filter((id) =>
		measured.some(({ results }) => results.some(({ contender }) => contender === id)),
	);
	const rows = contenders.map((id) => [
		CONTENDERS[id].title,
		...columns.map(({ cell, results }) => {
			const result = results.find(({ contender }) => contender === id);
			return result === undefined ? NOT_APPLICABLE : cell(result);
		}),
	]);
	const best = ['Best possible schedule', ...columns.map((column) => column.best)];
	return markdownTable(['Contender', ...columns.map(({ title }) => title)], [best, ...rows]);
}

/** The table that compares bulk deletions with one request per record. */
export function bulkTable(measured: Measured[]): string {
	const rows = measured.flatMap(({ item, results }) =>
		results.map(({ requests, makespanMs, bestMs }) => {
			const records = item.workflows[0] ?? 0;
			const oneEach =
				bestMakespan(records, windowsOf(DOCUMENTED_LIMITS, item.endpoint)) + item.latencyMs;
			return [
				formatCount(records),
				formatTime(oneEach),
				formatCount(requests),
				formatTime(makespanMs),
				formatTime(bestMs),
			];
		}),
	);
	const header = ['Records', 'One request each', 'Requests', 'Makespan, measured', 'Best possible'];
	return markdownTable(header, rows);
}

/** Formats a time (ms) in seconds, as exact as on the page. */
const inSeconds = (ms: number | undefined): string =>
	ms === undefined ? '' : String(Number((ms / 1000).toFixed(ms < 10_000 ? 2 : 1)));

const CSV_COLUMNS: [
	title: string,
	cell: (item: WorkItem, result: ContenderResult) => string | number | undefined,
][] = [
	['work item', ({ id }) => id],
	['contender', (_, { contender }) => contender],
	['items', (_, { items }) => items],
	['items through', (_, { itemsThrough }) => itemsThrough],
	['requests', (_, { requests }) => requests],
	['refused', (_, { refused }) => refused],
	['makespan (s)', (_, result) => (isComplete(result) ? inSeconds(result.makespanMs) : '')],
	['best possible (s)', (_, { bestMs }) => inSeconds(bestMs)],
	['whole workflow (s)', (_, { workflowMs }) => inSeconds(workflowMs)],
	['documents sent', (_, { documents }) => documents?.sent],
	['sent twice', (_, { documents }) => documents?.sentTwice],
	['missing', (_, { documents }) => documents?.missing],
	['requests of the other client', (_, { otherClient }) => otherClient?.requests],
	['refused of the other client', (_, { otherClient }) => otherClient?.refused],
	['executions per worker', (_, { executionsPerWorker }) => executionsPerWorker?.join(' + ')],
];

/** All figures except for the single requests, with a line for each work item and contender. */
export function csvOf(measured: Measured[]): string {
	const lines = measured.flatMap(({ item, results }) =>
		results.map((result) => CSV_COLUMNS.map(([, cell]) => cell(item, result) ?? '')),
	);
	return [CSV_COLUMNS.map(([title]) => title), ...lines]
		.map((line) => `${line.join(',')}\n`)
		.join('');
}
