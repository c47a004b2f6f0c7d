/** What the context of a poll has beyond n8n's API for nodes: its `Workflow`, its time and its durable cursor. */
import type { IPollFunctions, Workflow } from 'n8n-workflow';

/** Undefined if this n8n keeps it elsewhere. */
export function workflowOf(context: IPollFunctions): Workflow | undefined {
	return (context as unknown as { workflow?: Workflow }).workflow;
}

/** The time without the durable scheduler. n8n 1.x does not say how long. */
const USUAL_POLL_MS = 5 * 60_000;

/** How long (ms) n8n gives a poll. */
export function pollBudgetMs(context: IPollFunctions): number {
	// n8n 1.x has no such function.
	const { getPollBudgetMs } = context as Partial<IPollFunctions>;
	return getPollBudgetMs?.call(context) ?? USUAL_POLL_MS;
}

/** Whether the durable scheduler of n8n 2.x polls: it makes a new context and `Workflow` each time, and gives less time. */
export function isOfDurableScheduler(context: IPollFunctions): boolean {
	return pollBudgetMs(context) !== USUAL_POLL_MS;
}

/** Saves the durable cursor of n8n 2.x. n8n does not after the poll of a publication that returned no items. */
export async function commitCursor(context: IPollFunctions): Promise<void> {
	const { __commitCursor: commit } = context as { __commitCursor?: () => Promise<void> };
	if (!isOfDurableScheduler(context)) await commit?.call(context);
}

/**
 * Acquires the isolate that evaluates expressions. Call it before each use, because n8n releases the isolate for all
 * triggers of a workflow as soon as one of several simultaneous polls ends.
 */
export async function acquireExpressionIsolate(context: IPollFunctions): Promise<void> {
	const expression: Partial<Workflow['expression']> | undefined = workflowOf(context)?.expression;
	await expression?.acquireIsolate?.();
}
