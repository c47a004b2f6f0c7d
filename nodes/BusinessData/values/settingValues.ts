/**
 * Reads values of parameters and credential fields. A misread value could send or delete the wrong records, so for any
 * other kind of value, each function throws an InvalidSettingError that names the field.
 */
import type { INodeProperties } from 'n8n-workflow';

import { isObject } from './isObject';
import { UnresolvedValue } from './unresolvedValues';
import { InvalidSettingError } from './invalidSettingError';
import { named, refuseFaults, scalarText } from './valueFaults';

const DECIMAL = /^-?\d+(\.\d+)?$/;

/**
 * @param name name of the value in the field; empty for the whole field
 * @throws InvalidSettingError if an expression gave no usable value
 */
export function refuseUnresolved(field: string, value: unknown, name = ''): void {
	if (!(value instanceof UnresolvedValue)) return;
	const problem = name === '' ? value.problem : `"${name}": ${value.problem}`;
	throw new InvalidSettingError(field, problem, value.howToFix);
}

/** True or false; `undefined` is false. */
export function readFlag(field: string, value: unknown): boolean {
	refuseUnresolved(field, value);
	if (value === undefined) return false;
	if (typeof value === 'boolean') return value;
	throw new InvalidSettingError(
		field,
		'must be true or false',
		'Use the switch, or an expression that returns true or false, for example {{ $json.isUrgent === true }}.',
	);
}

/** A text; `undefined` is an empty one. */
export function readText(field: string, value: unknown): string {
	refuseUnresolved(field, value);
	if (value === undefined) return '';
	if (typeof value === 'string') return value;
	throw notText(field, value);
}

/** Dot paths, separated by commas. A `*` is dropped, because these paths pass through lists without it. */
export function readPaths(field: string, value: unknown): string[] {
	const names = readList(field, value).map((path) => path.split('.').filter((one) => one !== '*'));
	return names.map((path) => path.join('.')).filter((path) => path !== '');
}

/** Texts, separated by commas. Empty ones are dropped. */
export function readList(field: string, value: unknown): string[] {
	const texts = readText(field, value).split(',');
	return texts.map((text) => text.trim()).filter((text) => text !== '');
}

/** A text that is not empty, trimmed. */
export function readFilledText(field: string, value: unknown, howToFix: string): string {
	const text = readText(field, value).trim();
	if (text !== '') return text;
	throw new InvalidSettingError(field, 'is empty', howToFix);
}

/** The name of an entry. */
export function readName(field: string, value: unknown): string {
	const name = readTextToSend(field, value, 'name').trim();
	if (name !== '') return name;
	throw new InvalidSettingError(field, 'a name is empty', 'Enter a name, or remove the entry.');
}

/** What can be sent as text: a text, a number, a boolean or a date; `undefined` is empty. */
export function readTextToSend(field: string, value: unknown, name = ''): string {
	refuseUnresolved(field, value, name);
	if (value === undefined) return '';
	refuseFaults(field, value, false, name);
	const text = scalarText(value);
	if (text === undefined) throw notText(field, value, name);
	if (!/\p{Surrogate}/u.test(text)) return text;
	const problem = named(name, 'holds half of a character');
	throw new InvalidSettingError(field, problem, 'Check where the text is cut off.');
}

function notText(field: string, value: unknown, name = ''): InvalidSettingError {
	const problem = value === null ? 'has no value (null)' : 'is not a text';
	const howToFix = 'Enter a text; check the expression.';
	return new InvalidSettingError(field, named(name, problem), howToFix);
}

/** One of the known texts. */
export function readChoice<T extends string>(
	field: string,
	value: unknown,
	known: readonly T[],
): T {
	refuseUnresolved(field, value);
	const found = known.find((choice) => choice === value);
	if (found !== undefined) return found;
	throw new InvalidSettingError(field, 'is not known', `Use one of ${known.join(', ')}.`);
}

const ADD_AGAIN = 'Remove it and add it again in the editor.';

/** The values of a group of fields; `undefined` is an empty one. */
export function readGroup(field: string, value: unknown): Record<string, unknown> {
	refuseUnresolved(field, value);
	if (value === undefined) return {};
	if (isObject(value)) return value;
	throw new InvalidSettingError(field, 'is not a group of fields', ADD_AGAIN);
}

/** The default values of fields, which n8n does not save. */
export function defaultsOf(fields: INodeProperties[]): Record<string, unknown> {
	return Object.fromEntries(fields.map(({ name, default: value }) => [name, value]));
}

/** The entries of a list of groups; `undefined` is an empty one. */
export function readEntries(field: string, value: unknown): Array<Record<string, unknown>> {
	refuseUnresolved(field, value);
	if (value === undefined) return [];
	if (Array.isArray(value) && value.every(isObject)) return value;
	throw new InvalidSettingError(field, 'is not a list of entries', ADD_AGAIN);
}

/** A number, or a text with a decimal number. Undefined even for what JavaScript would convert, such as `true` and `""`. */
export function toNumber(value: unknown): number | undefined {
	if (typeof value === 'string' && DECIMAL.test(value.trim())) return Number(value);
	return typeof value === 'number' ? value : undefined;
}

interface Bounds {
	least: number;
	most?: number;
	/** What it must be, worded for the error. */
	kind?: 'a number' | 'a whole number' | 'a number of seconds';
}

/** A number, or a text with a decimal number. */
export function readNumber(
	field: string,
	value: unknown,
	{ least, most = Infinity, kind = 'a number' }: Bounds,
	howToFix = 'Enter a number, or remove the option to use its default.',
): number {
	refuseUnresolved(field, value);
	const number = toNumber(value) ?? NaN;
	const isOfKind = kind === 'a whole number' ? Number.isSafeInteger : Number.isFinite;
	if (isOfKind(number) && number >= least && number <= most) return number;
	const range = `from ${least} ${most === Infinity ? 'on' : `to ${most}`}`;
	throw new InvalidSettingError(field, `must be ${kind} ${range}`, howToFix);
}

export const readWholeNumber: typeof readNumber = (field, value, bounds, howToFix) =>
	readNumber(field, value, { ...bounds, kind: 'a whole number' }, howToFix);

export function readSeconds(
	field: string,
	value: unknown,
	bounds: Bounds = { least: 0, most: Number.MAX_SAFE_INTEGER / 1000 },
): number {
	return readNumber(field, value, { ...bounds, kind: 'a number of seconds' });
}
