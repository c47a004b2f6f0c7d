/**
 * Values of parameters and of credential fields. An expression, or a workflow written by hand, may give
 * anything, and what is taken for something else could send or delete what nobody meant.
 */
import { InvalidSettingError } from './invalidSettingError';

/** True or false; `undefined` is false. @throws InvalidSettingError that names the field */
export function readFlag(field: string, value: unknown): boolean {
	if (value === undefined) return false;
	if (typeof value === 'boolean') return value;
	throw new InvalidSettingError(
		field,
		'must be true or false',
		'Use the switch, or an expression that gives true or false, for example {{ $json.isUrgent === true }}.',
	);
}

/** A text; nothing at all is an empty one. @throws InvalidSettingError that names the field */
export function readText(field: string, value: unknown): string {
	if (value === undefined || value === null) return '';
	if (typeof value === 'string') return value;
	throw new InvalidSettingError(field, 'is not a text', 'Enter a text; check the expression.');
}

/** The values of a group of fields; nothing at all is an empty one. @throws InvalidSettingError */
export function readGroup(field: string, value: unknown): Record<string, unknown> {
	if (value === undefined || value === null) return {};
	if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
	throw new InvalidSettingError(
		field,
		'is not a group of fields',
		'Remove it and add it again in the editor.',
	);
}

/** The entries of a list of groups; nothing at all is an empty one. @throws InvalidSettingError */
export function readEntries(field: string, value: unknown): Array<Record<string, unknown>> {
	if (value === undefined || value === null) return [];
	const isList = Array.isArray(value) && value.every((entry) => isObject(entry));
	if (isList) return value as Array<Record<string, unknown>>;
	throw new InvalidSettingError(
		field,
		'is not a list of entries',
		'Remove it and add its entries again in the editor.',
	);
}

/**
 * A whole number, or the text of one.
 * @param bounds both are allowed values; without `most` there is no upper one
 * @throws InvalidSettingError that names the field and the bounds
 */
export function readWholeNumber(
	field: string,
	value: unknown,
	{ least, most }: { least: number; most?: number },
	description = 'Enter a number, or remove the option to use its default.',
): number {
	const isText = typeof value === 'string' && value.trim() !== '';
	const number = isText ? Number(value) : value;
	const isWhole = typeof number === 'number' && Number.isSafeInteger(number);
	if (isWhole && number >= least && number <= (most ?? Infinity)) return number;
	throw new InvalidSettingError(
		field,
		`must be a whole number from ${least} ${most === undefined ? 'on' : `to ${most}`}`,
		description,
	);
}

function isObject(value: unknown): boolean {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
