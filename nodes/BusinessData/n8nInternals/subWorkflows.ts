/**
 * How n8n 2.x resumes the caller of a sub-workflow that was parked: it gives the result to the caller's node that is
 * parked itself, whatever that node waits for, in place of its input (`updateParentExecutionWithChildResults`).
 */
import type { IExecuteFunctions } from 'n8n-workflow';

/** Whether n8n would resume a caller when the execution ends, also one that was run again from the list of executions. */
export function hasCaller(context: IExecuteFunctions): boolean {
	const { runExecutionData } = context as { runExecutionData?: { parentExecution?: unknown } };
	return context.getMode() === 'integrated' || runExecutionData?.parentExecution !== undefined;
}

/** To be called before the execution is parked: n8n then gives the node the result of no sub-workflow. */
export function refuseSubWorkflowResults(context: IExecuteFunctions): void {
	// n8n lets through only the results of those that are named here; the execution itself is not a sub-workflow.
	const metadata = { waitingChildExecutionIds: [context.getExecutionId()] };
	(context as Partial<IExecuteFunctions>).setMetadata?.(metadata);
}
