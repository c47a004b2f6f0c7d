/** Reads the IDs in the value of a field, and refuses ambiguous values. */
import { InvalidSettingError } from '../values/invalidSettingError';
import { tryParseJson } from '../values/json';
import { refuseUnresolved } from '../values/settingValues';
import { trimUnseen } from '../values/valueFaults';

export type Id = string | number;

const FIELD = 'IDs';

const LINE_BREAKS = /[\r\n\v\f\u0085\u2028\u2029]+/;
/** What expressions and programs write for a value that is missing. */
const WORDS_FOR_NOTHING = new Set([
	...['undefined', 'null', 'nan', 'invalid date', 'invalid datetime'],
	// Others with brackets are refused as well.
	'[object object]',
]);
/** Most IDs match, so that a hundred thousand of them are read fast. */
const PLAIN = /^[\w.:#@/+-]+$/;
/** Signs of a list in another form, and characters that a person cannot see. */
const SUSPECTS: Array<[pattern: RegExp, problem: string]> = [
	[/["[\]{}“”„«»]/, 'holds a bracket or a quotation mark, as if it were cut out of a list'],
	[/^['‘’‚`´].*['‘’`´]$/su, 'stands in quotation marks'],
	[/[，、；،؛]/, 'holds a comma or a semicolon of another script'],
	[/[\p{Cc}\p{Cf}\p{Cs}]|[^\S ]/u, 'holds a character that cannot be seen'],
];

/**
 * @param value an ID, a text of IDs separated by commas, semicolons or line breaks, or a list, also as JSON
 * @throws InvalidSettingError
 */
export function readIds(value: unknown): Id[] {
	refuseUnresolved(FIELD, value);
	const parts = partsOf(value);
	if (parts.length === 0) throw invalid('the list is empty');
	return parts.map(readId);
}

/** One name for all Unicode forms of an ID. */
export function nameOfId(id: Id): string {
	return String(id).normalize('NFC');
}

function readId(value: unknown): Id {
	if (typeof value === 'number' && Number.isFinite(value)) {
		if (Math.abs(value) > Number.MAX_SAFE_INTEGER) throw inexact(String(value));
		return value;
	}
	if (value === undefined || value === null) throw invalid('an ID is empty');
	if (typeof value !== 'string') throw invalid('an ID is not a text or a number');
	const id = trimUnseen(value);
	if (id === '') throw invalid('an ID is empty');
	if (WORDS_FOR_NOTHING.has(id.toLowerCase())) throw invalid(`"${id}" stands for no value`);
	if (PLAIN.test(id)) return id;
	const [, problem] = SUSPECTS.find(([pattern]) => pattern.test(id)) ?? [];
	if (problem !== undefined) throw invalid(`an ID ${problem}`);
	if (!hasPairs(id))
		throw invalid('an ID has one parenthesis of two, as if it were cut out of a list');
	return id;
}

function partsOf(value: unknown): unknown[] {
	if (Array.isArray(value)) return value;
	if (typeof value !== 'string') return [value];
	const text = trimUnseen(value);
	// AI agents and expressions inside a text write lists as JSON.
	if (!/^[[{"]/.test(text)) return text.split(/[,;]/).flatMap(linesOf);
	const parsed = tryParseJson(text);
	if ('problem' in parsed || !Array.isArray(parsed.value)) {
		throw invalid('the text begins like JSON and is no list in JSON');
	}
	refuseInexactNumbers(text);
	return parsed.value;
}

/** The lines of a text without the empty ones; an empty text is one. */
function linesOf(text: string): string[] {
	if (!LINE_BREAKS.test(text)) return [text];
	const lines = text.split(LINE_BREAKS).filter((line) => trimUnseen(line) !== '');
	return lines.length === 0 ? [''] : lines;
}

/** Whether each parenthesis has its other half. */
function hasPairs(id: string): boolean {
	let open = 0;
	for (const character of id) {
		if (character === '(') open++;
		if (character === ')' && --open < 0) return false;
	}
	return open === 0;
}

/** A text of JSON, or a number that stands outside of one. */
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** @throws InvalidSettingError for a number that would go out as another one, or in another form */
function refuseInexactNumbers(json: string): void {
	const numbers = (json.match(TEXT_OR_NUMBER) ?? []).filter((part) => !part.startsWith('"'));
	const found = numbers.find((number) => String(Number(number)) !== number);
	if (found !== undefined) throw inexact(found);
}

function inexact(id: string): InvalidSettingError {
	return new InvalidSettingError(
		FIELD,
		`JavaScript cannot hold the number ${id} exactly, so another record could be deleted`,
		`Give the ID as a text: "${id}" in quotation marks where it comes from. Nothing is deleted for this item.`,
	);
}

function invalid(problem: string): InvalidSettingError {
	return new InvalidSettingError(
		FIELD,
		problem,
		'Enter an ID, a list with commas, semicolons or line breaks between the IDs, or an expression that gives one or a list, for example {{ $json.id }}. Nothing is deleted for this item.',
	);
}
