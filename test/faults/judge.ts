/** Holds what a node run reports against what the service has seen. */
import type { ITaskData } from 'n8n-workflow';

import type { JournalEntry } from '../../sandbox/server';
import type { EngineRun } from '../support/engine';
import { NODE, type ShownError } from '../support/bench';
import type { Result } from '../support/faults';
import type { PlannedExecution, PlannedRequest } from './plan';

/** What became of each item of an execution. */
export interface Ending {
	execution: PlannedExecution;
	status: string;
	/** The messages of errors, by item. */
	messages: Array<string | undefined>;
	/** By item; an execution that ended with an error may not tell of all. */
	results: Array<Result | undefined>;
	/** What is wrong with the report itself. */
	problems: string[];
}

const OUTCOMES = ['notSent', 'refused', 'unknown'];
const CLEAR_MESSAGE =
	/^(The service (answered \d{3}|could not be read: )|The request (may have taken effect|was not sent): |Not sent: (the limits leave no room|the service asks to wait|another execution is sending)|The response of the service is larger than |Items Field: the response )/;

type Output = NonNullable<NonNullable<ITaskData['data']>['main'][number]>[number];

/** Reads the outputs and the error of a run. */
export function endingOf(execution: PlannedExecution, run: EngineRun): Ending {
	const { status } = run.run;
	const ending: Ending = {
		execution,
		status,
		results: execution.items.map(() => undefined),
		messages: [],
		problems: [],
	};
	if (status === 'canceled') ending.results.fill('canceled');
	else if (status === 'success') readOutputs(ending, run);
	else readError(ending, run.run.data.resultData.error as unknown as ShownError);
	const wasStopped = execution.cancelAfterMs !== undefined;
	if (status === 'canceled' && !wasStopped) ending.problems.push('canceled by nobody');
	return ending;
}

function readOutputs(ending: Ending, run: EngineRun): void {
	const { execution, results, problems } = ending;
	const outputs = [...run.items(NODE, 0), ...run.items(NODE, 1)];
	const found = execution.items.map(() => new Set<Result>());
	for (const output of outputs) {
		const items = [output.pairedItem ?? []].flat();
		if (items.length === 0) problems.push('an output without a paired item');
		for (const paired of items) {
			const index = typeof paired === 'number' ? paired : paired.item;
			const result = resultOf(output, problems);
			if (found[index] === undefined)
				problems.push(`paired with item ${index}, which is not there`);
			if (found[index]?.has(result) === true && result !== 'done') {
				problems.push(`item ${index} has two errors`);
			}
			found[index]?.add(result);
			ending.messages[index] = output.error?.message;
		}
	}
	for (const [index, all] of found.entries()) {
		const [first = 'nothing'] = all;
		if (all.size > 1) problems.push(`item ${index} ended in ${[...all].join(' and ')}`);
		results[index] = first;
	}
}

function resultOf({ json, error }: Output, problems: string[]): Result {
	if (error !== undefined) return outcomeOf(error, problems);
	return json.skipped === true ? 'skipped' : 'done';
}

