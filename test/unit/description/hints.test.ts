/** What the editor shows before a run, by the conditions as n8n computes them. */
import { type INode, type INodeType, type INodeTypes, Workflow } from 'n8n-workflow';

import { ENDPOINTS, type LimitSetting } from '../../../nodes/BusinessData/transport/endpoints';
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

const SENDS: Array<[resource: string, operation: string, limit: LimitSetting]> = [
	['transaction', 'send', ENDPOINTS.sendTransaction.limit],
	['transaction', 'sendWp', ENDPOINTS.sendTransactionWp.limit],
	['payment', 'send', ENDPOINTS.sendPayment.limit],
];

test.each(SENDS)('%s: %s says that many items take long', (resource, operation, limit) => {
	const { max, windowSeconds } = limit;
	const of = (count: number) => shown({ resource, operation }, count);
	expect(of(max)).toEqual([]);
	const [message, ...others] = of(max + 1);
	expect(message).toContain(`limit of ${max} per`);
	expect(message).toContain(`take ${windowSeconds / 60} min or more.`);
	expect(others).toEqual([]);
});

test.each([
	[{ resource: 'contact', operation: 'getMany' }],
	[{ resource: 'transaction', operation: 'deleteMany' }],
	[{ resource: 'apiRequest', operation: 'send' }],
])('%j says nothing', (parameters) => {
	expect(shown(parameters, 10_000)).toEqual([]);
});
