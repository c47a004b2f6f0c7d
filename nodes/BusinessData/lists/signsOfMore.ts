/** What a response says of records that are not in it. Services name it in many ways, so it is a sign, no proof. */
import { type ServiceResponse, headerText } from '../transport/response';
import { nextLink } from './nextUrl';

export interface SignsOfMore {
	/** How many records there are in all, and where it stands. */
	total?: { path: string; count: number };
	/** Where the next page is named. */
	next?: { path: string; isAddress: boolean };
	/** A flag that says that there is more. */
	flag?: string;
}

const TOTAL =
	/^(total|count|(total|full|item|record|result)_?(count|elements|entries|hits|items|records|results|resultsize|size))$/i;
const NEXT =
	/^_*next(_?(page|link|url|uri|href|cursor|offset|token|page_?(token|url|link|uri)))?$/i;
const FLAG = /^(has_?(more|next)(_?(page|pages|items|records|results))?|more|is_?truncated)$/i;
const LAST = /^(is_?)?last(_?page)?$/i;
const HEADER_OF_TOTAL = ['x-total-count', 'x-total', 'total-count'];
const DEEPEST = 4;

/** Whether a dot path may lead to the number of all records. */
export function namesTotal(path: string): boolean {
	return TOTAL.test(nameOf(path));
}

export function isZero(value: unknown): boolean {
	return value === 0 || value === '0';
}

/** @param read how many records were read so far */
export function signsOfMore(
	{ headers }: ServiceResponse,
	body: unknown,
	read: number,
): SignsOfMore {
	const signs: SignsOfMore = {};
	const noteTotal = (path: string, value: unknown) => {
		const isNumber =
			typeof value === 'number' || (typeof value === 'string' && /^\d+$/.test(value));
		if (isNumber && Number(value) > read) signs.total ??= { path, count: Number(value) };
	};
	const look = (value: unknown, path: string, level: number): void => {
		if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
			if (level === DEEPEST) return;
			for (const [name, inner] of Object.entries(value)) {
				look(inner, path === '' ? name : `${path}.${name}`, level + 1);
			}
			return;
		}
		const name = nameOf(path);
		if (TOTAL.test(name)) noteTotal(path, value);
		const isNext = NEXT.test(name) || /(^|\.)next\.(href|url)$/i.test(path);
		const isThere =
			(typeof value === 'string' && value !== '') || (typeof value === 'number' && value > 0);
		if (isNext && isThere) {
			signs.next ??= { path, isAddress: /^(https?:)?\/|^[?]/i.test(String(value)) };
		}
		if (FLAG.test(name) && (value === true || value === 'true')) signs.flag ??= path;
		if (LAST.test(name) && value === false) signs.flag ??= path;
	};
	look(body, '', 0);
	for (const name of HEADER_OF_TOTAL) noteTotal(`the header ${name}`, headerText(headers, name));
	if (nextLink(headers) !== undefined) signs.next ??= { path: 'the header Link', isAddress: true };
	return signs;
}

/** The last name of a path, without the signs that some services put before it. */
function nameOf(path: string): string {
	return (path.split('.').at(-1) ?? '').replace(/^[@$]/, '');
}
