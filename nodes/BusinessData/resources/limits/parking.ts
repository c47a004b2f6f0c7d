/** Whether n8n can park an execution: save it, end it, and go on with it at a later time. */
import * as n8nWorkflow from 'n8n-workflow';

import type { Run } from '../../run/run';

/** What n8n gives for the ID of what it does not save. */
const NO_ID = ['', '__EMPTY__', '__UNKNOWN__'];
/** An n8n that knows this hands the result of a parked sub-workflow on; older ones lose it. */
const PARKS_SUB_WORKFLOWS = 'WAIT_FOR_SUB_EXECUTION' in n8nWorkflow;

/** Why the execution cannot be parked, to go after "because"; undefined when it can. */
export function whyNotParked({
	context,
	isTool,
}: Pick<Run, 'context' | 'isTool'>): string | undefined {
	if (isTool) return 'n8n cannot park a tool of an agent';
	if (NO_ID.includes(context.getWorkflow().id ?? '')) return 'the workflow is not saved';
	if (NO_ID.includes(context.getExecutionId())) return 'the execution is not saved';
	if (context.getMode() === 'integrated' && !PARKS_SUB_WORKFLOWS) {
		return 'this n8n loses the result of a sub-workflow that is parked';
	}
	return undefined;
}
