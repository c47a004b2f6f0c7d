/** The fields that say what a request sends: the item itself, typed fields, or JSON. */
import type { INodeProperties } from 'n8n-workflow';

import { FIELDS_HINT } from '../builderHints';
import { InvalidSettingError } from '../transport/invalidSettingError';
import { tryParseJson } from '../transport/json';
import { refuseLossyNumbers } from './lossyNumbers';
import type { Run } from './run';
import { bodyOfFields } from './typedFields';

export const bodyFields: INodeProperties[] = [
	{
		displayName: 'Data to Send',
		name: 'dataMode',
		type: 'options',
		noDataExpression: true,
		options: [
			{
				name: 'Auto-Map Input Data',
				value: 'autoMapInputData',
				description: 'Send all fields of the input item',
			},
			{
				name: 'Define Below',
				value: 'defineBelow',
				description: 'Set the name, the type and the value of each field',
			},
			{ name: 'JSON', value: 'json', description: 'Write the whole body as JSON' },
		],
		default: 'defineBelow',
		description: 'Where the fields that are sent come from',
	},
	{
		displayName: 'Fields',
		name: 'assignments',
		type: 'assignmentCollection',
		default: {},
		displayOptions: { show: { dataMode: ['defineBelow'] } },
		description:
			'The fields to send, each with its type. Dots in a name make nested objects, as in customer.city. Which fields the service expects is described in its own documentation.',
		builderHint: { propertyHint: FIELDS_HINT },
	},
	{
		displayName: 'JSON Body',
		name: 'jsonBody',
		type: 'json',
		default: '{}',
		displayOptions: { show: { dataMode: ['json'] } },
		description: 'The body of the request as JSON',
	},
];

/**
 * The body of an item's request.
 * @throws InvalidSettingError that names the field
 */
export function readBody(run: Run, itemIndex: number): unknown {
	const mode = run.parameter<string>('dataMode', itemIndex, 'defineBelow');
	if (mode === 'defineBelow') {
		const fields = run.parameter<unknown>('assignments', itemIndex, {});
		return bodyOfFields(fields, run.account.apiKey);
	}
	if (mode === 'autoMapInputData') {
		const body = run.items[itemIndex]?.json ?? {};
		refuseLossyNumbers('Data to Send', body);
		return body;
	}
	if (mode === 'json') {
		const body = parseJsonBody(run.parameter<unknown>('jsonBody', itemIndex, '{}'));
		refuseLossyNumbers('JSON Body', body);
		return body;
	}
	throw new InvalidSettingError('Data to Send', 'is not known', 'Choose an entry of the list.');
}

function parseJsonBody(value: unknown): unknown {
	let body = value;
	if (typeof value === 'string') {
		const parsed = tryParseJson(value);
		if ('problem' in parsed) {
			throw new InvalidSettingError(
				'JSON Body',
				`is not valid JSON (${parsed.problem})`,
				'Check the quotation marks and commas; texts from expressions belong in quotation marks.',
			);
		}
		body = parsed.value;
	}
	if (typeof body !== 'object' || body === null) {
		throw new InvalidSettingError(
			'JSON Body',
			'must be an object or a list',
			'For example {"contactId": "42"}.',
		);
	}
	return body;
}
