/**
 * Retry On Fail runs the whole node again. What a previous attempt of the run has sent, or may have sent, is not sent
 * again.
 */
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { RequestError } from '../transport/requestError';
import { processWide } from '../values/processWide';
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
	results: Map<number, TaskResult | { ending: 'unknown'; error: RequestError }>;
	/** Adds to the error that ends the run what became of all items; undefined before the first attempt. */
	addResultsTo?: (error: NodeError) => void;
	/** How many have failed; counted for tools only. */
	failed?: number;
}

/**
 * By the input of the run, an object that all its attempts share. For the tool of an agent, n8n counts each attempt as
 * another run, and behind an MCP trigger nothing else stays the same. All loaded copies of the package share it, because
 * an update may come between two attempts.
 */
const attemptsByInput = processWide(
	'attempts/1',
	() => new WeakMap<object, Map<string, Attempts>>(),
);

/** The attempts of a run so far, to which each adds its own. */
export function attemptsOf(context: IExecuteFunctions): Attempts {
	const input = context.getInputData()[0]?.json;
	if (context.getNode().retryOnFail !== true || input === undefined) return { results: new Map() };
	const attemptsByRun = attemptsByInput().get(input) ?? new Map<string, Attempts>();
	attemptsByInput().set(input, attemptsByRun);
	const name = runNameOf(context, isToolCall(context) ? 0 : undefined);
	const attempts = attemptsByRun.get(name) ?? { results: new Map() };
	attemptsByRun.set(name, attempts);
	return attempts;
}

/** Whether n8n makes no further attempt at a tool's call. To be called once for each that has failed. */
export function isLastAttempt(context: IExecuteFunctions): boolean {
	const { retryOnFail, maxTries = 3 } = context.getNode();
	const attempts = attemptsOf(context);
	attempts.failed = (attempts.failed ?? 0) + 1;
	return retryOnFail !== true || attempts.failed >= Math.min(5, Math.max(2, maxTries));
}

/** Whether an agent has called the node as a tool. n8n 1.x shows it in the type alone. */
export function isToolCall(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}

/** Distinguishes runs with the same items: of other nodes, in loops, of sub-workflows. */
export function runNameOf(
	context: IExecuteFunctions,
	runIndex = context.evaluateExpression('{{ $runIndex }}', 0),
): string {
	// In workflows that were not made in the editor, nodes may share an ID.
	const { id: nodeId, name } = context.getNode();
	const { id: workflowId } = context.getWorkflow();
	return JSON.stringify([context.getExecutionId(), workflowId, nodeId, name, runIndex]);
}
