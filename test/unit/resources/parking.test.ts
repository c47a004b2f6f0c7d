/** Where n8n can park an execution, and why it cannot elsewhere. */
import type { IExecuteFunctions, WorkflowExecuteMode } from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';

import type * as parking from '../../../nodes/BusinessData/resources/limits/parking';
import { node } from '../run/fakeContext';

interface Place {
	type?: string;
	workflowId?: string;
	executionId?: string;
	mode?: WorkflowExecuteMode;
}

function contextOf({ type, workflowId = '1', executionId = '7', mode = 'trigger' }: Place) {
	return {
		getNode: () => ({ ...node, type: type ?? node.type }),
		getWorkflow: () => ({ id: workflowId }),
		getExecutionId: () => executionId,
		getMode: () => mode,
	} as unknown as IExecuteFunctions;
}

/** The module as it is beside this version of n8n-workflow, or beside an older one. */
function load(isOlder = false): typeof parking {
	let loaded: typeof parking | undefined;
	jest.isolateModules(() => {
		const { WAIT_FOR_SUB_EXECUTION: _, ...older } = n8nWorkflow as Record<string, unknown>;
		jest.doMock('n8n-workflow', () => (isOlder ? older : n8nWorkflow));
		loaded = jest.requireActual<typeof parking>(
			'../../../nodes/BusinessData/resources/limits/parking',
		);
	});
	jest.dontMock('n8n-workflow');
	if (loaded === undefined) throw new Error('not loaded');
	return loaded;
}

const SAVED: Place[] = [{}, { mode: 'manual' }, { mode: 'webhook' }, { mode: 'retry' }];

test.each(SAVED)('%j can be parked', (place) => {
	expect(load().whyNotParked(contextOf(place))).toBeUndefined();
});

test.each<[Place, string]>([
	[{ type: `${node.type}Tool` }, 'a tool of an agent'],
	[{ workflowId: '' }, 'the workflow is not saved'],
	[{ workflowId: '__EMPTY__' }, 'the workflow is not saved'],
	[{ executionId: '__UNKNOWN__' }, 'the execution is not saved'],
])('%j cannot be parked, and it is said why', (place, reason) => {
	expect(load().whyNotParked(contextOf(place))).toContain(reason);
});

test('a sub-workflow is parked where n8n hands its result on', () => {
	const sub = contextOf({ mode: 'integrated' });
	expect(load(true).whyNotParked(sub)).toContain('loses the result of a sub-workflow');
	expect(load(true).whyNotParked(contextOf({}))).toBeUndefined();
	const isNew = 'WAIT_FOR_SUB_EXECUTION' in n8nWorkflow;
	expect(load().whyNotParked(sub) === undefined).toBe(isNew);
});
