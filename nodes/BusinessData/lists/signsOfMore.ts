/** Signs in a response that a list has more records. Services name them in many ways, so none is a proof. */
import { type ServiceResponse, headerText } from '../transport/response';
import { joinPath } from '../transport/valueAt';
import { tryParseJson } from '../values/json';
import { nextLink } from './nextUrl';

export interface SignsOfMore {
	/** How many records there are in all, and the field that says so. */
	total?: { path: string; count: number };
	/** Where the next page is named. */
	next?: { path: string; isAddress: boolean };
	/** Another field that says that there is more: a flag, or the number of pages. */
	flag?: string;
}

const NOUN =
	'(?:count|elements?|entities|entries|entry|hits?|items?|objects?|records?|resources?|results?|rows?|size|resultsize|found|available)';
/** Names as `plainName` writes them. */
const TOTAL = new RegExp(
	`^(?:total|count|(?:total|full)(?:number|num)?(?:of)?${NOUN}|(?:number|num|nb)(?:of)?${NOUN}|${NOUN}(?:count|total)|resultsize)$`,
);
const PAGES = /^((total|number|num|nb)(number|num)?(of)?pages|pages?(count|total)|pages|lastpage)$/;
const NEXT =
	/^(next((page)?(link|url|uri|href|cursor|offset|token|start|skip|after|marker|key|number)?|(record|result)s?(link|url))|continuation(token)?)$/;
/** Only as text: a number repeats the parameter of the request. */
const NEXT_AS_TEXT = /^(cursor|offset)$/;
const INSIDE_NEXT = /(^|[.:])next\.(href|url|link|after|cursor|token|offset|page)$/i;
const MORE = /^((has|is)?more[a-z]*|hasnext[a-z]*|(is)?truncated)$/;
const LAST = /^((is)?last(page)?|(is)?done|(is)?finished|endoflist)$/;
const FLAGS: Record<string, boolean> = {
	true: true,
	yes: true,
	y: true,
	1: true,
	false: false,
	no: false,
	n: false,
	0: false,
};
const DEEPEST = 4;

/** Whether a dot path may lead to the number of all records. */
export function namesTotal(path: string): boolean {
	return TOTAL.test(plainName(path));
}

export function isZero(value: unknown): boolean {
	return value === 0 || value === '0';
}

/**
 * @param read how many records were read so far
 * @param pages on how many pages
 */
export function signsOfMore(
	response: ServiceResponse,
	body: unknown,
	read: number,
	pages = Infinity,
): SignsOfMore {
	const signs: SignsOfMore = {};
	let isAtEnd = false;
	for (const [path, count] of totalsIn(response, body)) {
		if (count > read) signs.total ??= { path, count };
	}
	const note = (path: string, name: string, value: unknown) => {
		const number = numberIn(value) ?? 0;
		// Some services count the records of the page by this name.
		if (PAGES.test(name) && number > pages && number !== read) signs.flag ??= path;
		const isText = typeof value === 'string' && !['', '0'].includes(value);
		const isOpaque = NEXT_AS_TEXT.test(name) && isText && !/^\d+$/.test(value);
		const isNext = INSIDE_NEXT.test(path) || NEXT.test(name) || isOpaque;
		if (isNext && (isText || number > 0)) {
			signs.next ??= { path, isAddress: /^(https?:)?\/|^[?]/i.test(String(value)) };
		}
		const flag = FLAGS[String(value).toLowerCase()];
		const isLast = LAST.test(name) && !/\d/.test(String(value));
		if (flag === undefined || !(isLast || MORE.test(name))) return;
		if (flag === isLast) isAtEnd = true;
		else signs.flag ??= path;
	};
	for (const [path, name, value] of scalarsIn(response, body)) note(path, name, value);
	if (nextLink(response.headers) !== undefined)
		signs.next ??= { path: 'the header Link', isAddress: true };
	if (isAtEnd) delete signs.next;
	return signs;
}

/** The numbers in a response that may say how many records there are in all, with the names of their fields. */
export function totalsIn(response: ServiceResponse, body: unknown): Array<[string, number]> {
	const totals = [...scalarsIn(response, body)].flatMap(
		([path, name, value]): Array<[string, number]> => {
			const total = TOTAL.test(name) ? numberIn(value) : undefined;
			return total === undefined ? [] : [[path, total]];
		},
	);
	const [, ofRange] =
		/^(?!bytes)\S*\s*[\d*-]+\/(\d+)$/.exec(headerText(response.headers, 'content-range')) ?? [];
	return ofRange === undefined
		? totals
		: [...totals, ['the header content-range', Number(ofRange)]];
}

function numberIn(value: unknown): number | undefined {
	return typeof value === 'number' || /^\d+$/.test(String(value)) ? Number(value) : undefined;
}

/** The values beside the lists of a body and in its headers, with their dot paths and plain names. */
function* scalarsIn(
	{ headers }: ServiceResponse,
	body: unknown,
): Generator<[path: string, name: string, value: unknown]> {
	yield* scalarsBelow(body, '', 0);
	for (const name of Object.keys(headers)) {
		const text = headerText(headers, name);
		const parsed = text.startsWith('{') ? tryParseJson(text) : {};
		const path = `the header ${name}`;
		if ('value' in parsed) yield* scalarsBelow(parsed.value, path, 1);
		else yield [path, plainName(name.replace(/^(x-)?(wp-)?(pagination-)?/, '')), text];
	}
}

function* scalarsBelow(
	value: unknown,
	path: string,
	level: number,
): Generator<[path: string, name: string, value: unknown]> {
	if (typeof value !== 'object' || value === null) yield [path, plainName(path), value];
	else if (!Array.isArray(value) && level < DEEPEST) {
		for (const [name, inner] of Object.entries(value)) {
			yield* scalarsBelow(inner, joinPath(path, name), level + 1);
		}
	}
}

/** The last name of a path in small letters, without a prefix such as `hydra:` and without signs between its words. */
function plainName(path: string): string {
	const [name = ''] = path.split(/[.:]/).slice(-1);
	return name.toLowerCase().replace(/[^a-z]/g, '');
}
