/** Whether n8n can park an execution, that is, save it, end it, and resume it later. */
import { hasCaller } from '../../n8nInternals/subWorkflows';
import type { Run } from '../../run/run';

/** IDs of workflows and executions that are not saved. */
const NO_ID = ['', '__EMPTY__', '__UNKNOWN__'];

/** Why the execution cannot be parked, worded to follow "because"; undefined if it can. */
export function whyNotParked({
	context,
	isTool,
}: Pick<Run, 'context' | 'isTool'>): string | undefined {
	if (isTool) return 'n8n cannot park a tool of an agent';
	if (context.getMode() === 'evaluation') return 'n8n counts a parked test case as failed';
	if (NO_ID.includes(context.getWorkflow().id ?? '')) return 'the workflow is not saved';
	if (NO_ID.includes(context.getExecutionId())) return 'the execution is not saved';
	// If a node has called several, n8n 2.x passes on only the result of the first one that ends; n8n 1.x passes on none.
	return hasCaller(context) ? 'n8n loses results of sub-workflows that are parked' : undefined;
}
