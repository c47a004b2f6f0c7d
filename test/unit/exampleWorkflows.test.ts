/** The example workflows fit this package, and contain no data of their author. */
import {
	type INode,
	type INodeParameters,
	type INodeProperties,
	type INodeTypeDescription,
	NodeHelpers,
} from 'n8n-workflow';

import { BusinessData } from '../../nodes/BusinessData/BusinessData.node';
import { BusinessDataTrigger } from '../../nodes/BusinessData/BusinessDataTrigger.node';
import { exampleNames, readExample } from '../n8n/workflows';

const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
const PACKAGES = /^(n8n-nodes-base|@n8n\/n8n-nodes-langchain|n8n-nodes-business-data)\.\w+$/;
const { description: action } = new BusinessData();
const { description: trigger } = new BusinessDataTrigger();

/** The node type as n8n shows it: with the fields that n8n adds, by their display options. */
const withFields = (description: INodeTypeDescription, added: Record<string, INodeParameters>) => {
	const fields = Object.entries(added).map(([name, show]) => ({
		name,
		displayName: name,
		type: 'string',
		default: '',
		displayOptions: { show },
	}));
	return {
		...description,
		properties: [...fields, ...description.properties] as INodeProperties[],
	};
};
const descriptions: Record<string, INodeTypeDescription> = {
	'n8n-nodes-business-data.businessData': action,
	'n8n-nodes-business-data.businessDataTool': withFields(action, {
		descriptionType: {},
		toolDescription: { descriptionType: ['manual'] },
	}),
	'n8n-nodes-business-data.businessDataTrigger': withFields(trigger, { pollTimes: {} }),
};

describe.each(exampleNames())('%s', (example) => {
	const workflow = readExample(example);
	const nodes = workflow.nodes as unknown as INode[];
	const running = nodes.filter(({ type }) => type !== STICKY_NOTE);
	const ownNodes = running.filter(({ type }) => type.startsWith('n8n-nodes-business-data.'));

	test('sets only existing fields of our nodes, to valid values', () => {
		expect(ownNodes.length).toBeGreaterThan(0);
		for (const node of ownNodes) {
			const description = descriptions[node.type];
			if (description === undefined) throw new Error(`${node.type} is not one of our types`);
			const { properties } = description;
			// Throws for an unknown option, and leaves out fields that are unknown or hidden.
			const shown = NodeHelpers.getNodeParameters(
				...([properties, node.parameters, true, false, node, description] as const),
			);
			expect(shown).toMatchObject(node.parameters);
			expect(NodeHelpers.getNodeParametersIssues(properties, node, description)).toBeNull();
			expect([description.version].flat()).toContain(node.typeVersion);
		}
	});

	test('gives agents no tool that sends or deletes', () => {
		const tools = ownNodes.filter(({ type }) => type.endsWith('Tool'));
		for (const { parameters } of tools) expect(parameters.operation).toMatch(/^get/);
	});

	test('uses only nodes of n8n and this package, and credentials without an ID', () => {
		for (const { type, credentials = {} } of nodes) {
			expect(type).toMatch(PACKAGES);
			for (const { id, name } of Object.values(credentials)) {
				expect(id).toBeNull();
				expect(name).not.toBe('');
			}
		}
		for (const { credentials } of ownNodes)
			expect(Object.keys(credentials ?? {})).toEqual(['businessDataApi']);
	});

	test('has at most one Manual Trigger, because the import drops others', () => {
		const triggers = nodes.filter(({ type }) => type === 'n8n-nodes-base.manualTrigger');
		expect(triggers.length).toBeLessThanOrEqual(1);
	});

	test('contains no data of a person, an instance or an account', () => {
		// An export adds pinData, meta.instanceId, id, tags and shared.
		expect(Object.keys(workflow).sort()).toEqual(['connections', 'name', 'nodes', 'settings']);
		expect(workflow.settings).toEqual({ executionOrder: 'v1' });
		const text = JSON.stringify(workflow);
		expect(text).not.toMatch(/[\w.+-]+@[\w-]+\.\w/);
		expect(text).not.toMatch(/https?:/);
		expect(text).not.toMatch(/[0-9a-f]{64}|\bsk-\w/i);
	});
});
