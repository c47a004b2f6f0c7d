/**
 * What previous attempts of the same node run have done. n8n's Retry On Fail runs the whole node again with all its
 * items; what was sent by then, or may have been sent, is not sent again.
 */
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { NodeError } from './itemErrors';

/** What came of a task. */
export interface TaskResult {
	/** Without `pairedItem`. */
	output: INodeExecutionData[];
	/** A Dry Run has tried nothing. */
	ending: 'done' | 'skipped' | 'notTried';
}

export interface Attempts {
	/** By the index of a task, what came of it for good. */
	results: Map<number, TaskResult | { ending: 'unknown'; error: Error }>;
	/** Adds to the error that ends the run what became of all items; undefined before the first attempt. */
	addResultsTo?: (error: NodeError) => void;
}

/**
 * By the input of the run, an object that all attempts of a run share and no other tool call has: n8n counts every
 * attempt of an agent's tool as another run, and a tool behind an MCP trigger has nothing else that stays the same.
 */
const attemptsByInput = new WeakMap<object, Map<string, Attempts>>();

/** The attempts of a run so far; each adds its own. Where the node does not retry on failure, there is only one. */
export function attemptsOf(context: IExecuteFunctions): Attempts {
	const input = context.getInputData()[0]?.json;
	if (context.getNode().retryOnFail !== true || input === undefined) return { results: new Map() };
	const attemptsByRun = attemptsByInput.get(input) ?? new Map<string, Attempts>();
	attemptsByInput.set(input, attemptsByRun);
	const name = nameOf(context);
	const attempts = attemptsByRun.get(name) ?? { results: new Map() };
	attemptsByRun.set(name, attempts);
	return attempts;
}

/** Whether an agent has called the node as a tool. n8n names the tool so, and n8n 1.x tells it in no other way. */
export function isToolCall(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}

/** Distinguishes runs that may get the same items: of other nodes, in loops, of sub-workflows. */
function nameOf(context: IExecuteFunctions): string {
	// Workflows that were not made in the editor may have nodes of one ID.
	const { id: nodeId, name } = context.getNode();
	const { id: workflowId } = context.getWorkflow();
	const runIndex = isToolCall(context) ? 0 : context.evaluateExpression('{{ $runIndex }}', 0);
	return JSON.stringify([context.getExecutionId(), workflowId, nodeId, name, runIndex]);
}
