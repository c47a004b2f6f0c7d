/** What a service says of an error: every text in its body, the most useful first, whatever the body's shape. */
import { type ServiceResponse, textOf } from './response';
import { tryParseJson } from '../values/json';

/** The length of a body that is not JSON; it bounds the time for reading its tags. */
const LONGEST_TEXT = 10_000;
/** How much of what a 2xx says is shown. */
const LONGEST_SAID = 500;
const MOST_TEXTS = 200;
const DEEPEST = 50;

/** A text of the body, and how soon a user wants to read it: 0 is first. */
interface Text {
	text: string;
	/** What the text is of, where its key says more than "message". */
	label: string;
	rank: number;
}

/** The last rank of sentences. */
const LAST_SENTENCE = 2;
/** Keys of sentences, in any letter case and behind any prefix, as in `DeveloperErrorMessage`. */
const SENTENCE = /(message|messages|msg|description|detail|details|reason|title|hint|advice)$/;
/** Keys of what went wrong, which may be sentences, codes, or lists of them by field. */
const FAULT = /(error|errors|fault|faults|violation|violations|problem|problems|warnings?|info)$/;
const CODE = /(code|errno|errornumber)$/;
/** Keys of a place in what was sent. */
const PLACE =
	/^(field|fieldname|path|propertypath|pointer|param|parameter|property|source|attribute|loc|location|target)$/;
/** Keys around a sentence that say nothing of what it is about. */
const AROUND =
	/^(data|details?|meta|metadata|body|response|result|records?|attributes|params|extensions|context|items?|)$/;
/** Headers that tell a reason, such as `Reason` or `X-Error-Message`. */
const HEADER = /(^|-)(reason|error|errors|message|detail|problem)(-|$)/;

export interface ServiceTexts {
	/** What a person wrote for persons, as far as the keys tell. */
	sentences: string[];
	/** Codes and the rest, with their keys. */
	others: string[];
}

/** Each text once, in the order of their use. */
export function serviceTexts(response: ServiceResponse): ServiceTexts {
	const found: Text[] = [];
	const body = textOf(response).trim();
	const parsed = tryParseJson(body);
	if ('value' in parsed) collect(parsed.value, [], found, 0);
	else
		for (const text of textsOf(body.slice(0, LONGEST_TEXT)))
			found.push({ text, label: '', rank: 0 });
	for (const [name, value] of Object.entries(response.headers)) {
		if (typeof value === 'string' && HEADER.test(name)) {
			found.push({ text: value, label: '', rank: 1 });
		}
	}
	const texts = found
		.map(({ text, ...rest }) => ({ ...rest, text: text.trim().replace(/\s+/g, ' ') }))
		.filter(({ text }) => text !== '')
		.sort((a, b) => a.rank - b.rank);
	const linesOf = (some: Text[]) => [
		...new Set(some.map(({ text, label }) => (label === '' ? text : `${label}: ${text}`))),
	];
	return {
		sentences: linesOf(texts.filter(({ rank }) => rank <= LAST_SENTENCE)),
		others: linesOf(texts.filter(({ rank }) => rank > LAST_SENTENCE)),
	};
}

/** What a response says to persons, as the last sentence of a description; empty where it says nothing. */
export function alsoSaid(response: ServiceResponse): string {
	const said = serviceTexts(response).sentences.join('; ').slice(0, LONGEST_SAID);
	return said === '' ? '' : ` The service said: ${said}`;
}

