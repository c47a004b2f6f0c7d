/**
 * What previous attempts of the same node run have done. n8n's Retry On Fail runs the whole node again with all its
 * items; what was sent by then, or may have been sent, is not sent again.
 */
import type { INodeExecutionData } from 'n8n-workflow';

import type { Run } from '../run/run';

/** What came of a task. */
export interface TaskResult {
	/** Without `pairedItem`. */
	output: INodeExecutionData[];
	/** A Dry Run has tried nothing. */
	ending: 'done' | 'skipped' | 'notTried';
}

/** By the index of a task, what came of it for good. */
export type Results = Map<number, TaskResult | { ending: 'unknown'; error: Error }>;

/**
 * By the input of the run, an object that all attempts of a run share and no other tool call has: n8n counts every
 * attempt of an agent's tool as another run, and a tool behind an MCP trigger has nothing else that stays the same.
 */
const resultsByInput = new WeakMap<object, Map<string, Results>>();

/** The results of all attempts of a run, to be added to; empty unless the node retries on failure. */
export function resultsOfAttempts(run: Run): Results {
	const input = run.items[0]?.json;
	if (run.context.getNode().retryOnFail !== true || input === undefined) return new Map();
	const resultsByRun = resultsByInput.get(input) ?? new Map<string, Results>();
	resultsByInput.set(input, resultsByRun);
	const name = nameOf(run);
	const results = resultsByRun.get(name) ?? (new Map() as Results);
	resultsByRun.set(name, results);
	return results;
}

/** Distinguishes runs that may get the same items: of other nodes, in loops, of sub-workflows. */
function nameOf({ context, isTool }: Run): string {
	const { id: nodeId } = context.getNode();
	const { id: workflowId } = context.getWorkflow();
	const runIndex = isTool ? 0 : context.evaluateExpression('{{ $runIndex }}', 0);
	return JSON.stringify([context.getExecutionId(), workflowId, nodeId, runIndex]);
}
