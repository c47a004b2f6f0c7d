/** The fields that say what a request sends: the item itself, fields one by one, or JSON. */
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { InvalidSettingError } from '../transport/invalidSettingError';
import { tryParseJson } from '../transport/json';
import { readEntries, readGroup } from '../transport/settingValues';
import type { Run } from './run';

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
				description: 'Set the name and the value of each field',
			},
			{ name: 'JSON', value: 'json', description: 'Write the whole body as JSON' },
		],
		default: 'defineBelow',
		description: 'Where the fields that are sent come from',
	},
	{
		displayName: 'Fields',
		name: 'fields',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true, sortable: true },
		placeholder: 'Add Field',
		default: {},
		displayOptions: { show: { dataMode: ['defineBelow'] } },
		description:
			'The fields to send. Which fields the service expects is described in its own documentation.',
		options: [
			{
				displayName: 'Field',
				name: 'values',
				values: [
					{
						displayName: 'Name',
						name: 'name',
						type: 'string',
						default: '',
						placeholder: 'e.g. contactId',
						description: 'Name of the field as the service expects it',
					},
					{
						displayName: 'Value',
						name: 'value',
						type: 'string',
						default: '',
						description:
							'Value of the field. An expression may give a number, a list or an object.',
					},
				],
			},
		],
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

interface Field {
	name?: unknown;
	value?: unknown;
}

/**
 * The body of an item's request.
 * @throws InvalidSettingError that names the field
 */
export function readBody(run: Run, itemIndex: number): unknown {
	const mode = run.parameter<string>('dataMode', itemIndex, 'defineBelow');
	if (mode === 'autoMapInputData') return run.items[itemIndex]?.json ?? {};
	if (mode === 'json') return parseJsonBody(run.parameter<unknown>('jsonBody', itemIndex, '{}'));
	if (mode === 'defineBelow') {
		const { values } = readGroup('Fields', run.parameter<unknown>('fields', itemIndex, {}));
		return collectFields(readEntries('Fields', values));
	}
	throw new InvalidSettingError('Data to Send', 'is not known', 'Choose an entry of the list.');
}

function collectFields(fields: Field[]): IDataObject {
	const entries = fields.map(({ name, value }): [string, unknown] => {
		if (typeof name !== 'string' || name.trim() === '') {
			throw new InvalidSettingError(
				'Fields',
				'a name is empty',
				'Enter the name of the field, or remove the entry.',
			);
		}
		if (typeof value === 'number' && !Number.isFinite(value)) {
			throw new InvalidSettingError(
				'Fields',
				`"${name.trim()}" is not a number that JSON can hold (${value})`,
				'Check the expression, for example for a division by 0.',
			);
		}
		return [name.trim(), value];
	});
	const names = entries.map(([name]) => name);
	const repeated = names.find((name, index) => names.indexOf(name) !== index);
	if (repeated !== undefined) {
		throw new InvalidSettingError('Fields', `"${repeated}" is there twice`, 'Remove one of them.');
	}
	return Object.fromEntries(entries) as IDataObject;
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
