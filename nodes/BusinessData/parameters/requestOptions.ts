/** The options that every request has: query parameters, headers, timeout and longest wait. */
import type { INodeProperties } from 'n8n-workflow';

import { InvalidSettingError } from '../values/invalidSettingError';
import { checkHeader } from '../transport/requestHeaders';
import {
	type QueryParameters,
	refuseKeyParameter,
	type ServiceRequest,
} from '../transport/serviceRequest';
import {
	readEntries,
	readGroup,
	readName,
	readSeconds,
	readTextToSend,
} from '../values/settingValues';
import type { Run } from '../run/run';

type RequestOptions = Pick<ServiceRequest, 'query' | 'headers' | 'timeoutMs' | 'maxWaitMs'>;

const LONGEST_TIMEOUT_SECONDS = 3_600;
/** Someone is waiting for the agent, so a longer wait is an error that says how long it would take. */
const MAX_WAIT_OF_A_TOOL_SECONDS = 60;

export const nameField: INodeProperties = {
	displayName: 'Name',
	name: 'name',
	type: 'string',
	default: '',
};
export const valueField: INodeProperties = {
	displayName: 'Value',
	name: 'value',
	type: 'string',
	default: '',
};

export const maxWaitField: INodeProperties = {
	displayName: 'Max Wait',
	name: 'maxWait',
	type: 'number',
	typeOptions: { minValue: 0 },
	default: 0,
	description:
		'How many seconds in total a run may wait for the rate limits. An item that would wait longer fails at once, nothing is sent for it, and the error says how long to wait. With 0, the run waits as long as it takes. When used as a tool by an AI Agent, it waits at most 60 seconds unless this is set.',
};

/**
 * The Options field of an operation: its own options together with those of every request.
 * @param descriptions by option name, to replace the usual ones
 */
export function optionsField(
	own: INodeProperties[],
	descriptions: Record<string, string> = {},
): INodeProperties {
	const options: INodeProperties[] = [
		...own,
		{
			displayName: 'Headers',
			name: 'headerParameters',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true },
			placeholder: 'Add Header',
			default: {},
			description:
				'Headers to add to the request. The credential sends the API key, so do not add it here.',
			options: [{ displayName: 'Header', name: 'parameters', values: [nameField, valueField] }],
		},
		maxWaitField,
		{
			displayName: 'Query Parameters',
			name: 'queryParameters',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true },
			placeholder: 'Add Parameter',
			default: {},
			description: 'Parameters to add to the URL, such as a filter that your service supports',
			options: [{ displayName: 'Parameter', name: 'parameters', values: [nameField, valueField] }],
		},
		{
			displayName: 'Timeout',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: LONGEST_TIMEOUT_SECONDS },
			default: 60,
			description: 'How many seconds the service may take to respond to one request',
		},
	];
	return {
		displayName: 'Options',
		name: 'options',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: options
			.map((option) => ({
				...option,
				description: descriptions[option.name] ?? option.description,
			}))
			.sort((a, b) => (a.displayName < b.displayName ? -1 : 1)),
	};
}

/**
 * Reads the options of an item that apply to its request.
 * @param contentTypes content types that its body may have
 * @throws InvalidSettingError that names the field
 */
export function readRequestOptions(run: Run, itemIndex: number, contentTypes?: RegExp) {
	return parseRequestOptions(run.options(itemIndex), run.isTool, contentTypes);
}

/** The same for a given value of an Options field. */
export function parseRequestOptions(
	options: Record<string, unknown>,
	isTool = false,
	contentTypes?: RegExp,
): RequestOptions {
	const { timeout = 60 } = options;
	const bounds = { least: 0.001, most: LONGEST_TIMEOUT_SECONDS };
	const query = readNamed('Query Parameters', options.queryParameters);
	for (const { name } of query) refuseKeyParameter('Query Parameters', name);
	return {
		query,
		headers: readHeaders(readNamed('Headers', options.headerParameters), contentTypes),
		timeoutMs: readSeconds('Timeout', timeout, bounds) * 1000,
		maxWaitMs: readMaxWaitMs(options, isTool),
	};
}

/** How long (ms) a run may wait for the limits. @throws InvalidSettingError */
export function readMaxWaitMs(options: Record<string, unknown>, isTool: boolean): number {
	const { maxWait = isTool ? MAX_WAIT_OF_A_TOOL_SECONDS : 0 } = options;
	return (readSeconds('Max Wait', maxWait) || Infinity) * 1000;
}

function readNamed(field: string, value: unknown): QueryParameters {
	return readEntries(field, readGroup(field, value).parameters).map((entry) => {
		const name = readName(field, entry.name);
		return { name, value: readTextToSend(field, entry.value, name) };
	});
}

function readHeaders(parameters: QueryParameters, contentTypes?: RegExp): Record<string, string> {
	const field = 'Headers';
	const headers = new Map<string, [name: string, value: string]>();
	for (const { name, value } of parameters) {
		checkHeader(field, name, value, contentTypes);
		if (headers.has(name.toLowerCase())) {
			// n8n would send only the last of them.
			const howToFix = 'Remove one. Several values go into one header, separated by commas.';
			throw new InvalidSettingError(field, `${name} appears twice`, howToFix);
		}
		headers.set(name.toLowerCase(), [name, value]);
	}
	return Object.fromEntries(headers.values());
}
