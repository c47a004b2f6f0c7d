/** API Request → Send: calls any other endpoint of the service, with the same key, limits and safety. */
import type { IHttpRequestMethods, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { type Prepared, requestEach } from '../../items/requestEach';
import { fileItem, hintAtBrokenJson, itemsOf, toItem } from '../../items/responseItems';
import { findList } from '../../lists/findList';
import { itemsFieldOption, paginationOption } from '../../lists/listFields';
import { readListSettings } from '../../lists/listSettings';
import type { Page } from '../../lists/pages';
import { hintAtArray, readItems } from '../../lists/readItems';
import type { Operation } from '../../operations/operation';
import { optionsField, readRequestOptions } from '../../parameters/requestOptions';
import { sendOnceOptions } from '../../parameters/sendOnceOptions';
import type { Run } from '../../run/run';
import { METHODS, parsePath } from '../../transport/endpointPath';
import {
	jsonOf,
	type Result,
	resultIn,
	type ServiceResponse,
	textOf,
} from '../../transport/response';
import { isRead, type QueryParameters, type ServiceRequest } from '../../transport/serviceRequest';
import { valueAt } from '../../values/dotPath';
import { InvalidSettingError } from '../../values/invalidSettingError';
import { readChoice, readFlag, readText, readWholeNumber } from '../../values/settingValues';
import { trimUnseen } from '../../values/text';
import { contentFields, readBody } from './body';

/** `show` would not do: an option that was not added has no value, not even its default. */
const ofJson = { hide: { responseFormat: ['file', 'text'] } };
const ofLists = { ...ofJson, show: { '/method': ['GET'] } };

const fields: INodeProperties[] = [
	{
		displayName: 'Method',
		name: 'method',
		type: 'options',
		options: METHODS.map((method) => ({ name: method, value: method })),
		default: 'GET',
		description:
			'The HTTP method. Reads (GET and HEAD) run in parallel and are retried after a failure. Everything else runs item by item, and is retried only if that can do no harm.',
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
	...contentFields,
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
			displayOptions: ofJson,
			description:
				'Where in the response the list is, as a dot path. If there is none, a read (GET and HEAD) fails, and anything else returns the whole response. Leave empty to get one item per element if the response itself is a list, and one item otherwise; with Pagination, the list is found automatically.',
		},
		{
			displayName: 'Full Response',
			name: 'fullResponse',
			type: 'boolean',
			default: false,
			description:
				'Whether to output one item with the status, the headers and the body; with Pagination, one for each page',
		},
		{
			displayName: 'Limit',
			name: 'limit',
			type: 'number',
			// eslint-disable-next-line n8n-nodes-base/node-param-min-value-wrong-for-limit -- 0 stands for all
			typeOptions: { minValue: 0 },
			// eslint-disable-next-line n8n-nodes-base/node-param-default-wrong-for-limit -- 0 stands for all
			default: 0,
			displayOptions: ofLists,
			// eslint-disable-next-line n8n-nodes-base/node-param-description-wrong-for-limit -- 0 stands for all
			description: 'How many items to output at most, or 0 for all',
		},
		{ ...paginationOption, displayOptions: ofLists },
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
			description: 'Format of the response',
		},
	]),
];

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
	fields,
	execute: async (run) =>
		await requestEach(run, async (itemIndex) => await prepare(run, itemIndex)),
};

async function prepare(run: Run, itemIndex: number): Promise<Prepared> {
	const name = run.parameter('method', itemIndex, 'GET');
	// An expression may return anything.
	const method = readChoice(
		'Method',
		typeof name === 'string' ? name.trim().toUpperCase() : name,
		METHODS,
	);
	if (method === 'DELETE' && itemIndex > 0) {
		run.hint(
			'Each item is a DELETE request of its own. For contacts and transactions, the operation Delete Many sends 100 IDs per request and waits far less for the rate limits.',
		);
	}
	const written = readText('Path', run.parameter('path', itemIndex, ''));
	const { path, query } = parsePath(written, 'Path', run.isComputed('path'));
	const { fittingTypes, ...body } = await readBody(run, itemIndex, method);
	const options = readRequestOptions(run, itemIndex, fittingTypes);
	if (method === 'DELETE') {
		if (run.isComputed('path')) refuseEmpty('Path', parametersWithValues(written));
		if (run.isComputed('options')) refuseEmpty('Query Parameters', options.query);
	}
	const request: ServiceRequest = {
		...options,
		...body,
		endpoint: { method, path },
		query: [...query, ...options.query],
	};
	const settings = readResponseSettings(run.options(itemIndex), method);
	if (isRead(request)) return { request, read: async () => await read(run, request, settings) };
	const toItems = async (response: ServiceResponse, result: Result) =>
		await itemsOfResponse(run, settings, response, result);
	return { request, toItems };
}

