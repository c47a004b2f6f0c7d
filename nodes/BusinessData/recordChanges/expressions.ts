import type { IPollFunctions, Workflow } from 'n8n-workflow';

/**
 * Holds what n8n evaluates expressions with for the workflow. Where triggers of one workflow poll at the same
 * moment, n8n takes it from all of them when the first one ends; so it is held again before each use. n8n lets
 * go of it at the end of a poll.
 */
export async function holdExpressions(context: IPollFunctions): Promise<void> {
	// No part of what n8n promises; without it, expressions do as before.
	const { workflow } = context as unknown as { workflow?: Workflow };
	const expression: Partial<Workflow['expression']> | undefined = workflow?.expression;
	await expression?.acquireIsolate?.();
}
