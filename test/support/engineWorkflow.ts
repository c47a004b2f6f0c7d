/** The workflows of the engine tests: items, and the node after them. */
import {
	type IBinaryKeyData,
	type INode,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
	type IPairedItemData,
	NodeConnectionTypes,
	type Workflow,
} from 'n8n-workflow';

export const PACKAGE_NAME = 'n8n-nodes-business-data';
export const NODE_TYPE = `${PACKAGE_NAME}.businessData`;
export const TRIGGER_TYPE = `${PACKAGE_NAME}.businessDataTrigger`;
export const CREDENTIAL_TYPE = 'businessDataApi';

export const ITEMS_TYPE = 'test.items';

/** The parts of a saved workflow that the engine needs. */
export interface WorkflowJson {
	/** The ID in n8n, where it matters. */
	id?: string;
	nodes: INode[];
	connections: Workflow['connectionsBySourceNode'];
	settings?: Workflow['settings'];
}

/** The description of a node of the tests, whose parameters are JSON. */
export const descriptionOf = (
	name: string,
	inputs: INodeTypeDescription['inputs'],
	...parameters: string[]
): INodeTypeDescription => ({
	displayName: name,
	name,
	group: ['transform'],
	version: 1,
	description: '',
	defaults: {},
	inputs,
	outputs: [NodeConnectionTypes.Main],
	properties: parameters.map((parameter) => {
		return { displayName: parameter, name: parameter, type: 'json', default: '[]' };
	}),
});

/**
 * A node that outputs the items of its parameter `items`, in place of a trigger or a Code node. Their `files` become
 * binary fields. After another node, they are paired as its parameter `pairedItems` says, or not at all.
 */
export const itemsNode: INodeType = {
	description: descriptionOf('Items', [NodeConnectionTypes.Main], 'items', 'pairedItems'),
	async execute() {
		const items = this.getNodeParameter('items', 0) as INodeExecutionData['json'][];
		const pairedItems = this.getNodeParameter('pairedItems', 0, []) as IPairedItemData[];
		return await Promise.resolve([
			items.map(({ files, ...json }, index) => ({
				json,
				...(files === undefined ? {} : { binary: files as IBinaryKeyData }),
				pairedItem: pairedItems[index],
			})),
		]);
	},
};

/** A node with this name. Nodes of this package have the credential `key`. */
export function nodeOf(
	name: string,
	type: string,
	parameters: object,
	settings: Partial<INode> = {},
): INode {
	const isOwnNode = type.startsWith(PACKAGE_NAME);
	return {
		id: name,
		name,
		type,
		typeVersion: 1,
		position: [0, 0],
		parameters: parameters as INode['parameters'],
		...(isOwnNode ? { credentials: { [CREDENTIAL_TYPE]: { id: 'key', name: 'key' } } } : {}),
		...settings,
	};
}

/** A connection to each of these nodes. */
export const linksTo = (type: 'main' | 'ai_tool', ...names: string[]) => ({
	[type]: [names.map((node) => ({ node, type, index: 0 }))],
});

/** A workflow: the node `Start` with these items, followed by the node `Business Data`. */
export function workflowOf(
	items: Array<INodeExecutionData['json']>,
	parameters: INode['parameters'],
	settings: Partial<INode> = {},
): WorkflowJson {
	const own = nodeOf('Business Data', NODE_TYPE, parameters, { id: 'node', ...settings });
	return {
		nodes: [nodeOf('Start', ITEMS_TYPE, { items }), own],
		connections: { Start: linksTo('main', own.name) },
	};
}
