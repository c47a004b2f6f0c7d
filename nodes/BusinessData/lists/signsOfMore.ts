/** Signs in a response that a list has more records. Services name them in many ways, so none of them is proof. */
import { headerText, type ServiceResponse } from '../transport/response';
import { joinPath, valueAt } from '../values/dotPath';
import { tryParseJson } from '../values/json';
import { nextAmong, nextLink } from './nextUrl';

export interface SignsOfMore {
	/** The total number of records, and the field that says so. */
	total?: { path: string; count: number };
	/** The field that names the next page. */
	next?: { path: string; isAddress: boolean };
	/** Another field that says there is more: a flag, or the number of pages. */
	flag?: string;
}

type Entry = [path: string, value: unknown, isNextLink?: boolean];

const NOUN =
	'(?:count|elements?|entities|entries|entry|hits?|items?|objects?|records?|resources?|results?|rows?|size|resultsize|found|available)';
/** Matches names as `plainName` returns them. */
const TOTAL = new RegExp(
	`^(?:total|count|(?:total|full)(?:number|num)?(?:of)?${NOUN}|(?:number|num|nb)(?:of)?${NOUN}|${NOUN}(?:count|total)|resultsize|contentrange)$`,
);
const PAGES = /^((total|number|num|nb)(number|num)?(of)?pages|pages?(count|total)|pages|lastpage)$/;
const NEXT =
	/^(next((page)?(link|url|uri|href|cursor|offset|token|start|skip|after|marker|key)?|pagenumber|(record|result)s?(link|url))|continuation(token)?)$/;
/** Only as text: a number under this name repeats the parameter of the request. */
const NEXT_AS_TEXT = /^(cursor|offset)$/;
const INSIDE_NEXT =
	/(^|[.:])(next\.(href|url|link|after|cursor|token|offset|page)|cursors\.after)$/i;
const MORE = /^((has|is)?more[a-z]*|hasnext[a-z]*|(is)?truncated)$/;
const LAST = /^((is)?last(page)?|(is)?done|(is)?finished|endoflist)$/;
const YES = /^(true|yes|y|1)$/i;
const NO = /^(false|no|n|0)$/i;
const DEEPEST = 4;
/** Prefix for the path of a header. */
const HEADER = 'the header ';
const USUAL_PREFIX = /^(x-)?(wp-)?(pagination-)?/;
/** In letters. */
const LONGEST_VAGUE_WORD = 6;

/** Whether a dot path may lead to the total number of records. */
export function namesTotal(path: string): boolean {
	return TOTAL.test(plainName(path));
}

/** Whether a dot path may lead to what says that there is another page. */
export function namesNextPage(path: string): boolean {
	const name = plainName(path);
	return [NEXT, NEXT_AS_TEXT, MORE, PAGES].some((names) => names.test(name));
}

/** A response with a list in it, and the dot path to the list. */
interface ListResponse {
	response: ServiceResponse;
	body: unknown;
	path: string;
}

/**
 * @param records how many records were read so far
 * @param pages how many pages were read; Infinity if the number of pages is not to be judged
 */
export function signsOfMore(page: ListResponse, records: number, pages = Infinity): SignsOfMore {
	const signs: SignsOfMore = {};
	let isAtEnd = false;
	for (const [path, count] of totalsIn(page)) {
		if (count > records) signs.total ??= { path, count };
	}
	for (const [path, value, isNextLink] of scalarsIn(page)) {
		const name = plainName(path);
		const text = String(value);
		const number = numberIn(value) ?? 0;
		// Some services use this name for the number of records on the page.
		if (PAGES.test(name) && number > pages && number !== records) signs.flag ??= path;
		const isText = typeof value === 'string' && !['', '0'].includes(value);
		const isOpaque = NEXT_AS_TEXT.test(name) && isText && !/^\d+$/.test(value);
		const isNext = isNextLink === true || INSIDE_NEXT.test(path) || NEXT.test(name) || isOpaque;
		if (isNext && (isText || number > 0)) {
			signs.next ??= { path, isAddress: /^((https?:)?\/|[?])/i.test(text) };
		}
		const isLast = LAST.test(name) && !/\d/.test(text);
		if (!isLast && !MORE.test(name)) continue;
		const [end, more] = isLast ? [YES, NO] : [NO, YES];
		if (end.test(text)) isAtEnd = true;
		if (more.test(text)) signs.flag ??= path;
	}
	if (nextLink(page.response.headers) !== undefined) {
		signs.next ??= { path: `${HEADER}Link`, isAddress: true };
	}
	if (isAtEnd) delete signs.next;
	return signs;
}

