/** The workflow that the executions of a round run, and what it tells of each item. */
import { NODE } from './bench';
import type { EngineRun } from './engine';
import { workflowOf, type WorkflowJson } from './engineWorkflow';
import type { ExecutionEnd, Task } from './overlapRound';
import { apiRequest } from './parameters';

/** Sends each key as a document of its own, once. */
export function overlapWorkflow(task: Task, timeoutSeconds: number): WorkflowJson {
	const { keys, marker, workflowId: id } = task;
	const parameters = {
		...apiRequest('POST', '/sandbox/echo', {
			sendOnceKey: '={{ $json.key }}',
			timeout: timeoutSeconds,
			headerParameters: { parameters: [{ name: 'x-sandbox-marker', value: marker }] },
		}),
		dataMode: 'autoMapInputData',
	};
	const items = keys.map((key) => ({ key }));
	return { ...workflowOf(items, parameters, { onError: 'continueRegularOutput' }), id };
}

/** @throws when it has not told something of every item */
export function endOf(result: EngineRun, { keys }: Task): ExecutionEnd {
	const { status } = result.run;
	if (status === 'canceled') return 'stopped';
	const ends = result.items(NODE).map(({ json, error }) => {
		if (error !== undefined) return error.context.outcome === 'unknown' ? 'unknown' : 'failed';
		return json.skipped === true ? 'skipped' : 'sent';
	});
	if (ends.length === keys.length) return ends;
	throw new Error(`${ends.length} of ${keys.length} items came out, status ${status}`);
}
