/** Holds what a node run reports against what the service has seen. */
import type { JournalEntry } from '../../sandbox/server';
import { NODE } from '../support/bench';
import type { EngineRun } from '../support/engine';
import type { Result } from '../support/faults';
import { type ItemReport, reportedBy } from '../support/itemReports';
import type { Ending as SimulatedEnding } from '../simulation/n8n/execution';
import type { PlannedExecution, PlannedRequest } from './plan';

/** What became of each item of an execution. */
export interface Ending {
	execution: PlannedExecution;
	status: string;
	/** By item; an execution that ended with an error may not tell of all. */
	reports: Array<ItemReport | undefined>;
	/** What is wrong with the report itself. */
	problems: string[];
}

/** Reads the outputs and the error of a run. */
export function endingOf(execution: PlannedExecution, run: EngineRun): Ending {
	const { status, data } = run.run;
	const { kind, items, settings, cancelAfterMs } = execution;
	const outputs = () => [...run.items(NODE, 0), ...run.items(NODE, 1)];
	const ending = (
		status === 'success' ? { status, items: outputs() } : { status, error: data.resultData.error }
	) as SimulatedEnding;
	// An API request may put out nothing.
	const kindOfItems = kind === 'echo' ? 'call' : kind;
	const { items: reports, problems } = reportedBy(ending, items.length, kindOfItems);
	if (status === 'canceled' && cancelAfterMs === undefined) problems.push('canceled by nobody');
	if (status === 'error' && settings.onError !== 'stopWorkflow')
		problems.push('ended although it continues');
	return { execution, status, reports, problems };
}

export const resultOf = ({ is }: ItemReport): Result => (is === 'sent' ? 'done' : is);

/** What does not fit together, in words; empty when all is well. */
export function contradictions(endings: Ending[], journal: JournalEntry[]): string[] {
	const problems = endings.flatMap(({ execution, problems: own }) =>
		own.map((problem) => `${execution.name}: ${problem}`),
	);
	const acts = actsIn(journal);
	for (const { execution, reports } of endings) {
		for (const [index, { id }] of execution.items.entries()) {
			const report = reports[index];
			const request = requestOf(execution, index);
			const where = `${execution.name} item ${index} (${request.fault?.name ?? 'no fault'})`;
			const act = `${execution.kind === 'delete' ? execution.name : request.marker} ${id}`;
			const count = execution.kind === 'read' ? 0 : (acts.get(act) ?? 0);
			if (count > 1) problems.push(`${where} acted ${count} times`);
			if (report === undefined) continue;
			const result = resultOf(report);
			const mayAct = result === 'done' || result === 'unknown';
			if (!mayAct && count > 0) problems.push(`${where} acted, but is reported ${result}`);
			const isDone = result === 'done' && execution.kind !== 'read';
			if (isDone && count === 0) problems.push(`${where} did not act, but is reported done`);
			const isExpected =
				execution.kind === 'delete' || result === 'notTried' || request.allowed.includes(result);
			if (isExpected) continue;
			const { message } = { message: '', ...report };
			const allowed = request.allowed.join('/');
			problems.push(`${where} is reported ${result}, not ${allowed}: ${message}`);
		}
	}
	return problems;
}

function requestOf({ kind, requests, items }: PlannedExecution, index: number): PlannedRequest {
	const perRequest = kind === 'delete' ? items.length / requests.length : 1;
	return requests[Math.floor(index / perRequest)] as PlannedRequest;
}

/** How often the service has acted, by the marker of the request and the document. */
function actsIn(journal: JournalEntry[]): Map<string, number> {
	const counts = new Map<string, number>();
	for (const { acted, method, headers, body } of journal) {
		if (!acted || method === 'GET') continue;
		const { id, ids = [id] } = body as { id?: string; ids?: Array<string | undefined> };
		for (const one of ids) {
			const act = `${headers['x-sandbox-marker']} ${one}`;
			counts.set(act, (counts.get(act) ?? 0) + 1);
		}
	}
	return counts;
}
