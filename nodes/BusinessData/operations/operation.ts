import type {
	IDisplayOptions,
	INodeExecutionData,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';

import type { Run } from '../run/run';

export interface Operation {
	/** The entry in the Operation list; its `value` is saved in workflows. */
	option: INodePropertyOptions;
	fields: INodeProperties[];
	/** @returns items with their `pairedItem` */
	execute(run: Run): Promise<INodeExecutionData[]>;
}

export interface Resource {
	/** The entry in the Resource list; its `value` is saved in workflows. */
	option: INodePropertyOptions;
	operations: Operation[];
	/** Must not be one that deletes. */
	defaultOperation: string;
}

/** The field, shown under further conditions. */
export function shownWith(field: INodeProperties, show: IDisplayOptions['show']): INodeProperties {
	const { displayOptions } = field;
	return {
		...field,
		displayOptions: { ...displayOptions, show: { ...show, ...displayOptions?.show } },
	};
}

/** The Operation list of a resource, followed by the fields of its operations. */
export function describeResource({
	option: { value: resource },
	operations,
	defaultOperation,
}: Resource): INodeProperties[] {
	return [
		{
			displayName: 'Operation',
			name: 'operation',
			type: 'options',
			noDataExpression: true,
			displayOptions: { show: { resource: [resource] } },
			options: operations.map(({ option }) => option),
			default: defaultOperation,
		},
		...operations.flatMap(({ option: { value: operation }, fields }) =>
			fields.map((field) => shownWith(field, { resource: [resource], operation: [operation] })),
		),
	];
}
