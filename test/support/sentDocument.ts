/** Sent Document: what a user asks of a Send Once Key, and changes. */
import type { INode, NodeExecutionHint } from 'n8n-workflow';

import { type Bench, NODE } from './bench';
import type { EngineRun } from './engine';

/** Parameters of the node. */
export const sentDocument = (
	operation: 'get' | 'markAsSent' | 'release',
	parameters: INode['parameters'] = {},
): INode['parameters'] => ({
	resource: 'sentDocument',
	operation,
	sentWith: 'transaction:send',
	sendOnceKey: '={{ $json.id }}',
	workflowId: '={{ $workflow.id }}',
	...parameters,
});

/** The states of keys of Transaction → Send. */
export async function statesOf(bench: Bench, keys: string[]): Promise<unknown[]> {
	const result = await bench.run(
		keys.map((id) => ({ id })),
		sentDocument('get'),
	);
	expect(result.run.status).toBe('success');
	return result.json(NODE).map(({ state }) => state);
}

/** The texts of the hints in the node's output panel. */
export const hintsOf = (result: EngineRun): string[] =>
	(result.task(NODE).hints ?? []).map(({ message }: NodeExecutionHint) => message);
