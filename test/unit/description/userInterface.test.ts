/** n8n's rules for the user interface, of which its lint rules check only literals; and the hints of the node. */
import {
	type INode,
	type INodeProperties,
	type INodeType,
	type INodeTypes,
	NodeHelpers,
	Workflow,
} from 'n8n-workflow';

import { BusinessDataApi } from '../../../credentials/BusinessDataApi.credentials';
import { BusinessDataTrigger } from '../../../nodes/BusinessData/BusinessDataTrigger.node';
import { ENDPOINTS } from '../../../nodes/BusinessData/transport/endpoints';
import { nodeOf } from '../../support/engineWorkflow';
import { allOf, choicesOf, description, fieldsOf, operationsOf, optionsOf } from './properties';

const credential = new BusinessDataApi();
const { description: trigger } = new BusinessDataTrigger();
const properties: INodeProperties[] = allOf([
	...[...description.properties, ...trigger.properties, ...credential.properties],
]);
const actions = choicesOf(description.properties[0]).flatMap(({ value }) =>
	choicesOf(operationsOf(String(value))),
);

const known = ['Resource', 'Operation', 'Options', 'Name', 'Value'];
const unknown = properties.filter(({ displayName }) => !known.includes(displayName));
const values = properties.filter(({ type }) => /^(string|number)$/.test(type));
const groups = properties.filter(({ type }) => /^(fixedC|c)ollection$/.test(type));

test.each<[string, number, INodeProperties[], 'description' | 'placeholder', RegExp]>([
	['field but the well-known ones has a description', 50, unknown, 'description', /./],
	['placeholder of a value is an example', 20, values, 'placeholder', /^(e\.g\. .+)?$/s],
	['collection has an Add button', 5, groups, 'placeholder', /^Add \S/],
])('every %s', (_, least, all, text, expected) => {
	expect(all.length).toBeGreaterThan(least);
	expect(all.filter((property) => !expected.test(property[text] ?? ''))).toEqual([]);
});

test('every secret is a password field', () => {
	const secrets = credential.properties.filter(({ name }) => /key|password/i.test(name));
	expect(secrets.length).toBeGreaterThan(1);
	expect(secrets.filter(({ typeOptions }) => typeOptions?.password !== true)).toEqual([]);
});

test('options are in alphabetical order', () => {
	for (const collection of properties.filter(({ type }) => type === 'collection')) {
		const names = optionsOf(collection).map(({ displayName }) => displayName);
		expect(names).toEqual([...names].sort());
	}
});

test.each(['transaction', 'apiRequest'])(
	'all Send Once options of %s are shown before the first run',
	(resource) => {
		const options = optionsOf(fieldsOf(resource, 'send').find(({ name }) => name === 'options'));
		// Before the first run, the editor has no value for an expression.
		const set = { sendOnceKey: '' };
		const root = { method: 'POST', options: set };
		const offered = options.filter((one) =>
			NodeHelpers.displayParameter(set, one, null, null, root),
		);
		expect(offered.filter(({ name }) => name.startsWith('sendOnce'))).toHaveLength(4);
	},
);

test('every operation has an action in sentence case that starts with a verb and has no article', () => {
	expect(new Set(actions.map(({ action }) => action)).size).toBe(actions.length);
	for (const { action, description: text } of actions) {
		expect(action).toMatch(/^(Send|Get|Delete|Wait|Mark|Release) ([a-z]|API )/);
		expect(action).not.toMatch(/\b(a|an|the)\b/i);
		// Capitals are for abbreviations only.
		expect(action?.slice(1).replace(/\b[A-Z]+\b/g, '')).not.toMatch(/[A-Z]/);
		expect(text).toBeDefined();
	}
});

const node = nodeOf('Send', 'send', {});

/** The hints shown for a node with these parameters and `count` input items. */
function shown(parameters: INode['parameters'], count: number): string[] {
	const nodeType = { description } as INodeType;
	const nodeTypes = { getByNameAndVersion: () => nodeType } as Partial<INodeTypes> as INodeTypes;
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
])('%s %s shows a hint above its limit', (resource, operation, { max, windowSeconds }) => {
	expect(shown({ resource, operation }, max)).toEqual([]);
	const [message, ...others] = shown({ resource, operation }, max + 1);
	expect(message).toContain(`limit of ${max} per`);
	expect(message).toContain(`take ${windowSeconds / 60} min or more.`);
	expect(others).toEqual([]);
	expect(shown({ resource: 'apiRequest', operation }, 10_000)).toEqual([]);
});