/** The query parameters of a path that are written with a value, unlike flags such as `?force`. */
function parametersWithValues(path: string): QueryParameters {
	const [, ...queries] = path.split('?');
	const parts = queries.join('?').split('&');
	const written = new URLSearchParams(parts.filter((part) => part.includes('=')).join('&'));
	return [...written].map(([name, value]) => ({ name, value }));
}

/** @throws InvalidSettingError if a parameter is empty: without its ID, a service may delete all records */
function refuseEmpty(field: string, query: QueryParameters): void {
	const empty = query.find(({ value }) => trimUnseen(value) === '');
	if (empty === undefined) return;
	throw new InvalidSettingError(
		field,
		`"${empty.name}" is empty, so a DELETE may delete more than is meant`,
		'Check the expression, or remove the parameter. A flag without a value can stand in the path, as in ?force.',
	);
}

type ResponseSettings = ReturnType<typeof readResponseSettings>;

/** Read before the request goes out, so that nothing is sent with a wrong setting. */
function readResponseSettings(options: Record<string, unknown>, method: IHttpRequestMethods) {
	const { responseFormat = 'json', itemsField, fileField = 'data', limit = 0 } = options;
	const format = readChoice('Response Format', responseFormat, ['json', 'text', 'file']);
	const isPaged = method === 'GET' && format === 'json';
	return {
		format,
		list: readListSettings(isPaged ? options : { itemsField }),
		/** The maximum number of items. */
		limit: readWholeNumber('Limit', limit, { least: 0 }) || Infinity,
		isFull: readFlag('Full Response', options.fullResponse),
		fileField: readText('File Field', fileField),
	};
}

/** @throws RequestError, also if the response should be JSON but is not */
async function read(
	run: Run,
	request: ServiceRequest,
	settings: ResponseSettings,
): Promise<INodeExecutionData[]> {
	const { format, list, limit, isFull } = settings;
	const isPaginated = list.type !== 'none';
	const isJson = format === 'json' && !isFull;
	if (isPaginated || (isJson && list.itemsField !== '')) {
		const toItems = async ({ records, response, isAfterLast }: Page) => {
			if (!isFull) return records.map(toItem);
			return isAfterLast === true
				? []
				: await itemsOfResponse(run, settings, response, resultIn(response));
		};
		return await readItems(run, request, list, limit, toItems);
	}
	const response = await run.client.request(request);
	// Parsing a large file would take seconds.
	if (format !== 'json') return await itemsOfResponse(run, settings, response, { kind: 'file' });
	const value = isJson ? jsonOf(response) : undefined;
	const result: Result = value === undefined ? resultIn(response) : { kind: 'json', value };
	const found = (await itemsOfResponse(run, settings, response, result)).slice(0, limit);
	if (Array.isArray(value)) hintAtArray(run, list, response, found.length, found.length >= limit);
	return found;
}

async function itemsOfResponse(
	run: Run,
	{ format, isFull, list, fileField }: ResponseSettings,
	response: ServiceResponse,
	result: Result,
): Promise<INodeExecutionData[]> {
	const isFile = format === 'file' || (format === 'json' && result.kind === 'file');
	const file = isFile ? await fileItem(run, response, fileField) : undefined;
	if (isFull) {
		if (format === 'json') hintAtBrokenJson(run, result);
		const { statusCode, headers } = response;
		const text = isFile ? null : textOf(response);
		const body = format === 'json' && result.kind === 'json' ? result.value : text;
		return [{ ...file, ...toItem({ statusCode, headers, body }) }];
	}
	if (file !== undefined) return [file];
	if (format === 'text') return [toItem(textOf(response))];
	const value = result.kind === 'json' ? listIn(result.value, list.itemsField) : undefined;
	return await itemsOf(run, response, value === undefined ? result : { kind: 'json', value });
}

/** The list in a response. Undefined if there is none, because the request was carried out and must not seem to fail. */
function listIn(value: unknown, itemsField: string): unknown[] | undefined {
	if (itemsField === '') return undefined;
	try {
		const { records } = findList(value, itemsField);
		const isList = records.length > 0 || Array.isArray(valueAt(value, itemsField));
		return isList ? records : undefined;
	} catch {
		return undefined;
	}
}
