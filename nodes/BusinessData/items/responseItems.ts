/** Turns responses of the service into output items. */
import { isUtf8 } from 'node:buffer';

import type { IDataObject, INodeExecutionData } from 'n8n-workflow';

import type { Run } from '../run/run';
import { decodePercent } from '../transport/endpointPath';
import { headerText, type Result, type ServiceResponse } from '../transport/response';
import { holdsFailure } from '../transport/signsOfFailure';
import { isObject } from '../values/isObject';

/** The value as an item. Anything but an object goes into the field `data`. */
export function toItem(value: unknown): INodeExecutionData {
	return { json: (isObject(value) ? value : { data: value }) as IDataObject };
}

/** The items of a result: one per element of a list, a file in the binary field `data`, or the status if it is empty. */
export async function itemsOf(
	run: Run,
	response: ServiceResponse,
	result: Result,
): Promise<INodeExecutionData[]> {
	switch (result.kind) {
		case 'json':
			return [result.value].flat().map(toItem);
		case 'text':
			hintAtBrokenJson(run, result);
			return [toItem(result.text)];
		case 'file':
			return [await fileItem(run, response, 'data')];
		case 'none':
			return [statusItem(response)];
	}
}

/** For a response that has nothing else to output. */
export function statusItem({ statusCode }: ServiceResponse): INodeExecutionData {
	return { json: { statusCode } };
}

export function hintAtBrokenJson(run: Run, result: Result): void {
	if (result.kind === 'text' && result.isBroken) {
		run.hint(
			'The service carried out the request. Its response should be JSON but is not, so it is output as text.',
		);
	}
}

export function hintAtResult(
	run: Run,
	response: ServiceResponse,
	result: Result,
	items: number[],
): void {
	if (response.isTooLarge === true) {
		run.hint(
			'the service carried out the request. Its response is larger than 64 MB and was left out.',
			items,
		);
	} else if (
		response.statusCode === 207 ||
		(result.kind === 'json' && holdsFailure(result.value))
	) {
		run.hint(
			`the service answered ${response.statusCode}, but its response contains what looks like a failure, perhaps of a single record: check the output. If the service responds like this when it did nothing, set Result Field in the credential.`,
			items,
		);
	}
}

/** @param field name of the binary field; empty means `data` */
export async function fileItem(
	{ context }: Run,
	{ headers, body, statusCode }: ServiceResponse,
	field: string,
): Promise<INodeExecutionData> {
	const type = headerText(headers, 'content-type').split(';')[0]?.trim();
	const binary = await context.helpers.prepareBinaryData(
		body,
		fileNameOf(headerText(headers, 'content-disposition')),
		type === '' ? undefined : type,
	);
	return { json: { statusCode }, binary: { [field.trim() || 'data']: binary } };
}

/** The file name in a `Content-Disposition` header (RFC 6266), without folders. Many services omit the quotation marks. */
function fileNameOf(header: string): string | undefined {
	const encoded = /filename\*\s*=\s*[\w-]+'[^']*'([^;\s]+)/i.exec(header)?.[1];
	const plain = /filename\s*=\s*("([^"]*)"|[^;]+)/i.exec(header);
	const name =
		encoded === undefined
			? inUtf8(plain?.[2] ?? plain?.[1]?.trim() ?? '')
			: (decodePercent(encoded) ?? encoded);
	return name.split(/[\\/]/).at(-1) || undefined;
}

/** The text of a header: Node.js decodes it as Latin-1, although many services write UTF-8. */
function inUtf8(text: string): string {
	const bytes = Buffer.from(text, 'latin1');
	return isUtf8(bytes) ? bytes.toString() : text;
}
