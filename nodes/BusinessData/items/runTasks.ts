/**
 * Runs the tasks of an operation. If the node continues on error, the output of a failed item is its error; otherwise the
 * first failure ends the run, and its error says what happened to every item.
 */
import type { INodeExecutionData } from 'n8n-workflow';

import { errorItem, isErrorJson, nameItems, type NodeError, toNodeError } from '../run/itemErrors';
import { describeSends, reportDuring } from '../run/progress';
import type { Run } from '../run/run';
import type { Endpoint } from '../transport/endpoints';
import { RequestError } from '../transport/requestError';
import { type Attempts, attemptsOf, type TaskResult } from '../run/previousAttempts';
import { pluralize } from '../values/text';

export interface Task {
	/** Indexes of the input items. */
	items: number[];
	endpoint?: Endpoint;
	isRead?: boolean;
	/** The IDs of its records, for the error. */
	ids?: Array<string | number>;
	execute: () => Promise<TaskResult>;
}

type Ending = 'done' | 'skipped' | 'unknown' | 'failed' | 'notTried';

export interface TaskKind {
	atOnce: number;
	/** Whether the first task runs alone, because it may show what is wrong with all of them. */
	isFirstAlone?: boolean;
	/** How each ending is worded, and listed in `error.context`. Undefined for tasks that only read and may be repeated. */
	lists?: Partial<Record<Ending, [words: string, list: string]>>;
}

/**
 * Prepares all tasks before the first one runs, so that a mistake in the last item does not leave the run half done.
 * @throws a node error that names the item; if the node continues on error, the task throws it instead
 */
export async function prepareTasks(
	run: Run,
	prepare: (itemIndex: number) => Task | Promise<Task>,
): Promise<Task[]> {
	const tasks: Task[] = [];
	for (const itemIndex of run.items.keys()) {
		try {
			tasks.push(await prepare(itemIndex));
		} catch (error) {
			const nodeError = toNodeError(run.context.getNode(), error, itemIndex);
			if (!run.continuesOnError) throw nodeError;
			nodeError.context.outcome ??= 'notSent';
			tasks.push({ items: [itemIndex], execute: async () => await Promise.reject(nodeError) });
		}
		await run.yieldToEventLoop();
	}
	return tasks;
}

/** Returns the output of all tasks, in their order. @throws a node error that names the item */
export async function runTasks(
	run: Run,
	tasks: Task[],
	{ atOnce, isFirstAlone, lists }: TaskKind,
): Promise<INodeExecutionData[]> {
	const attempts: Attempts = lists === undefined ? { results: new Map() } : attemptsOf(run.context);
	const { results } = attempts;
	const endings = new Endings(tasks, lists ?? {}, results);
	const outputs: INodeExecutionData[][] = tasks.map(() => []);
	const waiting = tasks.entries();
	let done = 0;
	let endedBy: NodeError | undefined;

	/** @throws what the task throws, or threw in a previous attempt with an unknown outcome */
	const outputOf = async (index: number, { isRead, execute }: Task) => {
		const previous = results.get(index);
		if (previous?.ending === 'unknown') {
			// A new error, because this one may come from another loaded copy of the package.
			throw new RequestError(previous.error.message, previous.error.details);
		}
		if (previous !== undefined) return previous.output;
		try {
			const result = await execute();
			results.set(index, result);
			return result.output;
		} catch (error) {
			const isUnknown = error instanceof RequestError && error.details.outcome === 'unknown';
			if (isUnknown && isRead !== true) results.set(index, { ending: 'unknown', error });
			else endings.failed.add(index);
			throw error;
		}
	};
	const runNext = async (): Promise<boolean> => {
		const { value: next } = waiting.next();
		if (next === undefined || endedBy !== undefined) return false;
		const [index, task] = next;
		try {
			outputs[index] = paired(run, await outputOf(index, task), task.items);
		} catch (error) {
			const nodeError = errorOf(run, task, error);
			if (run.continuesOnError) {
				outputs[index] = task.items.map((item) => errorItem(run.items[item], nodeError, item));
			} else if (lists === undefined) {
				// Reads that are under way need not end first.
				throw nodeError;
			} else if (endedBy === undefined || nodeError.context.outcome === 'unknown') {
				endedBy = nodeError;
			}
		}
		done++;
		await run.yieldToEventLoop();
		return true;
	};
	const runRemaining = async () => {
		while (await runNext());
	};
	const runAll = async () => {
		if (isFirstAlone === true) await runNext();
		await Promise.all(Array.from({ length: atOnce }, runRemaining));
	};
	const hasRequests = tasks.some(({ endpoint }) => endpoint !== undefined);
	const describe = async () =>
		lists === undefined || !hasRequests
			? `${done} of ${tasks.length} done`
			: await describeSends(run, done, tasks.length, tasks[done]?.endpoint);
	// Also for a later attempt that fails before its tasks run.
	attempts.addResultsTo = (error) => endings.addTo(error, error === endedBy);
	run.describeProgress = () => endings.sentences;
	await reportDuring(run, describe, runAll);
	if (endedBy === undefined) return outputs.flat();
	attempts.addResultsTo(endedBy);
	throw endedBy;
}