/** The numbers in a response that may be the total number of records, with their dot paths. */
export function totalsIn(page: ListResponse): Array<[string, number]> {
	return scalarsIn(page).flatMap(([path, value]): Array<[string, number]> => {
		const total = namesTotal(path) ? numberIn(value) : undefined;
		return total === undefined ? [] : [[path, total]];
	});
}

/** A count. A number with decimals, such as a sum of money, is not one. */
function numberIn(value: unknown): number | undefined {
	return Number.isInteger(value) || /^\d+$/.test(String(value)) ? Number(value) : undefined;
}

/** All values of a response outside its lists, its links to the next page, and its headers, with their dot paths. */
function scalarsIn({ response: { headers }, body, path: list }: ListResponse): Entry[] {
	const recordsPath = pathOfRecords(body, list);
	const below = (value: unknown, path: string, level: number): Entry[] => {
		if (typeof value !== 'object' || value === null) return [[path, value]];
		if (level === DEEPEST || path === recordsPath) return [];
		if (Array.isArray(value) && recordsPath?.startsWith(joinPath(path, '0.')) !== true) {
			const next = nextAmong(value);
			return next === value || next === undefined ? [] : [[path, next, true]];
		}
		return Object.entries(value).flatMap(([name, inner]) =>
			below(inner, joinPath(path, name), level + 1),
		);
	};
	const ofHeaders = Object.keys(headers).flatMap((name): Entry[] => {
		const text = headerText(headers, name);
		// For example `items 0-99/512` (RFC 9110 §14.4). Bytes are not records.
		const [, count = ''] = /^(?!bytes).*\/(\d+)$/i.exec(text) ?? [];
		if (name === 'content-range') return [[`${HEADER}${name}`, count]];
		const parsed = text.startsWith('{') ? tryParseJson(text) : {};
		return below('value' in parsed ? parsed.value : text, `${HEADER}${name}`, 0);
	});
	return [...below(body, '', 0), ...ofHeaders];
}

/** The dot path of the records, or of what holds all of them: if a list of one holds a list, that of the inner one. */
function pathOfRecords(body: unknown, list: string): string | undefined {
	if (list === '') return undefined;
	const [around = '', within = ''] = list.split(/\.?\*\.?/, 2);
	const inFirst = joinPath(around, `0.${within}`);
	const isOnly = valueAt(body, joinPath(around, 'length')) === 1;
	return isOnly && Array.isArray(valueAt(body, inFirst)) ? inFirst : around;
}

/**
 * The last name of a path, reduced to lower case letters. The name of a header loses prefixes such as `x-` or the name of
 * the service if the rest still says something.
 */
function plainName(path: string): string {
	const [name = ''] = path.split(/[.:]/).slice(-1);
	const lettersOf = (text: string) => text.toLowerCase().replace(/[^a-z]/g, '');
	if (!name.startsWith(HEADER)) return lettersOf(name);
	const words = name.slice(HEADER.length).replace(USUAL_PREFIX, '').split('-');
	const endings = words.map((_, index) => lettersOf(words.slice(index).join('')));
	// After an unknown prefix, a word such as "count" may count anything.
	const hasMeaning = (ending: string, index: number) =>
		(index === 0 || index < words.length - 1 || ending.length > LONGEST_VAGUE_WORD) &&
		[TOTAL, PAGES, NEXT, MORE, LAST].some((names) => names.test(ending));
	return endings.find(hasMeaning) ?? endings[0] ?? '';
}
