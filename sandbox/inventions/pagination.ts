// The sandbox's own invention: the pagination of lists.
//
// The interface document shows no parameters (section 4), so all usual ways are supported at once, and the
// parameters of a request choose one: `page` and `pageSize` (from 1), `offset` and `limit`, or `limit` and
// `cursor`, which the first request lacks.

import type { Query } from '../request';

/** An invalid parameter. */
export class ParameterError extends Error {}

const DEFAULT_PAGE_SIZE = 10;

function wholeNumber(query: Query, name: string, least: number, otherwise: number): number {
	const text = query[name];
	if (text === undefined) return otherwise;
	const value = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : Number.NaN;
	if (!(value >= least)) throw new ParameterError(`The parameter ${name} is not a valid number`);
	return value;
}

/** The beginning of the page after a cursor. */
function decodeCursor({ cursor = '' }: Query): number {
	if (cursor === '') return 0;
	const [, start] = /^after-(\d+)$/.exec(String(cursor)) ?? [];
	if (start === undefined) throw new ParameterError('The parameter cursor is not valid');
	return Number(start);
}

/** The page of a list that a query asks for, by default all of it, and the cursor of the next page. */
export function selectPage<Item>(
	items: Item[],
	query: Query,
): { items: Item[]; nextCursor?: string } {
	const has = (name: string): boolean => query[name] !== undefined;
	if (has('page') || has('pageSize')) {
		const size = wholeNumber(query, 'pageSize', 1, DEFAULT_PAGE_SIZE);
		const start = (wholeNumber(query, 'page', 1, 1) - 1) * size;
		return { items: items.slice(start, start + size) };
	}
	if (!has('offset') && !has('limit') && !has('cursor')) return { items };
	const size = wholeNumber(query, 'limit', 1, DEFAULT_PAGE_SIZE);
	if (has('offset')) {
		const start = wholeNumber(query, 'offset', 0, 0);
		return { items: items.slice(start, start + size) };
	}
	const start = decodeCursor(query);
	const end = start + size;
	const nextCursor = end < items.length ? `after-${end}` : undefined;
	return { items: items.slice(start, end), nextCursor };
}
