/** API Request → Send: any other endpoint of the service, under the same key, limits and care. */
import type {
	IDataObject,
	IHttpRequestMethods,
	INodeExecutionData,
	INodeProperties,
} from 'n8n-workflow';

import { type ServiceResponse, jsonOf, resultIn, textOf } from '../../transport/response';
import { METHODS, parsePath } from '../../transport/endpointPath';
import { isRead, type ServiceRequest } from '../../transport/serviceRequest';
import { readChoice, readFlag, readText, readWholeNumber } from '../../values/settingValues';
import { valueAt } from '../../transport/valueAt';
import { hintAtTooLarge, itemsOf, resultItems, toItem } from '../../items/responseItems';
import { findList } from '../../lists/findList';
import { itemsFieldOption, listFields } from '../../lists/listFields';
import { type ListSettings, readListSettings } from '../../lists/listSettings';
import { readPages } from '../../lists/pages';
import { hintAtArray, readItems } from '../../lists/readItems';
import { fileItem } from '../../items/fileItem';
import { type Operation, shownFor } from '../../operations/operation';
import { readEach } from '../../items/readEach';
import { isEmpty, readJsonBody } from '../../parameters/requestBody';
import { checkQuery, optionsField, readRequestOptions } from '../../parameters/requestOptions';
import type { Run } from '../../run/run';
import { sendEach, type ToItems } from '../../items/sendEach';
import { sendOnceOptions } from '../../parameters/sendOnceOptions';
import {
	contentFields,
	type ContentType,
	FITTING_TYPES,
	readContentType,
	readEncodedBody,
} from './encodedBody';

const FORMATS = ['json', 'text', 'file'] as const;
const METHODS_WITH_BODY: IHttpRequestMethods[] = ['POST', 'PUT', 'PATCH', 'DELETE'];

const fields: INodeProperties[] = [
	{
		displayName: 'Method',
		name: 'method',
		type: 'options',
		options: METHODS.map((method) => ({ name: method, value: method })),
		default: 'GET',
		description:
			'The HTTP method. Reads (GET and HEAD) run side by side and are retried after a failure; everything else runs item by item and is never retried unless it certainly had no effect.',
	},
	{
		displayName: 'Path',
		name: 'path',
		type: 'string',
		required: true,
		default: '',
		placeholder: 'e.g. /masterdata/getContacts',
		description: 'The path below the base URL of the credential',
	},
	...contentFields.map((field) => ({
		...field,
		displayOptions: { show: { method: METHODS_WITH_BODY, ...field.displayOptions?.show } },
	})),
	optionsField([
		...sendOnceOptions.map((option) => ({
			...option,
			displayOptions: { hide: { '/method': ['GET', 'HEAD'] } },
		})),
		{
			displayName: 'File Field',
			name: 'fileField',
			type: 'string',
			default: 'data',
			displayOptions: { show: { responseFormat: ['file'] } },
			description: 'Name of the binary field to put the file in',
		},
		{
			...itemsFieldOption,
			// Not `show` for JSON: an option that was not added has no value, not even its default.
			displayOptions: { hide: { responseFormat: ['file', 'text'] } },
			description:
				'Where in the response the list is, as a dot path. If there is none, a read (GET and HEAD) fails; anything else gives the whole response. Leave empty to get one item per element if the response itself is a list, and one item otherwise.',
		},
		{
			displayName: 'Full Response',
			name: 'fullResponse',
			type: 'boolean',
			default: false,
			description: 'Whether to put out one item with the status, the headers and the body',
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			// eslint-disable-next-line n8n-nodes-base/node-param-min-value-wrong-for-limit -- 0 stands for all
			typeOptions: { minValue: 0 },
			// eslint-disable-next-line n8n-nodes-base/node-param-default-wrong-for-limit -- 0 stands for all
			default: 0,
			displayOptions: { show: { '/method': ['GET'] }, hide: { responseFormat: ['file', 'text'] } },
			// eslint-disable-next-line n8n-nodes-base/node-param-description-wrong-for-limit -- 0 stands for all
			description: 'How many items to put out at most, or 0 for all',
		},
		...listFields
			.filter(({ name }) => name === 'pagination')
			.map((field) => ({
				...field,
				displayOptions: {
					show: { '/method': ['GET'] },
					hide: { responseFormat: ['file', 'text'] },
				},
			})),
		{
			displayName: 'Response Format',
			name: 'responseFormat',
			type: 'options',
			options: [
				{ name: 'File', value: 'file', description: 'Put the response into a binary field' },
				{ name: 'JSON', value: 'json', description: 'A list becomes one item per element' },
				{ name: 'Text', value: 'text', description: 'Put the response into the field data' },
			],
			default: 'json',
			description: 'What the response is',
		},
	]),
];

