/** What a service says of an error: every text in its body, the most useful first, whatever the body's shape. */
import { type ServiceResponse, textOf } from './response';
import { isObject } from '../values/isObject';
import { tryParseJson } from '../values/json';
import { shorten } from '../values/text';

/** Of the service's words in a message, and in a description. */
const LONGEST_MESSAGE = 300;
const LONGEST_DESCRIPTION = 2_000;
/** How much of what a 2xx says is shown. */
const LONGEST_SAID = 500;
/** The length of a body that is not JSON; it bounds the time for reading its tags. */
const LONGEST_TEXT = 10_000;
const MOST_TEXTS = 200;
const DEEPEST = 50;

/** Keys of sentences, in any letter case and behind any prefix, as in `DeveloperErrorMessage`. */
const SENTENCE = /(message|messages|msg|description|details?|reason|title|hint|advice)$/i;
/** Keys of what went wrong, which may be sentences, codes, or lists of them by field. */
const FAULT = /(error|fault|violation|problem|warning)s?$|info(rmation)?$/i;
const CODE = /(code|errno|number)$/i;
/** Keys of a place in what was sent. */
const PLACE = /^(field|path|property|pointer|param|source|attribute|loc|target)/i;
/** Keys around a sentence that say nothing of what it is about. */
const AROUND = /^(data|meta(data)?|body|response|result|records?|context|items?)$/i;
/** Headers that tell a reason, such as `Reason` or `X-Error-Message`. */
const HEADER = /(^|-)(reason|errors?|message|detail|problem)(-|$)/;

/** A text of a response: a sentence for persons, a field of an error, or anything else. */
interface Text {
	text: string;
	rank: 0 | 1 | 2;
}

/** Each text once, in the order of their use; `sentences` are what was written for persons, as far as the keys tell. */
function serviceTexts(response: ServiceResponse): { sentences: string[]; others: string[] } {
	const found: Text[] = [];
	const body = textOf(response).trim();
	const parsed = tryParseJson(body);
	if ('value' in parsed) collect(parsed.value, [], found, 0);
	else found.push(...wordsOf(body.slice(0, LONGEST_TEXT)).map((text): Text => ({ text, rank: 0 })));
	for (const [name, text] of Object.entries(response.headers)) {
		if (typeof text === 'string' && HEADER.test(name)) found.push({ text, rank: 0 });
	}
	const texts = (...ranks: number[]) => {
		const some = ranks.flatMap((rank) => found.filter((one) => one.rank === rank));
		return [...new Set(some.map(({ text }) => text.trim().replace(/\s+/g, ' ')))].filter(Boolean);
	};
	return { sentences: texts(0, 1), others: texts(2) };
}

/** What a response says to persons, as the last sentence of a description; empty where it says nothing. */
export function alsoSaid(response: ServiceResponse): string {
	const said = serviceTexts(response).sentences.join('; ').slice(0, LONGEST_SAID);
	return said === '' ? '' : ` The service said: ${said}`;
}

/**
 * What a response says of an error: behind the status as much as a message holds, and the rest as the last sentence of
 * the description.
 */
export function explain(
	status: string,
	response: ServiceResponse,
): { message: string; rest: string } {
	// Many services repeat the status.
	const isNew = (text: string) => !status.toLowerCase().endsWith(` ${text.toLowerCase()}`);
	const { sentences, others } = serviceTexts(response);
	const mostUseful = sentences.filter(isNew);
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

/** @param keys those that lead to the value */
function collect(value: unknown, keys: string[], found: Text[], level: number): void {
	if (found.length >= MOST_TEXTS || level > DEEPEST) return;
	const key = keys.at(-1) ?? '';
	if (Array.isArray(value)) {
		for (const inner of value) collect(inner, keys, found, level + 1);
	} else if (isObject(value)) {
		const entries = Object.entries(value);
		const sentence = entries.find(isSentence);
		// The place in what was sent belongs in front of the sentence on it.
		const place = sentence && entries.find(([name, inner]) => PLACE.test(name) && placeIn(inner));
		const label = place === undefined ? fieldIn(keys) : placeIn(place[1]);
		for (const entry of entries) {
			if (entry === sentence) found.push({ text: labelled(label, entry[1]), rank: 0 });
			else if (entry !== place) collect(entry[1], [...keys, entry[0]], found, level + 1);
		}
	} else if (typeof value === 'string') found.push(textAt(keys, value));
	else if (typeof value === 'number' && (CODE.test(key) || FAULT.test(key))) {
		found.push({ text: labelled(key, value), rank: 2 });
	}
}

function isSentence([key, value]: [string, unknown]): boolean {
	return SENTENCE.test(key) && typeof value === 'string' && value.trim() !== '';
}

function labelled(label: string, value: unknown): string {
	return label === '' ? String(value) : `${label}: ${String(value)}`;
}

/** A place may be a text, a list of its parts, or an object of one such as `{ "pointer": "/data/name" }`. */
function placeIn(value: unknown): string {
	const parts = typeof value === 'object' && value !== null ? Object.values(value) : [value];
	const isPath = Array.isArray(value) || parts.length === 1;
	const areScalars = parts.every((part) => typeof part === 'string' || typeof part === 'number');
	return isPath && areScalars ? parts.join('.').trim() : '';
}

/** The field that an object with a sentence belongs to, where its key says so. */
function fieldIn(keys: string[]): string {
	const key = keys.at(-1) ?? '';
	const isOfError = keys.slice(0, -1).some((name) => FAULT.test(name));
	return isOfError && ![AROUND, FAULT, SENTENCE, CODE].some((names) => names.test(key)) ? key : '';
}

function textAt(keys: string[], text: string): Text {
	const [key = '', parent = ''] = keys.slice(-2).reverse();
	// Exact Online puts the sentence one level below the message.
	const isOfMessage = key === 'value' && SENTENCE.test(parent);
	if (key === '' || isOfMessage || SENTENCE.test(key) || FAULT.test(key)) return { text, rank: 0 };
	// A key that is no word of errors is a field of what was sent.
	const isField = FAULT.test(parent) && !CODE.test(key);
	return { text: text.trim() === '' ? '' : labelled(key, text), rank: isField ? 1 : 2 };
}

/** The texts of a body that is no JSON: of XML and HTML between its tags, of a form its values. */
function wordsOf(body: string): string[] {
	if (/^[\w.-]+=[^\s&]*(&[\w.-]+=[^\s&]*)*$/.test(body)) {
		return [...new URLSearchParams(body)].map(([name, value]) => labelled(name, value));
	}
	if (!body.startsWith('<')) return [body];
	return body
		.replace(/<!\[CDATA\[|\]\]>/g, '')
		.replace(/<!--.*?-->|<(script|style)\b.*?<\/\1\s*>/gis, ' ')
		.split(/<[^>]*>/)
		.map((text) => text.replace(/&(#x?[\da-f]+|\w+);/gi, characterOf));
}

const CHARACTERS: Record<string, string> = {
	...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' },
};

function characterOf(written: string, name: string): string {
	const code = Number(name.replace(/^#x/i, '0x').replace('#', ''));
	if (code > 0 && code <= 0x10ffff) return String.fromCodePoint(code);
	return CHARACTERS[name.toLowerCase()] ?? written;
}
