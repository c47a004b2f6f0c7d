/** Finds what a service says about an error, in a body of any shape. */
import { type ServiceResponse, textOf } from './response';
import { isObject } from '../values/isObject';
import { tryParseJson } from '../values/json';
import { shorten } from '../values/text';

/** In characters, how much of the service's words is shown. */
const LONGEST_MESSAGE = 300;
const LONGEST_DESCRIPTION = 2_000;
/** The same for a 2xx. */
const LONGEST_SAID = 500;
/** How much is read of a body that is not JSON, to bound the time for finding tags. */
const LONGEST_TEXT = 10_000;
const MOST_TEXTS = 200;
const DEEPEST = 50;

/** Keys that describe what went wrong, in any case and after any prefix, as in `DeveloperErrorMessage`. */
const WORD =
	/((message|detail|error|fault|violation|problem|warning)s?|msg|description|reason|title|hint|advice|info(rmation)?)$/i;
/** Keys whose numbers say what went wrong. */
const CODE = /(code|errno|number|error)s?$/i;
/** Matches headers such as `Reason` or `X-Error-Message`. */
const HEADER = /(^|-)(reason|errors?|message|detail|problem)(-|$)/;

/** Some services put JSON into a text within their JSON. */
const JSON_TEXT = /^\s*[[{]\s*["[{]/;

interface Text {
	text: string;
	/** Whether its keys say that it describes what went wrong. */
	isOfError: boolean;
}

/** Each text once, the most useful ones first. */
function serviceTexts(response: ServiceResponse): { ofError: string[]; others: string[] } {
	const found: Text[] = [];
	const body = textOf(response).trim();
	const parsed = tryParseJson(body);
	if ('value' in parsed) collect(parsed.value, [], found, 0);
	else collect(wordsOf(body.slice(0, LONGEST_TEXT)), [], found, 0);
	for (const [name, text] of Object.entries(response.headers)) {
		if (HEADER.test(name)) collect(text, [], found, 0);
	}
	const texts = (are: boolean) => [
		...new Set(found.flatMap(({ text, isOfError }) => (isOfError === are ? text : []))),
	];
	return { ofError: texts(true), others: texts(false) };
}

/** What a response says about what went wrong, to end a description; may be empty. */
export function alsoSaid(response: ServiceResponse): string {
	const said = serviceTexts(response).ofError.join('; ').slice(0, LONGEST_SAID);
	return said === '' ? '' : ` The service said: ${said}`;
}

/** The status with as much of the service's words as fits, and the rest to end a description. */
export function explain(
	status: string,
	response: ServiceResponse,
): { message: string; rest: string } {
	// Many services repeat the status as text.
	const isNew = (text: string) => !status.toLowerCase().endsWith(` ${text.toLowerCase()}`);
	const { ofError, others } = serviceTexts(response);
	const mostUseful = ofError.filter(isNew);
	const texts = [...mostUseful, ...others.filter(isNew)];
	if (texts.length === 0) return { message: status, rest: '' };
	const most = mostUseful.length || texts.length;
	const join = (count: number) => texts.slice(0, count).reduce(joinTexts);
	let count = 1;
	while (count < most && join(count + 1).length <= LONGEST_MESSAGE) count++;
	const left = texts.slice(join(count).length <= LONGEST_MESSAGE ? count : 0);
	const rest = left.length === 0 ? '' : shorten(left.reduce(joinTexts), LONGEST_DESCRIPTION);
	return {
		message: `${status}: ${shorten(join(count), LONGEST_MESSAGE)}`,
		rest: rest === '' ? '' : ` The service also said: ${rest}`,
	};
}

function joinTexts(before: string, text: string): string {
	return `${before}${/[.!?:;…]$/.test(before) ? ' ' : '; '}${text}`;
}

/** @param keys the path to the value */
function collect(given: unknown, keys: string[], found: Text[], level: number): void {
	if (found.length >= MOST_TEXTS || level > DEEPEST) return;
	const parsed = typeof given === 'string' && JSON_TEXT.test(given) ? tryParseJson(given) : {};
	const value = 'value' in parsed ? parsed.value : given;
	if (Array.isArray(value)) {
		for (const inner of value) collect(inner, keys, found, level + 1);
	} else if (isObject(value)) {
		// Descriptions first, then other fields, then objects.
		const rankOf = ([key, inner]: [string, unknown]) =>
			typeof inner === 'object' ? 2 : WORD.test(key) ? 0 : 1;
		const entries = Object.entries(value).sort((a, b) => rankOf(a) - rankOf(b));
		for (const [key, inner] of entries) collect(inner, [...keys, key], found, level + 1);
	} else if (typeof value === 'string' ? value.trim() !== '' : isCode(value, keys)) {
		const text = String(value).trim().replace(/\s+/g, ' ');
		const label = typeof value === 'number' ? keys.at(-1) : fieldOf(keys);
		const isOfError = keys.length === 0 || keys.some((key) => WORD.test(key));
		found.push({ text: label === undefined ? text : `${label}: ${text}`, isOfError });
	}
}

function isCode(value: unknown, keys: string[]): boolean {
	return typeof value === 'number' && CODE.test(keys.at(-1) ?? '');
}

/** The field that holds the text, or that the error is about. */
function fieldOf(keys: string[]): string | undefined {
	const at = keys.findLastIndex((key) => !WORD.test(key));
	const isOfError = keys.slice(0, at).some((key) => WORD.test(key));
	return at === keys.length - 1 || isOfError ? keys[at] : undefined;
}

/** The texts in XML or HTML, the values in a form, or any other body unchanged. */
function wordsOf(body: string): string[] {
	if (/^[\w.-]+=[^\s&]*(&[\w.-]+=[^\s&]*)*$/.test(body)) {
		return [...new URLSearchParams(body)].map((pair) => pair.join(': '));
	}
	if (!body.startsWith('<')) return [body];
	return body
		.replace(/<!\[CDATA\[|\]\]>/g, '')
		.replace(/<!--.*?-->|<(script|style)\b.*?<\/\1\s*>/gis, ' ')
		.split(/<[^>]*>/)
		.map((text) => text.replace(/&(#x?[\da-f]+|\w+);/gi, characterOf));
}

/** A Map, because an object would also have a `constructor`. */
const CHARACTERS = new Map(
	Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }),
);

function characterOf(written: string, name: string): string {
	const code = Number(name.replace(/^#x/i, '0x').replace('#', ''));
	if (code > 0 && code <= 0x10ffff) return String.fromCodePoint(code);
	return CHARACTERS.get(name.toLowerCase()) ?? written;
}
