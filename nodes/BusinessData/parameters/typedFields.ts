/** Data to Send → Define Below: names with typed values, as in n8n's Edit Fields node. Dots make nested objects. */
import { type FieldType, type IDataObject, validateFieldType } from 'n8n-workflow';

import { InvalidSettingError } from '../values/invalidSettingError';
import { maskKeys } from '../values/redact';
import {
	readEntries,
	readGroup,
	readName,
	readTextToSend,
	refuseUnresolved,
	toNumber,
} from '../values/settingValues';
import { shorten } from '../values/text';
import { refuseFaults } from '../values/valueFaults';

const LABEL = 'Fields';
/** n8n's types that JSON can hold, as the editor shows them. */
const TYPES = ['String', 'Number', 'Boolean', 'Array', 'Object'];
const LONGEST_SHOWN_VALUE = 60;
/** An empty part, brackets, or `__proto__`. */
const BAD_NAME = /^\s*(\.|$)|\.\s*(\.|$)|[[\]]|(^|\.)__proto__(\.|$)/;

type Given = string | number | boolean | object;

/**
 * Builds the body from the fields.
 * @param value of the parameter `assignments`, an `AssignmentCollectionValue` unless written by hand
 * @throws InvalidSettingError that names the field
 */
export function bodyOfFields(value: unknown, isComputed: boolean): IDataObject {
	const entries = readEntries(LABEL, readGroup(LABEL, value).assignments);
	const fields = entries.map((entry) => ({ entry, name: readName(LABEL, entry.name) }));
	fields.map(({ name }) => name).forEach(checkName);
	const body: IDataObject = {};
	for (const { entry, name } of fields) {
		put(body, name, typedValue(name, entry.type, entry.value, isComputed));
	}
	return body;
}

/** @throws InvalidSettingError if the name is malformed, or conflicts with another one */
function checkName(name: string, index: number, names: string[]): void {
	if (BAD_NAME.test(name)) {
		throw invalid(
			name,
			'cannot be a name',
			'Dots make nested objects, as in customer.city, and a list has the type Array. For a name with such dots or brackets itself, choose Data to Send: JSON.',
		);
	}
	if (names.indexOf(name) < index) throw invalid(name, 'appears twice', 'Remove one of them.');
	if (names.some((other) => other.startsWith(`${name}.`))) {
		throw invalid(
			name,
			'is both a field and an object with fields of its own',
			`Remove "${name}", or the names that begin with "${name}.".`,
		);
	}
}

function put(body: IDataObject, name: string, value: unknown): void {
	const parents = name.split('.');
	const last = parents.pop() ?? '';
	let object = body;
	for (const parent of parents) {
		// `in` would find inherited names such as `constructor`.
		if (!Object.hasOwn(object, parent)) object[parent] = {};
		object = object[parent] as IDataObject;
	}
	object[last] = value as IDataObject;
}

function invalid(name: string, problem: string, howToFix: string): InvalidSettingError {
	return new InvalidSettingError(LABEL, `"${name}" ${problem}`, howToFix);
}

/** The value as it is sent. Null fits any type. */
function typedValue(name: string, type: unknown, value: unknown, isComputed: boolean): unknown {
	refuseUnresolved(LABEL, value, name);
	refuseFaults(LABEL, value, false, name);
	const shownType = TYPES.find((one) => one.toLowerCase() === type);
	if (type !== undefined && shownType === undefined) {
		throw new InvalidSettingError(
			LABEL,
			`the type of "${name}" cannot be sent as JSON`,
			`Choose one of ${TYPES.join(', ')}.`,
		);
	}
	if (value === null || type === undefined) return value;
	if (type === 'string') return readTextToSend(LABEL, value, name);
	const given = value as Given;
	const result = convert(name, type as FieldType, given);
	if (result === undefined) {
		throw invalid(
			name,
			`expects ${shownType}, but the value is ${describe(given)}`,
			'Check the expression, or choose another type for the field. If there is no value, the expression should return null.',
		);
	}
	// The conversion may have made a number that is too large, or a list of such numbers.
	refuseFaults(LABEL, result, isComputed, name);
	return result;
}

/** Converts as n8n does, but is stricter about numbers and booleans. Undefined if it cannot. */
function convert(name: string, type: FieldType, value: Given): unknown {
	if (type === 'number') return toNumber(value);
	const isNothing = typeof value === 'object' || (typeof value === 'string' && value.trim() === '');
	if (type === 'boolean' && isNothing) return undefined;
	const result = validateFieldType(name, value, type);
	return result.valid ? result.newValue : undefined;
}

function describe(value: Given): string {
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'object') return 'an object';
	const start = shorten(maskKeys(String(value)), LONGEST_SHOWN_VALUE);
	return typeof value === 'string' ? `the text "${start}"` : start;
}