/** The outcome of a clear error. */
function outcomeOf(error: ShownError, problems: string[]): Result {
	const { message, description, context } = error;
	const outcome = context?.outcome;
	const isClear =
		CLEAR_MESSAGE.test(message) && typeof description === 'string' && description !== '';
	if (!isClear || /undefined|\[object/.test(`${message} ${description}`)) {
		problems.push(`unclear error: ${message} — ${description}`);
	}
	if (typeof outcome !== 'string' || !OUTCOMES.includes(outcome)) {
		problems.push(`no outcome: ${message}`);
		return 'unknown';
	}
	return outcome as Result;
}

function readError(ending: Ending, error: ShownError): void {
	const { execution, results, problems } = ending;
	const outcome = outcomeOf(error, problems);
	ending.messages = execution.items.map(() => error.message);
	if (execution.settings.onError !== 'stopWorkflow') problems.push('ended although it continues');
	const { sentItems, skippedItems, perhapsSentItems, itemIndex, failedItems, notTriedItems } =
		error.context;
	if (execution.kind === 'delete') {
		for (const index of failedItems as number[]) results[index] = 'notSent';
		for (const index of error.context.perhapsDeletedItems as number[]) results[index] = 'unknown';
		return;
	}
	if (execution.kind === 'read') return;
	for (const index of sentItems as number[]) results[index] = 'done';
	for (const index of skippedItems as number[]) results[index] = 'skipped';
	for (const index of notTriedItems as number[]) results[index] = 'notTried';
	// Nothing but the item that ended the run has failed, as the node does not continue on error.
	results[itemIndex as number] = outcome;
	const isFailedAlone = String([perhapsSentItems, failedItems].flat()) === String(itemIndex);
	if (!isFailedAlone) problems.push('the error tells of several items that failed');
	const reported = [sentItems, skippedItems, perhapsSentItems, failedItems, notTriedItems]
		.flat()
		.sort((a, b) => Number(a) - Number(b));
	if (String(reported) !== String([...results.keys()])) {
		problems.push('the error does not tell of each item once');
	}
}

/** What does not fit together, in words; empty when all is well. */
export function contradictions(endings: Ending[], journal: JournalEntry[]): string[] {
	const problems = endings.flatMap(({ execution, problems: own }) =>
		own.map((problem) => `${execution.name}: ${problem}`),
	);
	const acts = actsIn(journal);
	for (const { execution, results, messages } of endings) {
		for (const [index, { id }] of execution.items.entries()) {
			const result = results[index];
			const request = requestOf(execution, index);
			const where = `${execution.name} item ${index} (${request.fault?.name ?? 'no fault'})`;
			const act = `${execution.kind === 'delete' ? execution.name : request.marker} ${id}`;
			const count = execution.kind === 'read' ? 0 : (acts.get(act) ?? 0);
			if (count > 1) problems.push(`${where} acted ${count} times`);
			if (result === undefined || result === 'canceled') continue;
			const mustNotAct = ['notSent', 'refused', 'notTried', 'skipped'].includes(result);
			if (mustNotAct && count > 0) problems.push(`${where} acted, but is reported ${result}`);
			const isDone = result === 'done' && execution.kind !== 'read';
			if (isDone && count === 0) problems.push(`${where} did not act, but is reported done`);
			const isExpected =
				execution.kind === 'delete' || result === 'notTried' || request.allowed.includes(result);
			if (!isExpected)
				problems.push(
					`${where} is reported ${result}, not ${request.allowed.join('/')}: ${messages[index]}`,
				);
		}
	}
	return problems;
}

/** Two sends or deletions of one document, by whatever request. */
export function actedTwice(journal: JournalEntry[]): string[] {
	const counts = new Map<string, number>();
	for (const { id } of actsOf(journal)) counts.set(id, (counts.get(id) ?? 0) + 1);
	return [...counts].filter(([, count]) => count > 1).map(([id, count]) => `${id}: ${count} times`);
}

function requestOf({ kind, requests, items }: PlannedExecution, index: number): PlannedRequest {
	const perRequest = kind === 'delete' ? items.length / requests.length : 1;
	return requests[Math.floor(index / perRequest)] as PlannedRequest;
}

function actsIn(journal: JournalEntry[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const { marker, id } of actsOf(journal)) {
		counts.set(`${marker} ${id}`, (counts.get(`${marker} ${id}`) ?? 0) + 1);
	}
	return counts;
}

function actsOf(journal: JournalEntry[]) {
	return journal
		.filter(({ acted, method }) => acted && method !== 'GET')
		.flatMap(({ headers, body }) => {
			const { id, ids = [id] } = body as { id?: string; ids?: Array<string | undefined> };
			return ids.map((one) => ({ marker: headers['x-sandbox-marker'] ?? '', id: one ?? '' }));
		});
}