/** @param path the keys that lead to the value */
function collect(value: unknown, path: string[], found: Text[], level: number): void {
	if (found.length >= MOST_TEXTS || level > DEEPEST) return;
	if (Array.isArray(value)) {
		for (const inner of value) collect(inner, path, found, level + 1);
		return;
	}
	if (typeof value === 'object' && value !== null) {
		const entries = Object.entries(value as Record<string, unknown>);
		const isSentence = ([key, inner]: [string, unknown]) =>
			typeof inner === 'string' && inner.trim() !== '' && SENTENCE.test(plain(key));
		// The place in what was sent belongs in front of the sentence on it.
		const sentence = entries.find(isSentence);
		const place = sentence === undefined ? undefined : entries.find(isPlace);
		for (const entry of entries) {
			const [key, inner] = entry;
			const from = found.length;
			if (entry !== place) collect(inner, [...path, key], found, level + 1);
			const [text] = found.slice(from);
			if (text !== undefined && place !== undefined && entry === sentence) {
				text.label = placeIn(place[1]);
			}
		}
		return;
	}
	if (typeof value === 'string' && /^\s*[[{]/.test(value)) {
		// Some put JSON into a text of JSON.
		const parsed = tryParseJson(value);
		if ('value' in parsed) return collect(parsed.value, path, found, level + 1);
	}
	const key = path.at(-1) ?? '';
	const isCode = typeof value === 'number' && (CODE.test(plain(key)) || FAULT.test(plain(key)));
	if (isCode) found.push({ text: String(value), label: key, rank: 3 });
	else if (typeof value === 'string') found.push(textAt(path, value));
}

function isPlace([key, value]: [string, unknown]): boolean {
	return PLACE.test(plain(key)) && placeIn(value) !== '';
}

/** A place may be a text, a list of its parts, or an object of one such as `{ "pointer": "/data/name" }`. */
function placeIn(value: unknown): string {
	if (typeof value === 'string') return value.trim();
	if (typeof value !== 'object' || value === null) return '';
	const parts = Object.values(value) as unknown[];
	const isPath = Array.isArray(value) || parts.length === 1;
	const areScalars = parts.every((part) => typeof part === 'string' || typeof part === 'number');
	return isPath && areScalars ? parts.join('.') : '';
}

function textAt(path: string[], text: string): Text {
	const [key = '', parent = ''] = path.slice(-2).reverse();
	if (path.length === 0 || SENTENCE.test(plain(key))) {
		const isOfField =
			path.slice(0, -2).some((name) => FAULT.test(plain(name))) &&
			![AROUND, FAULT, SENTENCE, CODE].some((names) => names.test(plain(parent)));
		const rank = /(message|messages|msg)$/.test(plain(key)) ? 0 : 1;
		return { text, label: isOfField ? parent : '', rank };
	}
	// Exact Online puts the sentence one level below the message.
	if (SENTENCE.test(plain(parent)) && key === 'value') return { text, label: '', rank: 0 };
	if (FAULT.test(plain(key))) return { text, label: '', rank: 1 };
	if (CODE.test(plain(key))) return { text, label: key, rank: 3 };
	// A key that is no word of errors is a field of what was sent.
	return { text, label: key, rank: FAULT.test(plain(parent)) ? 2 : 4 };
}

/** Without letter case and punctuation. */
function plain(key: string): string {
	return key.toLowerCase().replace(/[^a-z]/g, '');
}

/** The texts of a body that is no JSON: of XML and HTML between its tags, of a form its values. */
function textsOf(body: string): string[] {
	if (/^[\w.-]+=[^\s&]*(&[\w.-]+=[^\s&]*)*$/.test(body)) {
		return [...new URLSearchParams(body)].map(([name, value]) => `${name}: ${value}`);
	}
	if (!/^(\ufeff|\s)*</.test(body)) return [body];
	const isPage = /<(!doctype\s+html|html|head|body|div|span|p|h\d|br|pre|table)\b/i.test(body);
	return body
		.replace(/<!--.*?-->|<\?.*?>|<(script|style)\b.*?<\/\1\s*>/gis, ' ')
		.replace(/<!\[CDATA\[(.*?)\]\]>/gs, (_, text: string) => text.replaceAll('&', '&amp;'))
		.split(/(<[^>]*>)/)
		.flatMap((part) => (/^<[^>]*>$/.test(part) ? (isPage ? [] : attributesOf(part)) : [part]))
		.map((text) => text.replace(/&(#x?[\da-f]+|\w+);/gi, characterOf));
}

/** The attributes of an XML tag: codes, fields and even messages. */
function attributesOf(tag: string): string[] {
	const attributes = [...tag.matchAll(/\s([\w.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)];
	return attributes.map(([, name = '', text, other = '']) =>
		SENTENCE.test(plain(name)) ? (text ?? other) : `${name}: ${text ?? other}`,
	);
}

const CHARACTERS: Record<string, string> = {
	amp: '&',
	lt: '<',
	gt: '>',
	quot: '"',
	apos: "'",
	nbsp: ' ',
};

function characterOf(written: string, name: string): string {
	if (!name.startsWith('#')) return CHARACTERS[name.toLowerCase()] ?? written;
	const code = /^#x/i.test(name) ? parseInt(name.slice(2), 16) : Number(name.slice(1));
	return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : written;
}
