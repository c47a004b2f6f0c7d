/** The fields for the body of a request: the input item itself, typed fields, or JSON. */
import type { IDataObject, INodeProperties } from 'n8n-workflow';

import { InvalidSettingError } from '../values/invalidSettingError';
import { tryParseJson } from '../values/json';
import { readChoice, refuseUnresolved } from '../values/settingValues';
import { refuseFaults } from '../values/valueFaults';
import { isErrorJson } from '../run/itemErrors';
import type { Run } from '../run/run';
import { bodyOfFields } from './typedFields';

const FIELD = 'Data to Send';

export const bodyFields: INodeProperties[] = [
	{
		displayName: FIELD,
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
		description: 'Where the data to send comes from',
	},
	{
		displayName: 'Fields',
		name: 'assignments',
		type: 'assignmentCollection',
		default: {},
		displayOptions: { show: { dataMode: ['defineBelow'] } },
		description:
			'The fields to send, each with its type. Dots in a name make nested objects, as in customer.city. Which fields the service expects is described in its own documentation.',
		builderHint: {
			propertyHint:
				"Entries are { id, name, type, value }. Choose the type that the service expects: 'number' for amounts and counts, 'string' for IDs and invoice numbers; never 'binary'. A value of another type is an error. Dots in a name make nested objects (customer.id). Ask the user for the names; the service does not tell them.",
		},
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

/** By mode, the field to name in errors, and how to fix an empty document. */
const MODES = {
	autoMapInputData: [FIELD, 'The input item has no fields: check the node before this one.'],
	defineBelow: ['Fields', 'Add a field.'],
	json: ['JSON Body', 'Write at least one field or entry.'],
} as const;

/**
 * The body of an item's request.
 * @param isDocument whether it goes to a customer, and so must not be empty
 * @throws InvalidSettingError that names the field
 */
export function readJsonBody(run: Run, itemIndex: number, { isDocument = false } = {}): unknown {
	const modes = Object.keys(MODES) as Array<keyof typeof MODES>;
	const mode = readChoice(FIELD, run.parameter('dataMode', itemIndex, 'defineBelow'), modes);
	const [field, howToFill] = MODES[mode];
	const body =
		mode === 'defineBelow'
			? bodyOfFields(run.parameter('assignments', itemIndex, {}), run.isComputed('assignments'))
			: readWholeBody(run, itemIndex, mode, isDocument);
	if (!isDocument || !isEmpty(body)) return body;
	const howToFix = `${howToFill} The service would get an empty document.`;
	throw new InvalidSettingError(field, 'there is nothing to send', howToFix);
}

/** The item's own JSON, or the JSON Body. */
function readWholeBody(run: Run, itemIndex: number, mode: keyof typeof MODES, isDocument: boolean) {
	const [field] = MODES[mode];
	const isMapped = mode === 'autoMapInputData';
	const { json = {}, error } = run.items[itemIndex] ?? {};
	const body = isMapped ? json : parseJsonBody(field, run.parameter('jsonBody', itemIndex, '{}'));
	const isComputed = isMapped || run.isComputed('jsonBody');
	// An API Request may send an error on purpose, so it refuses only n8n's own error items.
	const mayBeResult = isDocument ? isComputed : isMapped && error !== undefined;
	if (mayBeResult) refuseResult(field, body as IDataObject);
	if (run.isTool) refuseAgentInput(field, body as IDataObject);
	refuseFaults(field, body, isComputed);
	return body;
}

/** @throws InvalidSettingError if the item is not a document but says what another node did not do */
function refuseResult(field: string, json: IDataObject): void {
	const results: Array<[is: boolean, problem: string]> = [
		[isErrorJson(json), 'is an error'],
		[json.skipped === true && 'sendOnceKey' in json, 'was skipped'],
		[json.dryRun === true && 'method' in json, 'comes from a Dry Run'],
	];
	const [, problem] = results.find(([is]) => is) ?? [];
	if (problem === undefined) return;
	throw new InvalidSettingError(
		field,
		`the input item ${problem}`,
		'It only says what an earlier node did not do. Choose Define Below or JSON, with fields from the node before that, for example {{ $("Approved invoices").item.json.invoiceNumber }}.',
	);
}

/** n8n gives a tool the input of its agent, such as a chat message. @throws InvalidSettingError if that would be sent */
function refuseAgentInput(field: string, json: IDataObject): void {
	if (!('toolCallId' in json)) return;
	throw new InvalidSettingError(
		field,
		'the input item is that of the agent',
		'Choose Define Below or JSON, with values from the model, for example {{ $fromAI("invoiceNumber") }}.',
	);
}

export function isEmpty(body: unknown): boolean {
	return typeof body === 'object' && body !== null && Object.keys(body).length === 0;
}

function parseJsonBody(field: string, value: unknown): unknown {
	refuseUnresolved(field, value);
	const parsed = typeof value === 'string' ? tryParseJson(value) : { value };
	if ('problem' in parsed) {
		const howToFix =
			'Check the quotation marks and commas; texts from expressions belong in quotation marks.';
		throw new InvalidSettingError(field, `is not valid JSON (${parsed.problem})`, howToFix);
	}
	if (typeof parsed.value === 'object' && parsed.value !== null) return parsed.value;
	const example = 'For example {"contactId": "42"}.';
	throw new InvalidSettingError(field, 'must be an object or a list', example);
}
