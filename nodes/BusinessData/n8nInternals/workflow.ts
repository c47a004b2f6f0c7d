/** n8n's `Workflow` object of a poll, which is not part of n8n's API for nodes. */
import type { IPollFunctions, Workflow } from 'n8n-workflow';

/** Undefined where an n8n keeps it elsewhere. */
export function workflowOf(context: IPollFunctions): Workflow | undefined {
	return (context as unknown as { workflow?: Workflow }).workflow;
}

/** Without the durable scheduler. n8n 1.x names no time. */
const USUAL_POLL_MS = 5 * 60_000;

/** How long (ms) n8n gives a poll. */
export function pollBudgetMs(context: IPollFunctions): number {
	// n8n 1.x has no such function.
	const { getPollBudgetMs } = context as Partial<IPollFunctions>;
	return getPollBudgetMs?.call(context) ?? USUAL_POLL_MS;
}

/** Whether the durable scheduler of n8n 2.x polls: then the context and its `Workflow` are new, and there is less time. */
export function isOfDurableScheduler(context: IPollFunctions): boolean {
	return pollBudgetMs(context) !== USUAL_POLL_MS;
}

/** Saves the durable cursor of n8n 2.x, which n8n itself does not after the poll of a publication without items. */
export async function commitCursor(context: IPollFunctions): Promise<void> {
	const { __commitCursor: commit } = context as { __commitCursor?: () => Promise<void> };
	if (!isOfDurableScheduler(context)) await commit?.call(context);
}

/**
 * Acquires the isolate for expressions before each use: when one of several simultaneous polls ends, n8n releases it for
 * all triggers of the workflow.
 */
export async function acquireExpressionIsolate(context: IPollFunctions): Promise<void> {
	const expression: Partial<Workflow['expression']> | undefined = workflowOf(context)?.expression;
	await expression?.acquireIsolate?.();
}
