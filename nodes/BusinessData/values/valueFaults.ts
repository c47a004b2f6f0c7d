/** Finds values that must not be sent: JSON or JavaScript would change them, or an expression failed to produce them. */
import { joinPath } from './dotPath';
import { InvalidSettingError } from './invalidSettingError';

/** What JavaScript and n8n write in place of a missing or invalid value. */
const FAILED_TEXTS = new Set(['undefined', 'null', 'NaN', 'Invalid Date', 'Invalid DateTime']);
/** The same within a longer text. */
const FAILED_PART = /\[object [A-Z]\w*\]|Invalid DateTime|\[native code\]/;
const SOURCE_OF_FUNCTION =
	/^(async\s*)?(function\b[\s\w$*]*\([^]*\}|\(([\w$]+(\s*,\s*[\w$]+)*)?\)\s*=>[^]+)$/;

/**
 * The first fault in a value, preceded by its dot path: `"lines.0.due" is an invalid date`.
 * @param isComputed whether its texts come from an expression or another node. A person may have written any text
 * @param name name of the whole value; empty if no name is needed
 */
export function findFault(value: unknown, isComputed: boolean, name = ''): string | undefined {
	try {
		return find(value, isComputed, name);
	} catch (error) {
		if (!(error instanceof RangeError)) throw error;
		return named(name, 'cannot be written as JSON (it holds itself, or is nested too deeply)');
	}
}

/**
 * @param field label of the field with the value
 * @throws InvalidSettingError that says which part of the value must not be sent, and why (see `findFault`)
 */
export function refuseFaults(field: string, value: unknown, isComputed: boolean, name = ''): void {
	const problem = findFault(value, isComputed, name);
	if (problem === undefined) return;
	throw new InvalidSettingError(field, problem, 'Check where it comes from.');
}

function find(value: unknown, isComputed: boolean, path: string): string | undefined {
	const problem = problemOf(value, isComputed);
	if (problem !== undefined) return named(path, problem);
	if (typeof value !== 'object' || value === null) return undefined;
	if (hasToJson(value)) return find(value.toJSON(), isComputed, path);
	const isList = Array.isArray(value);
	for (const [key, part] of isList ? value.entries() : Object.entries(value)) {
		const inner = joinPath(path, String(key));
		const nameProblem = isComputed && !isList ? textProblem(String(key)) : undefined;
		if (nameProblem !== undefined) return named(inner, `has a name that ${nameProblem}`);
		const found = find(part, isComputed, inner);
		if (found !== undefined) return found;
	}
	return undefined;
}

/** The problem, preceded by the dot path of the part that has it, unless that is the whole value. */
export function named(path: string, problem: string): string {
	return path === '' ? problem : `"${path}" ${problem}`;
}

function problemOf(value: unknown, isComputed: boolean): string | undefined {
	switch (typeof value) {
		case 'undefined':
			return 'has no value (undefined)';
		case 'number':
		case 'bigint': {
			if (!Number.isFinite(value)) return `is not a number that JSON can hold (${value})`;
			const isExact = !Number.isInteger(value) || Number.isSafeInteger(value);
			return isExact
				? undefined
				: `is a number that JavaScript cannot hold exactly (${value}): give it as a text`;
		}
		case 'string':
			return isComputed ? textProblem(value) : undefined;
		case 'boolean':
			return undefined;
		case 'object':
			return value === null ? undefined : objectProblem(value);
		default:
			return `is a ${typeof value}`;
	}
}

function objectProblem(value: object): string | undefined {
	if (hasToJson(value)) {
		// This is what the dates of JavaScript and Luxon do.
		return (value.toJSON() ?? null) === null ? 'is an invalid date' : undefined;
	}
	const tag = Object.prototype.toString.call(value).slice('[object '.length, -1);
	// A `Map`, for example, would become {}.
	return ['Array', 'Object'].includes(tag)
		? undefined
		: `is an object that JSON cannot hold (${tag})`;
}

/** The fault of a text that an expression made, worded to follow its name. */
export function textProblem(text: string): string | undefined {
	const trimmed = text.trim();
	if (SOURCE_OF_FUNCTION.test(trimmed)) return 'is the source text of a function';
	const failed = FAILED_TEXTS.has(trimmed) ? trimmed : FAILED_PART.exec(trimmed)?.[0];
	return failed === undefined ? undefined : `is the text "${failed}", which stands for no value`;
}

/** A text, number, boolean or date as text; undefined for anything else. */
export function scalarText(value: unknown): string | undefined {
	if (typeof value === 'string') return value;
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	const json = typeof value === 'object' && value && hasToJson(value) ? value.toJSON() : undefined;
	return typeof json === 'string' ? json : undefined;
}

function hasToJson(value: object): value is { toJSON(): unknown } {
	return 'toJSON' in value && typeof value.toJSON === 'function';
}
