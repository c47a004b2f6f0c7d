/**
 * Reads a list page by page. The end of the list is taken from what comes, not from what a page size
 * promises.
 */
import { isDeepStrictEqual } from 'node:util';

import { jsonOf } from '../../transport/answer';
import type { Client } from '../../transport/client';
import { RequestError } from '../../transport/requestError';
import type { ServiceRequest } from '../../transport/serviceRequest';
import { valueAt } from '../../transport/valueAt';
import { findList } from './findList';
import type { ListSettings } from './listSettings';

/** Where in its list a reading is. It holds all that it takes to go on there, and can be saved as JSON. */
export interface Place {
	/** The number of the page, from 1 on. */
	page: number;
	/** What the position parameter gets; without it, the first page is asked for. */
	position?: string;
	/** How many items the pages before had. */
	count: number;
	/** A cursor of a page before, by which cursors that go in a circle are noticed. */
	passed?: string;
}

/** What sends the requests of a reading. */
export type PageClient = Pick<Client, 'request'>;

/** More pages than any list has; a service that never ends must not keep n8n busy for ever. */
const MOST_PAGES = 100_000;

/**
 * Yields the list page by page.
 * @throws RequestError when a request fails or the service does not understand the pagination
 */
export async function* readPages(
	client: PageClient,
	request: ServiceRequest,
	settings: ListSettings,
): AsyncGenerator<unknown[]> {
	let previous: unknown[] = [];
	for (let place: Place | undefined = firstPlace(settings); place !== undefined;) {
		const body = await readPage(client, request, settings, place);
		const items = body === undefined ? [] : findList(body, settings.itemsField);
		if (items.length > 0 && isDeepStrictEqual(items, previous)) throw samePage(settings, place);
		if (items.length > 0) yield items;
		previous = items;
		place = placeBehind(place, settings, body, items.length);
	}
}

/** Where the list begins. */
export function firstPlace({ type, firstPage }: ListSettings): Place {
	const first = { page: 1, count: 0 };
	if (type === 'pageNumber') return { ...first, position: String(firstPage) };
	return type === 'offset' ? { ...first, position: '0' } : first;
}

/**
 * The answer with the page at this place; undefined when it is empty.
 * @throws RequestError when the request fails
 */
export async function readPage(
	client: PageClient,
	request: ServiceRequest,
	{ type, positionParameter, pageSizeParameter, pageSize }: ListSettings,
	{ position }: Place,
): Promise<unknown> {
	const query = [...request.query];
	if (position !== undefined) query.push({ name: positionParameter, value: position });
	if (type !== 'none' && pageSizeParameter !== '') {
		query.push({ name: pageSizeParameter, value: String(pageSize) });
	}
	return jsonOf(await client.request({ ...request, query }));
}

/**
 * Where the page behind a page is; undefined behind the last one.
 * @param body the answer with the page
 * @param length how many items the page has
 * @throws RequestError when the list does not end
 */
export function placeBehind(
	{ page, position, count, passed }: Place,
	settings: ListSettings,
	body: unknown,
	length: number,
): Place | undefined {
	const behind = { page: page + 1, count: count + length };
	const next = nextPosition(position, behind, settings, body, length);
	if (next === undefined) return undefined;
	if (page === MOST_PAGES) {
		throw notUnderstood(`the list has more than ${MOST_PAGES} pages`, settings);
	}
	if (settings.type !== 'cursor') return { ...behind, position: next };
	if (next === passed) throw notUnderstood('a cursor comes again', settings);
	// By Brent: one cursor is kept, another one after 2, 4, 8 … pages, so that each circle is noticed.
	const isPowerOfTwo = Number.isInteger(Math.log2(page));
	return { ...behind, position: next, passed: isPowerOfTwo ? next : passed };
}

/**
 * What the position parameter gets for the page behind.
 * @throws RequestError for a cursor that would go out as another one
 */
function nextPosition(
	position: string | undefined,
	behind: Place,
	{ type, firstPage, cursorField }: ListSettings,
	body: unknown,
	length: number,
): string | undefined {
	if (type === 'cursor') {
		const cursor = valueAt(body, cursorField);
		if (typeof cursor !== 'string' && typeof cursor !== 'number') return undefined;
		return cursor === '' || String(cursor) === position ? undefined : String(cursor);
	}
	// Not "fewer than the page size": the service may give less than it was asked for.
	if (type === 'none' || length === 0) return undefined;
	return String(type === 'offset' ? behind.count : firstPage + behind.page - 1);
}

/** The error for a page that is the one before once more. */
export function samePage(settings: ListSettings, { page }: Place): RequestError {
	return notUnderstood(`page ${page} holds the same items as the one before`, settings);
}

function notUnderstood(problem: string, settings: ListSettings): RequestError {
	return new RequestError(`Pagination: ${problem}`, {
		outcome: 'unknown',
		description: `The service does not seem to know the parameter "${settings.positionParameter}". Check the option Pagination against the documentation of your service.`,
	});
}
