/**
 * When a parked sub-workflow ends, n8n 2.x resumes its caller. It replaces the input of the node at which the caller is
 * parked by the sub-workflow's result, whatever that node waits for (`updateParentExecutionWithChildResults`).
 */
import type { IExecuteFunctions } from 'n8n-workflow';

/** Whether n8n would resume a caller when the execution ends, even if it was retried from the list of executions. */
export function hasCaller(context: IExecuteFunctions): boolean {
	const { runExecutionData } = context as { runExecutionData?: { parentExecution?: unknown } };
	return context.getMode() === 'integrated' || runExecutionData?.parentExecution !== undefined;
}

/** Call before the execution is parked: then n8n gives the node no result of a sub-workflow. */
export function refuseSubWorkflowResults(context: IExecuteFunctions): void {
	// n8n accepts only results of the executions listed here, and this execution is no sub-workflow of itself.
	const metadata = { waitingChildExecutionIds: [context.getExecutionId()] };
	(context as Partial<IExecuteFunctions>).setMetadata?.(metadata);
}
