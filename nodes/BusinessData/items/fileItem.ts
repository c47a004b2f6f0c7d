/** A response as a file in a binary field. */
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { decodePercent } from '../transport/endpointPath';
import { type ServiceResponse, headerText } from '../transport/response';

/** @param field the binary field's name; empty means `data` */
export async function fileItem(
	context: IExecuteFunctions,
	{ headers, body, statusCode }: ServiceResponse,
	field: string,
	itemIndex: number,
): Promise<INodeExecutionData> {
	const type = headerText(headers, 'content-type').split(';')[0]?.trim();
	const binary = await context.helpers.prepareBinaryData(
		body,
		fileNameOf(headerText(headers, 'content-disposition')),
		type === '' ? undefined : type,
	);
	return {
		json: { statusCode },
		binary: { [field.trim() === '' ? 'data' : field.trim()]: binary },
		pairedItem: { item: itemIndex },
	};
}

/** The file's name in a `Content-Disposition` header (RFC 6266), without any folder. */
function fileNameOf(header: string): string | undefined {
	const encoded = /filename\*\s*=\s*[\w-]+'[^']*'([^;\s]+)/i.exec(header)?.[1];
	const plain = /filename\s*=\s*("([^"]*)"|[^;\s]+)/i.exec(header);
	const name =
		encoded === undefined ? (plain?.[2] ?? plain?.[1]) : (decodePercent(encoded) ?? encoded);
	return name?.split(/[\\/]/).at(-1) || undefined;
}