/** The output, paired with its items; in place, because copying hundreds of thousands of items would hold the event loop. */
function paired(run: Run, outputs: INodeExecutionData[], items: number[]): INodeExecutionData[] {
	const pairs = items.map((item) => ({ item }));
	const pairedItem = pairs.length === 1 ? pairs[0] : pairs;
	const hasErrorOutput = run.context.getNode().onError === 'continueErrorOutput';
	for (const output of outputs) {
		output.pairedItem = pairedItem;
		// By its JSON, n8n would treat it as a failed item, and the workflow might send it again.
		if (hasErrorOutput && isErrorJson(output.json)) output.json = { success: true, ...output.json };
	}
	return outputs;
}

function errorOf(run: Run, { items, ids }: Task, error: unknown): NodeError {
	const itemIndex = items.length === 1 ? items[0] : undefined;
	const nodeError = toNodeError(run.context.getNode(), error, itemIndex);
	if (ids !== undefined) nodeError.context.ids = ids;
	return nodeError;
}

/** How the tasks of a run ended. */
class Endings {
	/** Indexes of failed tasks, except those that may have been carried out. */
	readonly failed = new Set<number>();

	constructor(
		private readonly tasks: Task[],
		private readonly lists: NonNullable<TaskKind['lists']>,
		private readonly results: Attempts['results'],
	) {}

	/** For example `Sent: items 0–4.` */
	get sentences(): string[] {
		const filled = this.listed.filter(({ items }) => items.length > 0);
		return filled.map(({ words, items, ids }) => {
			const of = ids.length > items.length ? `${pluralize(ids.length, 'ID')} of ` : '';
			return `${words}: ${of}${nameItems(items)}.`;
		});
	}

	/** Adds the lists to the error that ends the run. @param isOfTask whether a task threw it */
	addTo(error: NodeError, isOfTask: boolean): void {
		const { context } = error;
		const areOfRecords = this.tasks.some(({ ids }) => ids !== undefined);
		for (const { list, items, ids } of this.listed) {
			// An earlier attempt may have added its own lists.
			if (list in context) return;
			context[list] = items;
			if (areOfRecords) context[list.replace('Items', 'Ids')] = ids;
		}
		const endings = this.tasks.map((_, index) => this.endingOf(index));
		if (endings.includes('unknown')) context.outcome = 'unknown';
		// The error of a single task says it all.
		if (this.tasks.length === 1 && isOfTask) return;
		error.description = [error.description, ...this.sentences].filter(Boolean).join(' ');
	}

	private endingOf(index: number): Ending {
		const otherwise = this.failed.has(index) ? 'failed' : 'notTried';
		return this.results.get(index)?.ending ?? otherwise;
	}

	/** A list for each ending. */
	private get listed() {
		return Object.entries(this.lists).map(([ending, [words, list]]) => {
			const ended = this.tasks.filter((_, index) => this.endingOf(index) === ending);
			const items = [...new Set(ended.flatMap((task) => task.items))].sort((a, b) => a - b);
			return { words, list, items, ids: ended.flatMap(({ ids = [] }) => ids) };
		});
	}
}
