/**
 * Values that n8n's expressions failed to make. n8n gives `undefined`, an object where a text is due, or inside a text
 * nothing at all: `/contacts/{{ $json.id }}/lines` becomes `/contacts//lines`.
 */
import {
	ExpressionError,
	ExpressionParser,
	type IExecuteFunctions,
	type IPollFunctions,
} from 'n8n-workflow';

import { maskKeys } from './redact';
import { messageOf, shorten } from './text';
import { findFault, scalarText, trimUnseen } from './valueFaults';

/** Stands for a value that must not go out because of its expression, until the reader of the field refuses it by name. */
export class UnresolvedValue {
	/** @param problem for example `{{ $json.id }} has no value (undefined)`, or what comes after the field's name */
	constructor(
		readonly problem: string,
		readonly howToFix = 'Check the expression, and where its value comes from.',
	) {}
}

/** Fields that identify a record or document: with a gap, they would identify another. */
const FIELDS_WITHOUT_GAPS = ['ids', 'sendOnceKey'];
/** Fields with a path. */
const FIELDS_WITH_PATHS = ['path', 'endpoint'];
const HOW_TO_WRITE_JSON =
	'Check the expression, and where its value comes from. To write any value, also null, put {{ JSON.stringify(… ?? null) }} there, without quotation marks around it.';
