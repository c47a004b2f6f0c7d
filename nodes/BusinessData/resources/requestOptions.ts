/** The options that every request has: query parameters, headers, timeout and longest wait. */
import type { INodeProperties } from 'n8n-workflow';

import { InvalidSettingError } from '../transport/invalidSettingError';
import { checkHeader } from '../transport/requestHeaders';
import type { ServiceRequest } from '../transport/serviceRequest';
import { readEntries, readGroup } from '../transport/settingValues';
import { refuseLossyNumbers } from './lossyNumbers';
import type { Run } from './run';

type NameAndValue = { name?: unknown; value?: unknown };

export interface RequestOptions {
	queryParameters?: unknown;
	headerParameters?: unknown;
	timeout?: unknown;
	maxWait?: unknown;
}

type ReadOptions = Pick<ServiceRequest, 'query' | 'headers' | 'timeoutMs' | 'maxWaitMs'>;

const LONGEST_TIMEOUT_SECONDS = 3_600;
/** An agent had better hear how long it takes than hang; a person waits for its answer. */
const MAX_WAIT_OF_A_TOOL_SECONDS = 60;

const nameField: INodeProperties = {
	displayName: 'Name',
	name: 'name',
	type: 'string',
	default: '',
};
const valueField: INodeProperties = {
	displayName: 'Value',
	name: 'value',
	type: 'string',
	default: '',
};

/** The option that bounds a wait. */
export function maxWaitField(description: string): INodeProperties {
	return {
		displayName: 'Max Wait',
		name: 'maxWait',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 0,
		description,
	};
}

/**
 * The Options field of an operation: its own options together with those of every request.
 * @param descriptions in place of the usual ones, by the option's name
 */
export function optionsField(
	own: INodeProperties[] = [],
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
			description: 'Headers to send along. The key is sent by the credential, never from here.',
			options: [{ displayName: 'Header', name: 'parameters', values: [nameField, valueField] }],
		},
		maxWaitField(
			'How many seconds the items of a run may wait for the rate limits in all. An item that would wait beyond that fails at once and nothing is sent for it. With 0 they wait as long as it takes. A tool of an agent waits 60 seconds unless this is set.',
		),
		{
			displayName: 'Query Parameters',
			name: 'queryParameters',
			type: 'fixedCollection',
			typeOptions: { multipleValues: true },
			placeholder: 'Add Parameter',
			default: {},
			description: 'Parameters to add to the address, such as a filter that your service knows',
			options: [{ displayName: 'Parameter', name: 'parameters', values: [nameField, valueField] }],
		},
		{
			displayName: 'Timeout',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1, maxValue: LONGEST_TIMEOUT_SECONDS },
			default: 60,
			description: 'How many seconds the service may take to answer one request',
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
 * What the options of an item say of its request.
 * @throws InvalidSettingError that names the field
 */
export function readRequestOptions(run: Run, itemIndex: number): ReadOptions {
	const options = run.options(itemIndex);
	return { ...parseRequestOptions(options), maxWaitMs: readMaxWaitMs(options, run.isTool) };
}

/**
 * How long (ms) something may wait for the limits.
 * @throws InvalidSettingError
 */
export function readMaxWaitMs({ maxWait }: RequestOptions, isTool: boolean): number {
	const usual = isTool ? MAX_WAIT_OF_A_TOOL_SECONDS : 0;
	const seconds = readSeconds('Max Wait', maxWait ?? usual, 0, Number.MAX_SAFE_INTEGER / 1000);
	return seconds === 0 ? Infinity : seconds * 1000;
}

/**
 * What the value of an Options field says of a request.
 * @throws InvalidSettingError that names the field
 */
export function parseRequestOptions(options: RequestOptions): ReadOptions {
	const timeout = readSeconds('Timeout', options.timeout ?? 60, 0.001, LONGEST_TIMEOUT_SECONDS);
	return {
		query: readQuery(readNamed('Query Parameters', options.queryParameters)),
		headers: readHeaders(readNamed('Headers', options.headerParameters)),
		timeoutMs: timeout * 1000,
		maxWaitMs: readMaxWaitMs(options, false),
	};
}

/** @throws InvalidSettingError for a parameter `apiKey`: the service refuses it with a 401 (section 5) */
export function checkQuery(query: ServiceRequest['query'], field: string): ServiceRequest['query'] {
	if (query.some(({ name }) => name.trim().toLowerCase() === 'apikey')) {
		throw new InvalidSettingError(
			field,
			'the key must not be a query parameter (apiKey)',
			'Remove it: the service refuses such requests. The credential sends the key in the header x-api-key.',
		);
	}
	return query;
}

function readNamed(field: string, value: unknown): NameAndValue[] {
	return readEntries(field, readGroup(field, value).parameters);
}

function readQuery(parameters: NameAndValue[]): ServiceRequest['query'] {
	const field = 'Query Parameters';
	const query = parameters.map((parameter) => {
		const name = readName(parameter.name, field);
		return { name, value: readValue(parameter.value, field, name) };
	});
	return checkQuery(query, field);
}

function readHeaders(parameters: NameAndValue[]): Record<string, string> {
	const field = 'Headers';
	const headers: Record<string, string> = {};
	for (const parameter of parameters) {
		const name = readName(parameter.name, field);
		const value = readValue(parameter.value, field, name);
		checkHeader(field, name, value);
		headers[name] = value;
	}
	return headers;
}

function readName(value: unknown, field: string): string {
	const name = readText(value, field).trim();
	if (name === '') {
		throw new InvalidSettingError(field, 'a name is empty', 'Enter a name, or remove the entry.');
	}
	return name;
}

/** @param name what the value is called in its field */
function readValue(value: unknown, field: string, name: string): string {
	if (typeof value === 'number') refuseLossyNumbers(field, value, name);
	return readText(value, field);
}

function readText(value: unknown, field: string): string {
	if (value === undefined || value === null) return '';
	if (typeof value === 'string') return value;
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	throw new InvalidSettingError(
		field,
		'a name or a value is not a text',
		'Use a text or a number; check the expression.',
	);
}

/** @throws InvalidSettingError that names the field and the bounds */
export function readSeconds(field: string, value: unknown, least: number, most: number): number {
	const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
	if (typeof seconds !== 'number' || !(seconds >= least && seconds <= most)) {
		throw new InvalidSettingError(
			field,
			`must be a number of seconds from ${least} to ${most}`,
			'Enter a number, or remove the option to use its default.',
		);
	}
	return seconds;
}
