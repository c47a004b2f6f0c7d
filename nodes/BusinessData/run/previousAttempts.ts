/**
 * Retry On Fail runs the whole node again. This remembers what previous attempts of a run have sent, or may have sent, so
 * that it is not sent again.
 */
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { RequestError } from '../transport/requestError';
import { processWide } from '../values/processWide';
import type { NodeError } from './itemErrors';

/** The result of a task. */
export interface TaskResult {
	/** Without `pairedItem`. */
	output: INodeExecutionData[];
	/** A Dry Run ends as `notTried`. */
	ending: 'done' | 'skipped' | 'notTried';
}

export interface Attempts {
	/** The final results, by the index of the task. */
	results: Map<number, TaskResult | { ending: 'unknown'; error: RequestError }>;
	/** Adds what happened to each item to the error that ends the run; undefined before the first attempt. */
	addResultsTo?: (error: NodeError) => void;
	/** How many attempts have failed; counted for tools only. */
	failed?: number;
}

/**
 * By the input of the run, an object that all its attempts share. Nothing else would do: n8n counts each attempt of an
 * agent's tool as another run, and behind an MCP trigger all else changes. All loaded copies of the package share it,
 * because an update may come between two attempts.
 */
const attemptsByInput = processWide(
	'attempts/1',
	() => new WeakMap<object, Map<string, Attempts>>(),
);

/** The previous attempts of a run, to which the current one adds its results. */
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

/** Whether n8n makes no further attempt at a tool call. Call it once for each failed attempt. */
export function isLastAttempt(context: IExecuteFunctions): boolean {
	const { retryOnFail, maxTries = 3 } = context.getNode();
	const attempts = attemptsOf(context);
	attempts.failed = (attempts.failed ?? 0) + 1;
	return retryOnFail !== true || attempts.failed >= Math.min(5, Math.max(2, maxTries));
}

/** Whether an agent has called the node as a tool. In n8n 1.x, only the type shows it. */
export function isToolCall(context: IExecuteFunctions): boolean {
	return context.getNode().type.endsWith('Tool');
}

/** Distinguishes runs with the same items, such as those of other nodes, loops and sub-workflows. */
export function runNameOf(
	context: IExecuteFunctions,
	runIndex = context.evaluateExpression('{{ $runIndex }}', 0),
): string {
	// The ID alone would not do: in workflows not made in the editor, nodes may share one.
	const { id: nodeId, name } = context.getNode();
	const { id: workflowId } = context.getWorkflow();
	return JSON.stringify([context.getExecutionId(), workflowId, nodeId, name, runIndex]);
}
