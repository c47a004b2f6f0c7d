/** Where n8n can park an execution, and why it cannot elsewhere. */
import type { IExecuteFunctions, WorkflowExecuteMode } from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';

import type * as parking from '../../../nodes/BusinessData/resources/limits/parking';

interface Place {
	isTool?: boolean;
	workflowId?: string;
	executionId?: string;
	mode?: WorkflowExecuteMode;
}

/** Why it is not parked there, beside this version of n8n-workflow or beside an older one. */
function whyNot(place: Place, isOlder = false): string | undefined {
	const { isTool = false, workflowId = '1', executionId = '7', mode = 'trigger' } = place;
	const context = {
		getWorkflow: () => ({ id: workflowId }),
		getExecutionId: () => executionId,
		getMode: () => mode,
	} as unknown as IExecuteFunctions;
	let reason: string | undefined;
	jest.isolateModules(() => {
		const { WAIT_FOR_SUB_EXECUTION: _, ...older } = n8nWorkflow as Record<string, unknown>;
		jest.doMock('n8n-workflow', () => (isOlder ? older : n8nWorkflow));
		const path = '../../../nodes/BusinessData/resources/limits/parking';
		reason = jest.requireActual<typeof parking>(path).whyNotParked({ context, isTool });
	});
	jest.dontMock('n8n-workflow');
	return reason;
}

test.each<[Place, string | undefined]>([
	...[{}, { mode: 'manual' }, { mode: 'webhook' }, { mode: 'retry' }].map(
		(place): [Place, undefined] => [place as Place, undefined],
	),
	[{ isTool: true }, 'n8n cannot park a tool of an agent'],
	[{ workflowId: '' }, 'the workflow is not saved'],
	[{ workflowId: '__EMPTY__' }, 'the workflow is not saved'],
	[{ executionId: '__UNKNOWN__' }, 'the execution is not saved'],
])('%j is not parked because of %j', (place, reason) => {
	expect(whyNot(place)).toBe(reason);
});

test('a sub-workflow is parked where n8n hands its result on', () => {
	const loses = 'this n8n loses the result of a sub-workflow that is parked';
	expect(whyNot({ mode: 'integrated' }, true)).toBe(loses);
	expect(whyNot({}, true)).toBeUndefined();
	const isNew = 'WAIT_FOR_SUB_EXECUTION' in n8nWorkflow;
	expect(whyNot({ mode: 'integrated' })).toBe(isNew ? undefined : loses);
});
