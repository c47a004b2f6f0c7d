/** Whether n8n can park an execution: save it, end it, and resume it later. */
import { hasCaller } from '../../n8nInternals/subWorkflows';
import type { Run } from '../../run/run';

/** The IDs of workflows and executions that n8n does not save. */
const NO_ID = ['', '__EMPTY__', '__UNKNOWN__'];

/** Why the execution cannot be parked, to go after "because"; undefined when it can. */
export function whyNotParked({
	context,
	isTool,
}: Pick<Run, 'context' | 'isTool'>): string | undefined {
	if (isTool) return 'n8n cannot park a tool of an agent';
	if (NO_ID.includes(context.getWorkflow().id ?? '')) return 'the workflow is not saved';
	if (NO_ID.includes(context.getExecutionId())) return 'the execution is not saved';
	// Of several that a node has called, n8n 2.x hands on the result of the first that ends; n8n 1.x of none.
	return hasCaller(context) ? 'n8n loses results of sub-workflows that are parked' : undefined;
}
