/** n8n's own object of the workflow, which is no part of what n8n promises to nodes. */
import type { IPollFunctions, Workflow } from 'n8n-workflow';

/** It holds what n8n saves for all nodes; undefined where an n8n keeps it elsewhere. */
export function workflowOf(context: IPollFunctions): Workflow | undefined {
	return (context as unknown as { workflow?: Workflow }).workflow;
}

/**
 * Holds what n8n evaluates expressions with for the workflow. Where triggers of one workflow poll at the same
 * moment, n8n takes it from all of them when the first one ends; so it is held again before each use. n8n lets
 * go of it at the end of a poll.
 */
export async function holdExpressions(context: IPollFunctions): Promise<void> {
	const expression: Partial<Workflow['expression']> | undefined = workflowOf(context)?.expression;
	await expression?.acquireIsolate?.();
}