const EMPTY_SEGMENT = 'leaves a segment of the path empty';
/** Stands for an expression that gives an empty text; no path can hold it. */
const GAP = '\u0000';
const LONGEST_SHOWN_EXPRESSION = 100;
/** In a field that is set to Fixed, n8n takes it for text. Others' templates have braces too, but not what is in these. */
const PLAIN_EXPRESSION =
	/\{\{([^{}]{0,200}?(?:\$[a-zA-Z(]|\b(?:DateTime\.|new Date\())[^{}]{0,200})\}\}/;

/** Evaluates what stands between `{{` and `}}`. */
type Evaluate = (code: string) => unknown;

/** A part of a text: as it is, or the code of an expression. */
interface Piece {
	type: 'text' | 'code';
	text: string;
}

/** Where an expression stands: in which field, after what is written before it, and before which piece. */
interface Place {
	name: string;
	before: string;
	next: Piece | undefined;
}

/** Whether a saved parameter is an expression or holds one; n8n marks it by an equals sign in front. */
export function holdsExpression(saved: unknown): boolean {
	if (typeof saved === 'string') return saved.startsWith('=');
	return hasParts(saved) && Object.values(saved).some(holdsExpression);
}

/**
 * The value of a parameter, with an `UnresolvedValue` for each part that an expression failed to make, or
 * that holds an expression as plain text.
 * @param saved the parameter as n8n has saved it
 * @param read has n8n make its value
 * @throws ExpressionError of n8n's, which says what is wrong with the expression
 */
export function readMarked(
	context: IExecuteFunctions | IPollFunctions,
	name: string,
	saved: unknown,
	read: () => unknown,
	itemIndex = 0,
): unknown {
	// The context of a poll has it too, but its type does not say so.
	const evaluate = (code: string) =>
		(context as IExecuteFunctions).evaluateExpression(`{{${code}}}`, itemIndex);
	try {
		return mark(name, saved, read(), evaluate);
	} catch (error) {
		if (error instanceof ExpressionError) throw error;
		return new UnresolvedValue(noValue(error));
	}
}

function mark(name: string, saved: unknown, value: unknown, evaluate: Evaluate): unknown {
	if (typeof saved === 'string') {
		if (!saved.startsWith('=')) return plainExpression(saved) ?? value;
		const pieces = ExpressionParser.splitExpression(saved.slice(1));
		const [first, ...others] = pieces.filter(({ text }) => text !== '');
		if (first === undefined || pieces.every(({ type }) => type === 'text')) return value;
		if (others.length > 0) return unresolvedInText(name, [first, ...others], evaluate) ?? value;
		const problem = findFault(value, true) ?? gapAtEnd(name, first.text, value);
		return unresolved(first.text, problem) ?? value;
	}
	if (!hasParts(saved) || !hasParts(value)) return value;
	const parts = Object.entries(value).map(([key, part]): [string, unknown] => [
		key,
		mark(key, saved[key], part, evaluate),
	]);
	return Array.isArray(value) ? parts.map(([, part]) => part) : Object.fromEntries(parts);
}

function plainExpression(saved: string): UnresolvedValue | undefined {
	const [, code] = PLAIN_EXPRESSION.exec(saved) ?? [];
	if (code === undefined) return undefined;
	const problem = 'is plain text here, because the field is set to Fixed';
	return unresolved(code, problem, 'Set the field to Expression.');
}

/**
 * The fields of a credential, with an `UnresolvedValue` for each that an expression has failed to make. n8n does not
 * show which of them are expressions.
 * @param exceptTexts names of fields that may hold any text
 */
export function markUnresolvedFields(
	fields: Record<string, unknown>,
	exceptTexts: string[],
): Record<string, unknown> {
	const marked = Object.entries(fields).map(([name, value]): [string, unknown] => {
		const mayBeAny = typeof value === 'string' && exceptTexts.includes(name);
		const problem = mayBeAny ? undefined : findFault(value, true);
		return [name, problem === undefined ? value : new UnresolvedValue(problem)];
	});
	return Object.fromEntries(marked);
}

/** The first expression in a longer text that gives no text, or that leaves a gap where there must not be one. */
function unresolvedInText(
	name: string,
	pieces: Piece[],
	evaluate: Evaluate,
): UnresolvedValue | undefined {
	let firstEmpty: string | undefined;
	let before = '';
	for (const [index, { type, text }] of pieces.entries()) {
		const place = { name, before, next: pieces[index + 1] };
		const written = type === 'text' ? text : textIn(() => evaluate(text), place);
		if (typeof written !== 'string') {
			return unresolved(text, written.problem, name === 'jsonBody' ? HOW_TO_WRITE_JSON : undefined);
		}
		const isEmpty = type === 'code' && trimUnseen(written) === '';
		if (isEmpty) firstEmpty ??= text;
		before += isEmpty ? GAP : written;
	}
	if (firstEmpty === undefined) return undefined;
	if (FIELDS_WITHOUT_GAPS.includes(name)) return unresolved(firstEmpty, 'is empty');
	const segments = before.split('?', 1).join().split('/');
	const isPath = FIELDS_WITH_PATHS.includes(name);
	const isSegmentEmpty = isPath && segments.some((one) => /^\0+$/.test(one));
	return isSegmentEmpty ? unresolved(firstEmpty, EMPTY_SEGMENT) : undefined;
}

/** In a path that is one expression, a slash at the end may be all that is left of `'/contacts/' + $json.id`. */
function gapAtEnd(name: string, code: string, value: unknown): string | undefined {
	if (!FIELDS_WITH_PATHS.includes(name) || typeof value !== 'string') return undefined;
	const endsInSlash = /\/['"`]\s*$/.test(code);
	if (endsInSlash) return undefined;
	return /[^/]\/\s*$/.test(value.split('?', 1).join()) ? EMPTY_SEGMENT : undefined;
}

/** What n8n writes into a longer text for the value of an expression, or why it is not a text. */
function textIn(evaluate: () => unknown, place: Place): string | { problem: string } {
	let value: unknown;
	try {
		value = evaluate();
	} catch (error) {
		return { problem: noValue(error) };
	}
	// As `JSON.stringify` writes it.
	if (value === 'null' && place.name === 'jsonBody' && isOutsideTexts(place.before)) return value;
	const problem = findFault(value, true);
	if (problem !== undefined) return { problem };
	if (value === null) return { problem: 'is null' };
	if (!Array.isArray(value)) return scalarText(value) ?? { problem: 'is an object, not a text' };
	const areTexts = value.every((part) => typeof part !== 'object');
	return areTexts && fitsList(place) ? value.join() : { problem: 'is a list, not a text' };
}

/** Whether a list, written with commas, stays a list where it stands: not beside other text, or in a text of JSON. */
function fitsList({ name, before, next }: Place): boolean {
	if (name === 'jsonBody') return isOutsideTexts(before);
	if (name !== 'ids') return false;
	const isApart =
		next === undefined || (next.type === 'text' && /^\s*([\],;\n]|$)/.test(next.text));
	return isApart && /(^|[[,;\n])\s*$/.test(before);
}

/** Whether what follows the beginning of a JSON text is outside its quoted texts. */
function isOutsideTexts(before: string): boolean {
	// A backslash escapes only one character, which may be a backslash too.
	return (before.replace(/\\./gs, '').match(/"/g) ?? []).length % 2 === 0;
}

function noValue(error: unknown): string {
	return `has no value (${messageOf(error)})`;
}

function unresolved(
	code: string,
	problem: string | undefined,
	howToFix?: string,
): UnresolvedValue | undefined {
	if (problem === undefined) return undefined;
	const shown = shorten(maskKeys(code), LONGEST_SHOWN_EXPRESSION);
	// The problem of a part begins with the name of that part.
	const colon = problem.startsWith('"') ? ':' : '';
	return new UnresolvedValue(`{{${shown}}}${colon} ${problem}`, howToFix);
}

function hasParts(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null;
}
