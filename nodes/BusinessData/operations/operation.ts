/** What a resource and an operation are, for the router and for the node's description. */
import type {
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
	NodeHint,
} from 'n8n-workflow';

import type { Run } from '../run/run';

export interface Operation {
	/** The entry in the Operation list; its `value` is saved in workflows. */
	option: INodePropertyOptions;
	/** The operation's own fields. */
	description: INodeProperties[];
	/** What the editor shows with it, whenever their conditions hold. */
	hints?: NodeHint[];
	/** Returns one output item or more per input item, each with its `pairedItem`. */
	execute(run: Run): Promise<INodeExecutionData[]>;
}

export interface Resource {
	/** The entry in the Resource list; its `value` is saved in workflows. */
	option: INodePropertyOptions;
	operations: Operation[];
	/** The `value` of the operation that is chosen at first; never one that deletes. */
	defaultOperation: string;
}

/** Shows the properties for one operation of a resource only. */
export function shownFor(
	resource: string,
	operation: string,
	properties: INodeProperties[],
): INodeProperties[] {
	return properties.map((property) => ({
		...property,
		displayOptions: {
			...property.displayOptions,
			show: { resource: [resource], operation: [operation], ...property.displayOptions?.show },
		},
	}));
}

/** The Operation list of a resource, followed by the fields of its operations. */
export function describeResource(resource: Resource): INodeProperties[] {
	return [
		// eslint-disable-next-line n8n-nodes-base/node-param-default-missing -- it is there, as a variable
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: [resource.option.value] } },
			options: resource.operations.map(({ option }) => option),
			default: resource.defaultOperation,
		},
		...resource.operations.flatMap(({ description }) => description),
	];
}
