/**
 * Data to Send → Define Below: names with typed values, as n8n's Edit Fields node has them. Dots in a name make nested
 * objects, and every value is checked against its type.
 */
import { type FieldType, type IDataObject, validateFieldType } from 'n8n-workflow';

import { InvalidSettingError } from '../values/invalidSettingError';
import { redactText } from '../values/redact';
import {
	keepsDigits,
	numberOf,
	readEntries,
	readGroup,
	readName,
	readTextToSend,
	refuseUnresolved,
} from '../values/settingValues';
import { shorten } from '../values/text';
import { refuseFaults } from '../values/valueFaults';

/** The label of the field; every error begins with it. */
const LABEL = 'Fields';
/** What a JSON body can hold of the types that n8n offers; the others are for files. */
const TYPES: Record<string, string> = {
	string: 'String',
	number: 'Number',
	boolean: 'Boolean',
	array: 'Array',
	object: 'Object',
};
const LONGEST_SHOWN_VALUE = 60;

/** A value that is there. */
type Given = string | number | boolean | object;

/**
 * The body that the fields make.
 * @param value of the parameter `assignments`, an `AssignmentCollectionValue` unless it was written by hand
 * @param apiKey must not show in an error, should it be in a value
 * @throws InvalidSettingError that names the field
 */
export function bodyOfFields(value: unknown, apiKey: string): IDataObject {
	const body: IDataObject = {};
	const taken = new Map<string, 'field' | 'object'>();
	for (const field of readEntries(LABEL, readGroup(LABEL, value).assignments)) {
		const name = readPath(field.name);
		takePlace(taken, name);
		put(body, name.split('.'), typedValue(name, field.type, field.value, apiKey));
	}
	return body;
}

function readPath(value: unknown): string {
	const name = readName(LABEL, value);
	const parts = name.split('.');
	if (parts.some((part) => part.trim() === '')) {
		throw new InvalidSettingError(
			LABEL,
			`"${name}" has an empty part`,
			'Dots in a name make nested objects, as in customer.city. For a name that has a dot itself, choose Data to Send: JSON.',
		);
	}
	if (/[[\]]/.test(name)) {
		throw new InvalidSettingError(
			LABEL,
			`"${name}" cannot be a name`,
			'For a list choose the type Array. For a name that has brackets itself, choose Data to Send: JSON.',
		);
	}
	if (parts.includes('__proto__')) {
		throw new InvalidSettingError(
			LABEL,
			`"${name}" cannot be a name`,
			'JavaScript keeps __proto__ for itself. Choose Data to Send: JSON if your service really has such a field.',
		);
	}
	return name;
}

/** Records a name, and the objects around it. @throws where two names exclude each other */
function takePlace(taken: Map<string, 'field' | 'object'>, name: string): void {
	const parts = name.split('.');
	for (let length = 1; length <= parts.length; length++) {
		const path = parts.slice(0, length).join('.');
		const kind = length === parts.length ? 'field' : 'object';
		const known = taken.get(path);
		if (kind === 'field' && known === 'field') {
			throw new InvalidSettingError(LABEL, `"${path}" is there twice`, 'Remove one of them.');
		}
		if (known !== undefined && known !== kind) {
			throw new InvalidSettingError(
				LABEL,
				`"${path}" is both a field and an object with fields of its own`,
				`Remove "${path}", or the names that begin with "${path}.".`,
			);
		}
		taken.set(path, kind);
	}
}

function put(object: IDataObject, [first = '', ...rest]: string[], value: unknown): void {
	if (rest.length === 0) {
		object[first] = value as IDataObject;
		return;
	}
	// Own ones only: every object inherits a `constructor`.
	if (!Object.hasOwn(object, first)) object[first] = {};
	put(object[first] as IDataObject, rest, value);
}

/** The value as it goes out; null stays null, whatever the type. */
function typedValue(name: string, type: unknown, value: unknown, apiKey: string): unknown {
	refuseUnresolved(LABEL, value, name);
	refuseFaults(LABEL, value, false, name);
	// Without a type, as programs may leave it out: what the value is by itself.
	if (type !== undefined && (typeof type !== 'string' || !Object.hasOwn(TYPES, type))) {
		throw new InvalidSettingError(
			LABEL,
			`the type of "${name}" cannot be sent as JSON`,
			`Choose one of ${Object.values(TYPES).join(', ')}.`,
		);
	}
	if (value === null || type === undefined) return value;
	if (type === 'string') return readTextToSend(LABEL, value, name);
	const given = value as Given;
	const result = convert(name, type as FieldType, given);
	if (result === undefined) {
		throw new InvalidSettingError(
			LABEL,
			`"${name}" expects ${TYPES[type]}, but the value is ${describe(given, apiKey)}`,
			'Check the expression, or choose another type for the field. Where there is no value, an expression should give null.',
		);
	}
	// Again, because a text may be one of a number that is too large, or of a list with such numbers.
	refuseFaults(LABEL, result, false, name);
	if (typeof given === 'string' && typeof result === 'number' && !keepsDigits(given, result)) {
		throw new InvalidSettingError(
			LABEL,
			`"${name}" is a number that JavaScript cannot hold exactly (${given.trim()})`,
			'Choose the type String, or give it fewer digits.',
		);
	}
	return result;
}

/** Converts as n8n does, except numbers and values that JavaScript takes for false. Undefined where it cannot. */
function convert(name: string, type: FieldType, value: Given): unknown {
	if (type === 'number') return numberOf(value);
	const isNothing = typeof value === 'object' || (typeof value === 'string' && value.trim() === '');
	if (type === 'boolean' && isNothing) return undefined;
	const result = validateFieldType(name, value, type);
	return result.valid ? result.newValue : undefined;
}

function describe(value: Given, apiKey: string): string {
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'object') return 'an object';
	const start = shorten(redactText(String(value), apiKey), LONGEST_SHOWN_VALUE);
	return typeof value === 'string' ? `the text "${start}"` : start;
}