/** How to read the response: checked before the request goes out, so that a wrong setting sends nothing. */
interface ResponseSettings {
	format: (typeof FORMATS)[number];
	itemsField: string;
	fileField: string;
	isFull: boolean;
	/** How many items come out at most. */
	limit: number;
	/** Where the response may be a list. */
	list: ListSettings | undefined;
}

type ApiRequest = ServiceRequest & { response: ResponseSettings };

export const send: Operation = {
	option: {
		name: 'Send',
		value: 'send',
		action: 'Send API request',
		description: 'Call any other endpoint below the base URL, under the same limits',
		builderHint: {
			propertyHint:
				'Only for endpoints that no other resource has. Give the path below the base URL; the key is sent by the credential.',
		},
	},
	description: shownFor('apiRequest', 'send', fields),
	execute: async (run) => {
		const methods = await methodsOf(run);
		hintAtBulkDelete(run, methods);
		const toItems: ToItems<ApiRequest> = async (response, request, index) =>
			await itemsOfResponse(run, request, response, index);
		const areReads = methods.every((method) => method === 'GET' || method === 'HEAD');
		const read = async (request: ApiRequest, index: number) =>
			await readResponse(run, request, index);
		return areReads
			? await readEach(run, async (index) => await read(await prepare(run, index), index))
			: await sendEach(run, (index) => prepare(run, index), toItems, read);
	},
};

/** @throws InvalidSettingError, as an expression may give any method */
function methodOf(run: Run, index: number): IHttpRequestMethods {
	const value = run.parameter('method', index, 'GET');
	return readChoice(
		'Method',
		typeof value === 'string' ? value.trim().toUpperCase() : value,
		METHODS,
	);
}

/** The methods of all items; undefined where one cannot be read, which the item itself reports later. */
async function methodsOf(run: Run): Promise<Array<IHttpRequestMethods | undefined>> {
	const methods: Array<IHttpRequestMethods | undefined> = [];
	for (const index of run.items.keys()) {
		try {
			methods.push(methodOf(run, index));
		} catch {
			methods.push(undefined);
		}
		await run.yieldToEventLoop();
	}
	return methods;
}

async function prepare(run: Run, index: number): Promise<ApiRequest> {
	const method = methodOf(run, index);
	const field = 'Path';
	const written = readText(field, run.parameter('path', index, ''));
	const { path, query } = parsePath(written, field, run.isComputed('path'));
	const contentType = readContentType(run, index, METHODS_WITH_BODY, method);
	const options = readRequestOptions(run, index, FITTING_TYPES[contentType]);
	return {
		...options,
		endpoint: { method, path },
		query: [...checkQuery(query, field), ...options.query],
		...(await bodyOf(run, index, method, contentType)),
		response: readResponseOptions(run.options(index), method),
	};
}

function readResponseOptions(
	options: Record<string, unknown>,
	method: IHttpRequestMethods,
): ResponseSettings {
	const { responseFormat = 'json', itemsField, fileField = 'data', limit = 0 } = options;
	const settings = readListSettings(method === 'GET' ? options : {});
	const most = method === 'GET' ? readWholeNumber('Limit', limit, { least: 0 }) : 0;
	const format = readChoice('Response Format', responseFormat, FORMATS);
	return {
		format,
		itemsField: readText('Items Field', itemsField).trim(),
		fileField: readText('File Field', fileField),
		isFull: readFlag('Full Response', options.fullResponse),
		limit: most === 0 ? Infinity : most,
		list: method === 'GET' && format === 'json' ? settings : undefined,
	};
}

