/** Output items from the responses of the service. */
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import { type ServiceResponse, type Result, resultIn } from '../transport/response';
import { holdsFailure } from '../transport/signsOfFailure';
import { isObject } from '../values/isObject';
import { fileItem } from './fileItem';
import type { Run } from '../run/run';

/** The value as an item; anything but an object goes into the field `data`. */
export function toItem(value: unknown, itemIndex: number): INodeExecutionData {
	const json = (isObject(value) ? value : { data: value }) as IDataObject;
	return { json, pairedItem: { item: itemIndex } };
}

/** One item per element of a list, one for anything else. */
export function itemsOf(value: unknown, itemIndex: number): INodeExecutionData[] {
	const values = Array.isArray(value) ? value : [value];
	return values.map((one) => toItem(one, itemIndex));
}

/**
 * The output of a request that the service has carried out: JSON, text, a file, or the status alone for an empty body.
 */
export async function resultItems(
	run: Run,
	response: ServiceResponse,
	itemIndex: number,
): Promise<INodeExecutionData[]> {
	const result = resultIn(response);
	hintAtTooLarge(run, response);
	hintAtResult(run, response, result);
	if (result.kind === 'json') return itemsOf(result.value, itemIndex);
	if (result.kind === 'text') return [toItem(result.text, itemIndex)];
	if (result.kind === 'file') return [await fileItem(run.context, response, 'data', itemIndex)];
	return [toItem({ statusCode: response.statusCode }, itemIndex)];
}

/** Shows a hint for a response that was left out. */
export function hintAtTooLarge(run: Run, { isTooLarge }: ServiceResponse): void {
	if (isTooLarge !== true) return;
	run.hint(
		'The service has carried out the request. Its response is larger than 64 MB and was left out.',
	);
}

/** Shows a hint for an unusual result. */
function hintAtResult(run: Run, response: ServiceResponse, result: Result): void {
	if (result.kind === 'text' && result.isBroken) {
		run.hint(
			'The service has carried out the request. Its response was meant to be JSON and is none, so it is put out as text.',
		);
	} else if (
		response.statusCode === 207 ||
		(result.kind === 'json' && holdsFailure(result.value))
	) {
		run.hint(
			`The service answered ${response.statusCode}, but its response holds what looks like a failure, of a single record perhaps: look at the output. If the service responds so to what it did not do, name the field in the credential (Result Field).`,
		);
	}
}
