/** Helpers for the tests of the node's and the credential's fields. */
import type { INodeProperties, INodePropertyCollection, INodePropertyOptions } from 'n8n-workflow';

import { BusinessData } from '../../../nodes/BusinessData/BusinessData.node';

export const { description } = new BusinessData();

export function choicesOf(property: INodeProperties | undefined): INodePropertyOptions[] {
	return (property?.options ?? []).filter(
		(option): option is INodePropertyOptions => 'value' in option,
	);
}

/** The fields in a collection, such as Options. */
export function optionsOf(property: INodeProperties | undefined): INodeProperties[] {
	return (property?.options ?? []).filter((option): option is INodeProperties => 'type' in option);
}

/** The groups of fields in a fixed collection. */
export function groupsOf(property: INodeProperties | undefined): INodePropertyCollection[] {
	return (property?.options ?? []).filter(
		(option): option is INodePropertyCollection => 'values' in option,
	);
}

/** The operation list of a resource. */
export function operationsOf(resource: string, { properties } = description) {
	return properties.find(
		({ name, displayOptions }) =>
			name === 'operation' && displayOptions?.show?.resource?.includes(resource),
	);
}

/** The fields of an operation, whatever its other fields are set to. */
export function fieldsOf(resource: string, operation: string, { properties } = description) {
	return properties.filter(
		({ displayOptions }) =>
			displayOptions?.show?.resource?.includes(resource) &&
			displayOptions.show.operation?.includes(operation),
	);
}

/** The properties, and all that are nested in them. */
export function allOf(properties: INodeProperties[]): INodeProperties[] {
	return properties.flatMap((property) => [
		property,
		...allOf(optionsOf(property)),
		...groupsOf(property).flatMap(({ values }) => allOf(values)),
	]);
}