/** A DELETE usually has no body, so one without any field of JSON sends none. */
async function bodyOf(
	run: Run,
	index: number,
	method: IHttpRequestMethods,
	contentType: ContentType,
): Promise<Pick<ServiceRequest, 'body' | 'encoded'>> {
	if (contentType === 'none') return {};
	if (contentType !== 'json') return await readEncodedBody(run, index, contentType);
	const body = readJsonBody(run, index);
	return method === 'DELETE' && isEmpty(body) ? {} : { body };
}

/** @throws RequestError */
async function readResponse(
	run: Run,
	request: ApiRequest,
	index: number,
): Promise<INodeExecutionData[]> {
	const { limit, list, isFull } = request.response;
	const isPaginated = list !== undefined && list.type !== 'none';
	if (list !== undefined && !isFull && (isPaginated || list.itemsField !== '')) {
		return await readItems(run, request, list, limit, (record) => toItem(record, index));
	}
	if (isPaginated) {
		const items: INodeExecutionData[] = [];
		for await (const { response } of readPages(run.client, request, list)) {
			items.push(await fullItem(run, response, request.response, index));
			if (items.length >= limit) break;
		}
		return items;
	}
	const response = await run.client.request(request);
	const items = (await itemsOfResponse(run, request, response, index)).slice(0, limit);
	const isArray = /^\s*\[/.test(response.body.toString('latin1', 0, 100));
	if (list !== undefined && !isFull && isArray) {
		hintAtArray(run, list, response, items.length, items.length >= limit);
	}
	return items;
}

/** The whole response: its body as JSON where it is, as a text, or as a file. */
async function fullItem(
	run: Run,
	response: ServiceResponse,
	{ format, fileField }: ResponseSettings,
	index: number,
): Promise<INodeExecutionData> {
	const { statusCode, headers } = response;
	const result = resultIn(response);
	const isFile = format === 'file' || (format === 'json' && result.kind === 'file');
	const file = isFile ? await fileItem(run.context, response, fileField, index) : {};
	const body =
		format === 'json' && result.kind === 'json' ? result.value : isFile ? null : textOf(response);
	const json = { statusCode, headers, body } as IDataObject;
	return { ...file, json, pairedItem: { item: index } };
}

async function itemsOfResponse(
	run: Run,
	{ response, ...request }: ApiRequest,
	serviceResponse: ServiceResponse,
	index: number,
): Promise<INodeExecutionData[]> {
	const { format, itemsField, fileField } = response;
	hintAtTooLarge(run, serviceResponse);
	if (response.isFull) return [await fullItem(run, serviceResponse, response, index)];
	if (format === 'file') return [await fileItem(run.context, serviceResponse, fileField, index)];
	if (format === 'text') return [toItem(textOf(serviceResponse), index)];
	if (!isRead(request)) {
		const list = itemsField === '' ? undefined : listIn(serviceResponse, itemsField);
		return list === undefined
			? await resultItems(run, serviceResponse, index)
			: itemsOf(list, index);
	}
	const body = jsonOf(serviceResponse);
	if (itemsField !== '') return itemsOf(findList(body, itemsField).records, index);
	return itemsOf(body === undefined ? { statusCode: serviceResponse.statusCode } : body, index);
}

/**
 * The list in the response to what was carried out; undefined where there is none, because an unexpected response must
 * not look like a failure.
 */
function listIn(response: ServiceResponse, itemsField: string): unknown[] | undefined {
	const result = resultIn(response);
	if (result.kind !== 'json') return undefined;
	try {
		const { records } = findList(result.value, itemsField);
		const isList = records.length > 0 || Array.isArray(valueAt(result.value, itemsField));
		return isList ? records : undefined;
	} catch {
		return undefined;
	}
}

/** Points to Delete Many where items are DELETE requests, which may be for something that it cannot delete. */
function hintAtBulkDelete(run: Run, methods: Array<IHttpRequestMethods | undefined>): void {
	const deletions = methods.filter((method) => method === 'DELETE').length;
	if (deletions < 2) return;
	run.hint(
		`${deletions} items are a DELETE request each. For contacts and transactions, the operation Delete Many sends 100 IDs per request and waits far less for the rate limits.`,
	);
}
