/** What the editor shows before a run, by the conditions as n8n computes them. */
import { type INode, type INodeType, type INodeTypes, Workflow } from 'n8n-workflow';

import { ENDPOINTS } from '../../../nodes/BusinessData/transport/endpoints';
import { description } from './properties';
import { nodeOf } from '../../support/engineWorkflow';

const node = nodeOf('Send', 'send', {});

/** The messages for a node with these parameters and so many input items. */
function shown(parameters: INode['parameters'], count: number): string[] {
	const nodeType = { description } as INodeType;
	const nodeTypes = {
		getByName: () => nodeType,
		getByNameAndVersion: () => nodeType,
		getKnownTypes: () => ({}),
	} as INodeTypes;
	const nodes = [{ ...node, parameters }];
	const workflow = new Workflow({ nodes, connections: {}, active: false, nodeTypes });
	const items = Array.from({ length: count }, (_, id) => ({ json: { id } }));
	const isShown = (condition: string) =>
		workflow.expression.getParameterValue(
			...([condition, null, 0, 0, node.name, items, 'manual', {}] as const),
		) === true;
	return (description.hints ?? [])
		.filter(({ displayCondition = '' }) => isShown(displayCondition))
		.map(({ message }) => message);
}

test.each([
	['transaction', 'send', ENDPOINTS.sendTransaction.limit],
	['transaction', 'sendWp', ENDPOINTS.sendTransactionWp.limit],
	['payment', 'send', ENDPOINTS.sendPayment.limit],
])('%s: %s says that many items take long', (resource, operation, { max, windowSeconds }) => {
	expect(shown({ resource, operation }, max)).toEqual([]);
	const [message, ...others] = shown({ resource, operation }, max + 1);
	expect(message).toContain(`limit of ${max} per`);
	expect(message).toContain(`take ${windowSeconds / 60} min or more.`);
	expect(others).toEqual([]);
	expect(shown({ resource: 'apiRequest', operation }, 10_000)).toEqual([]);
});
