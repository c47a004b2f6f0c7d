/**
 * Finds values that expressions failed to produce. n8n then returns `undefined`, an object instead of a text, or within a
 * text, nothing at all: `/contacts/{{ $json.id }}/lines` becomes `/contacts//lines`.
 */
import {
	ExpressionError,
	ExpressionParser,
	type IExecuteFunctions,
	type IPollFunctions,
} from 'n8n-workflow';

import { maskKeys } from './redact';
import { messageOf, shorten, trimUnseen } from './text';
import { findFault, scalarText } from './valueFaults';

/** Stands for a value that must not be sent because of its expression, until the reader of the field refuses it by name. */
export class UnresolvedValue {
	/** @param problem for example `{{ $json.id }} has no value (undefined)`, worded to follow the name of the field */
	constructor(
		readonly problem: string,
		readonly howToFix = 'Check the expression, and where its value comes from.',
	) {}
}

/** Fields that identify a record or document. With a gap, they would identify a different one. */
const FIELDS_WITHOUT_GAPS = ['ids', 'sendOnceKey'];
/** Fields with a path. */
const FIELDS_WITH_PATHS = ['path', 'endpoint'];
const HOW_TO_WRITE_JSON =
	'Check the expression, and where its value comes from. To write any value, even null, put {{ JSON.stringify(… ?? null) }} there, without quotation marks around it.';
const EMPTY_SEGMENT = 'leaves a segment of the path empty';
/** Stands for an expression that gives an empty text. No path can contain it. */
const GAP = '\u0000';
const LONGEST_SHOWN_EXPRESSION = 100;
/** An expression that is mere text because the field is set to Fixed. Other templates use braces too, but not such code. */
const PLAIN_EXPRESSION =
	/\{\{([^{}]{0,200}?(?:\$[a-zA-Z(]|\b(?:DateTime\.|new Date\())[^{}]{0,200})\}\}/;

/** Evaluates the code between `{{` and `}}`. */
type Evaluate = (code: string) => unknown;

/** A part of a saved text: plain text, or the code of an expression. */
type Piece = ReturnType<typeof ExpressionParser.splitExpression>[number];

/** Where an expression is: the field, the text before it, and the next piece. */
interface Place {
	name: string;
	before: string;
	next: Piece | undefined;
}

/** Whether a saved parameter is or contains an expression, which n8n marks with a leading equals sign. */
export function holdsExpression(saved: unknown): boolean {
	if (typeof saved === 'string') return saved.startsWith('=');
	return hasParts(saved) && Object.values(saved).some(holdsExpression);
}

/**
 * The value of a parameter, with an `UnresolvedValue` for each part that an expression failed to produce, or that
 * contains an expression as plain text.
 * @param saved the parameter as n8n has saved it
 * @param read returns the parameter's value from n8n
 * @throws n8n's ExpressionError, which says what is wrong with the expression
 */
export function readMarked(
	context: IExecuteFunctions | IPollFunctions,
	name: string,
	saved: unknown,
	read: () => unknown,
	itemIndex = 0,
): unknown {
	// The context of a poll has this method too, but its type does not say so.
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
 * The fields of a credential, with an `UnresolvedValue` for each that an expression failed to produce. n8n does not reveal
 * which of them are expressions.
 * @param exceptTexts names of fields that may contain any text
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

/** The first expression within a longer text that gives no text, or leaves a gap where none is allowed. */
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

/** In a path that is one expression, a trailing slash may be the remainder of `'/contacts/' + $json.id`. */
function gapAtEnd(name: string, code: string, value: unknown): string | undefined {
	if (!FIELDS_WITH_PATHS.includes(name) || typeof value !== 'string') return undefined;
	const endsInSlash = /\/['"`]\s*$/.test(code);
	if (endsInSlash) return undefined;
	return /[^/]\/\s*$/.test(value.split('?', 1).join()) ? EMPTY_SEGMENT : undefined;
}

/** What n8n puts into a longer text for an expression, or why its value is not a text. */
function textIn(evaluate: () => unknown, place: Place): string | { problem: string } {
	let value: unknown;
	try {
		value = evaluate();
	} catch (error) {
		return { problem: noValue(error) };
	}
	// From `JSON.stringify`.
	if (value === 'null' && place.name === 'jsonBody' && isOutsideTexts(place.before)) return value;
	const problem = findFault(value, true);
	if (problem !== undefined) return { problem };
	if (value === null) return { problem: 'is null' };
	if (!Array.isArray(value)) return scalarText(value) ?? { problem: 'is an object, not a text' };
	const areTexts = value.every((part) => typeof part !== 'object');
	return areTexts && fitsList(place) ? value.join() : { problem: 'is a list, not a text' };
}

/** Whether a list, joined by commas, is still a list in its place: not beside other text, nor in a quoted text of JSON. */
function fitsList({ name, before, next }: Place): boolean {
	if (name === 'jsonBody') return isOutsideTexts(before);
	if (name !== 'ids') return false;
	const isApart =
		next === undefined || (next.type === 'text' && /^\s*([\],;\n]|$)/.test(next.text));
	return isApart && /(^|[[,;\n])\s*$/.test(before);
}

/** Whether the place after this beginning of a JSON text is outside quoted texts. */
function isOutsideTexts(before: string): boolean {
	// A backslash escapes one character, which may itself be a backslash.
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
	// The problem of a part begins with the part's name in quotation marks.
	const colon = problem.startsWith('"') ? ':' : '';
	return new UnresolvedValue(`{{${shown}}}${colon} ${problem}`, howToFix);
}

function hasParts(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null;
}
