/**
 * What must not go out: values that JSON or JavaScript would change on the way, and values that an expression
 * failed to make.
 */
import { InvalidSettingError } from './invalidSettingError';

/** Where in a value something must not go out, and why. */
export interface Fault {
	/** The keys that lead there; none when it is the whole value. */
	path: string[];
	/** Goes behind the name of the value, for example `is an invalid date`. */
	problem: string;
}

/** What JavaScript and n8n write where a text is made of something that is none. */
const FAILED_TEXTS = new Set(['undefined', 'null', 'NaN', 'Invalid Date', 'Invalid DateTime']);
/** The same inside a longer text; no text of a person holds one of these. */
const FAILED_PART = /\[object [A-Z]\w*\]|Invalid DateTime|\[native code\]/;
/** White space and invisible characters. */
const UNSEEN = /[\s\p{Cc}\p{Cf}]/u;
const UNSEEN_AT_AN_EDGE = /^[\p{Cc}\p{Cf}]|[\p{Cc}\p{Cf}]$/u;
const SOURCE_OF_FUNCTION =
	/^(async\s*)?(function\b[\s\w$*]*\([^]*\}|\(([\w$]+(\s*,\s*[\w$]+)*)?\)\s*=>[^]+)$/;

/**
 * The first part of a value that must not go out.
 * @param isComputed whether an expression or another node made its texts; what a person wrote may be any text
 */
export function findFault(value: unknown, isComputed: boolean): Fault | undefined {
	try {
		return find(value, isComputed);
	} catch (error) {
		if (!(error instanceof RangeError)) throw error;
		return {
			path: [],
			problem: 'cannot be written as JSON (it holds itself, or is nested too deeply)',
		};
	}
}

function find(value: unknown, isComputed: boolean): Fault | undefined {
	const problem = problemOf(value, isComputed);
	if (problem !== undefined) return { path: [], problem };
	if (typeof value !== 'object' || value === null) return undefined;
	if (hasToJson(value)) return find(value.toJSON(), isComputed);
	const isList = Array.isArray(value);
	for (const [key, part] of isList ? value.entries() : Object.entries(value)) {
		const path = [String(key)];
		const nameProblem = isComputed && !isList ? textProblem(String(key)) : undefined;
		if (nameProblem !== undefined) return { path, problem: `has a name that ${nameProblem}` };
		const found = find(part, isComputed);
		if (found !== undefined) return { ...found, path: [...path, ...found.path] };
	}
	return undefined;
}

/**
 * @param field the label of the field that the value is of
 * @param name what the value is called in that field; empty for the whole field
 * @param isComputed see `findFault`
 * @throws InvalidSettingError that says which part of the value must not go out, and why
 */
export function refuseFaults(field: string, value: unknown, isComputed: boolean, name = ''): void {
	const found = findFault(value, isComputed);
	if (found === undefined) return;
	const path = [...(name === '' ? [] : [name]), ...found.path].join('.');
	throw new InvalidSettingError(
		field,
		path === '' ? found.problem : `"${path}" ${found.problem}`,
		'Check where it comes from. Give a number with many digits as a text.',
	);
}

/** What is wrong with a text that an expression made; goes behind its name. */
export function textProblem(text: string): string | undefined {
	const trimmed = text.trim();
	if (SOURCE_OF_FUNCTION.test(trimmed)) return 'is the source text of a function';
	const failed = FAILED_TEXTS.has(trimmed) ? trimmed : FAILED_PART.exec(trimmed)?.[0];
	return failed === undefined ? undefined : `is the text "${failed}", which stands for no value`;
}

/** The text of a text, a number, true, false or a date; undefined for anything else. */
export function scalarText(value: unknown): string | undefined {
	if (typeof value === 'string') return value;
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	if (typeof value !== 'object' || value === null || !hasToJson(value)) return undefined;
	const json = value.toJSON();
	return typeof json === 'string' ? json : undefined;
}

/** A text without white space and invisible characters around it. */
export function trimUnseen(text: string): string {
	const trimmed = text.trim();
	if (!UNSEEN_AT_AN_EDGE.test(trimmed)) return trimmed;
	const characters = [...trimmed];
	const isSeen = (character: string) => !UNSEEN.test(character);
	const first = characters.findIndex(isSeen);
	return first === -1 ? '' : characters.slice(first, characters.findLastIndex(isSeen) + 1).join('');
}

/** What is wrong with the value itself, whatever it holds. */
function problemOf(value: unknown, isComputed: boolean): string | undefined {
	switch (typeof value) {
		case 'undefined':
			return 'has no value (undefined)';
		case 'number':
		case 'bigint':
			return numberProblem(value);
		case 'string':
			return isComputed ? textProblem(value) : undefined;
		case 'object':
			return value === null ? undefined : objectProblem(value);
		case 'boolean':
			return undefined;
		default:
			return `is a ${typeof value}`;
	}
}

function numberProblem(number: number | bigint): string | undefined {
	if (!Number.isFinite(number)) return `is not a number that JSON can hold (${number})`;
	const isExact = !Number.isInteger(number) || Number.isSafeInteger(number);
	return isExact ? undefined : `is a number that JavaScript cannot hold exactly (${number})`;
}

function objectProblem(value: object): string | undefined {
	if (hasToJson(value)) {
		// As the dates of JavaScript and Luxon do.
		return (value.toJSON() ?? null) === null ? 'is an invalid date' : undefined;
	}
	const tag = Object.prototype.toString.call(value).slice('[object '.length, -1);
	const isData = Array.isArray(value) || tag === 'Object';
	// A `Map`, for example, would go out as {}.
	return isData ? undefined : `is an object that JSON cannot hold (${tag})`;
}

function hasToJson(value: object): value is { toJSON(): unknown } {
	return 'toJSON' in value && typeof value.toJSON === 'function';
}
