/** Output items from the answers of the service. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { type Answer, jsonOf } from '../transport/answer';

/** One item per element of a list, one for anything else; the status alone where the body is empty. */
export function itemsOf(answer: Answer, itemIndex: number): INodeExecutionData[] {
	const value = jsonOf(answer);
	const values =
		value === undefined
			? [{ statusCode: answer.statusCode }]
			: Array.isArray(value)
				? value
				: [value];
	return values.map((one) => toItem(one, itemIndex));
}

/** The value as an item; one that is no object under the name `data`. */
export function toItem(value: unknown, itemIndex: number): INodeExecutionData {
	const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
	const json = (isObject ? value : { data: value }) as IDataObject;
	return { json, pairedItem: { item: itemIndex } };
}
