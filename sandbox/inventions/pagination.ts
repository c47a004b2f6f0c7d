// The sandbox's own invention: the pagination of lists.
//
// The interface document shows no parameters (section 4), so all usual ways are supported at once, and the
// parameters of a request choose one: `page` and `pageSize` (from 1), `offset` and `limit`, or `limit` and
// `cursor`, which the first request lacks.

import type { Query } from '../request';

export interface Part<Item> {
	items: Item[];
	/** The cursor of the next part; absent at the end, and without cursors. */
	nextCursor?: string;
}

/** An invalid parameter. */
export class ParameterError extends Error {}

const DEFAULT_PART_SIZE = 10;
const CURSOR_PREFIX = 'after:';

function wholeNumber(query: Query, name: string, least: number, otherwise: number): number {
	const text = query[name];
	if (text === undefined) return otherwise;
	const value = typeof text === 'string' && /^\d+$/.test(text) ? Number(text) : Number.NaN;
	if (!(value >= least)) throw new ParameterError(`The parameter ${name} is not a valid number`);
	return value;
}

function encodeCursor(start: number): string {
	return Buffer.from(`${CURSOR_PREFIX}${start}`).toString('base64url');
}

function decodeCursor(query: Query): number {
	const cursor = query.cursor;
	if (cursor === undefined || cursor === '') return 0;
	const text = Buffer.from(String(cursor), 'base64url').toString();
	const start = text.startsWith(CURSOR_PREFIX) ? Number(text.slice(CURSOR_PREFIX.length)) : NaN;
	if (!Number.isInteger(start)) throw new ParameterError('The parameter cursor is not valid');
	return start;
}

/** The part of a list that a query asks for, by default all of it. */
export function selectPart<Item>(items: Item[], query: Query): Part<Item> {
	const has = (name: string): boolean => query[name] !== undefined;
	if (has('page') || has('pageSize')) {
		const size = wholeNumber(query, 'pageSize', 1, DEFAULT_PART_SIZE);
		const start = (wholeNumber(query, 'page', 1, 1) - 1) * size;
		return { items: items.slice(start, start + size) };
	}
	if (!has('offset') && !has('limit') && !has('cursor')) return { items };
	const size = wholeNumber(query, 'limit', 1, DEFAULT_PART_SIZE);
	if (has('offset')) {
		const start = wholeNumber(query, 'offset', 0, 0);
		return { items: items.slice(start, start + size) };
	}
	const start = decodeCursor(query);
	const end = start + size;
	const nextCursor = end < items.length ? encodeCursor(end) : undefined;
	return { items: items.slice(start, end), nextCursor };
}
