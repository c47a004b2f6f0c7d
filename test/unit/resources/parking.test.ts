/** When n8n can park an execution, and the reason if it cannot. */
import type { IExecuteFunctions, WorkflowExecuteMode } from 'n8n-workflow';

import { whyNotParked } from '../../../nodes/BusinessData/resources/rateLimit/parking';

interface Place {
	isTool?: boolean;
	workflowId?: string;
	executionId?: string;
	mode?: WorkflowExecuteMode;
}

test.each<[Place, string | undefined]>([
	...[{}, { mode: 'manual' }, { mode: 'webhook' }, { mode: 'retry' }].map(
		(place): [Place, undefined] => [place as Place, undefined],
	),
	[{ isTool: true }, 'n8n cannot park a tool of an agent'],
	[{ workflowId: '' }, 'the workflow is not saved'],
	[{ workflowId: '__EMPTY__' }, 'the workflow is not saved'],
	[{ executionId: '__UNKNOWN__' }, 'the execution is not saved'],
	[{ mode: 'evaluation' }, 'n8n counts a parked test case as failed'],
	[{ mode: 'integrated' }, 'n8n loses results of sub-workflows that are parked'],
])('the reason not to park an execution with %j is %j', (place, reason) => {
	const { isTool = false, workflowId = '1', executionId = '7', mode = 'trigger' } = place;
	const context = {
		getWorkflow: () => ({ id: workflowId }),
		getExecutionId: () => executionId,
		getMode: () => mode,
	} as unknown as IExecuteFunctions;
	expect(whyNotParked({ context, isTool })).toBe(reason);
});
