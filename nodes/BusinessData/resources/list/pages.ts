/**
 * Reads a list page by page. The end of the list is taken from what comes, not from what a page size
 * promises.
 */
import { createHash } from 'node:crypto';

import { type Answer, jsonOf } from '../../transport/answer';
import type { Client } from '../../transport/client';
import { RequestError } from '../../transport/requestError';
import type { ServiceRequest } from '../../transport/serviceRequest';
import { valueAt } from '../../transport/valueAt';
import { findList, NoListError } from './findList';
import type { ListSettings } from './listSettings';
import { belowBaseUrl, nextLink } from './nextUrl';

/** Where in its list a reading is. It holds all that it takes to go on there, and can be saved as JSON. */
export interface Place {
	/** The number of the page, from 1 on. */
	page: number;
	/** What the position parameter gets, or the next page's path and query; without it, the first page is asked for. */
	position?: string;
	/** How many items the pages before had. */
	count: number;
	/** A position of a page before, by which those that go in a circle are noticed. */
	passed?: string;
	/** How many items the first page had. */
	firstLength?: number;
	/** Dot path to the list, as it was found on a page before. */
	path?: string;
	/** How many pages before, one after the other, were empty. */
	empty?: number;
	/** A hash of the page before. */
	hash?: string;
}

export interface Page {
	answer: Answer;
	body: unknown;
	records: unknown[];
	/** Dot path to them; empty where they are the body itself. */
	path: string;
	/** Nothing came where a list was due. */
	isBare: boolean;
	/** Stands for the records; empty where there are none. */
	hash: string;
	/** Where the next page is; undefined behind the last one. */
	next: Place | undefined;
}

/** What sends the requests of a reading. */
export type PageClient = Pick<Client, 'request' | 'baseUrl'>;

/** More pages than any list has; a service that never ends must not keep n8n busy for ever. */
const MOST_PAGES = 100_000;
/** So many empty pages in a row are an end, whatever cursors they name. */
const MOST_EMPTY = 10;

/**
 * Yields the list page by page, also where a page is empty.
 * @throws RequestError when a request fails or the service does not understand the pagination
 */
export async function* readPages(
	client: PageClient,
	request: ServiceRequest,
	settings: ListSettings,
): AsyncGenerator<Page> {
	const hashes = new Set<string>();
	for (let place: Place | undefined = firstPlace(settings); place !== undefined;) {
		const page = await readPage(client, request, settings, place);
		if (hashes.has(page.hash)) throw samePage(settings, place, page.hash);
		if (page.hash !== '') hashes.add(page.hash);
		yield page;
		place = page.next;
	}
}

/** Where the list begins. */
export function firstPlace({ type, firstPage }: ListSettings): Place {
	const first = { page: 1, count: 0 };
	if (type === 'pageNumber') return { ...first, position: String(firstPage) };
	return type === 'offset' ? { ...first, position: '0' } : first;
}

/**
 * The page at this place.
 * @throws RequestError when the request fails, the first page holds no list, or the list does not end
 */
export async function readPage(
	client: PageClient,
	request: ServiceRequest,
	settings: ListSettings,
	place: Place,
): Promise<Page> {
	const asked = requestFor(request, settings, place);
	let answer: Answer;
	try {
		answer = await client.request(asked);
	} catch (error) {
		const isNotFound = error instanceof RequestError && error.details.statusCode === 404;
		if (!isNotFound || place.page === 1 || settings.endOfList !== 'notFound') throw error;
		const nothing = { statusCode: 404, headers: {}, body: Buffer.alloc(0) };
		return { answer: nothing, body: undefined, ...NOTHING, isBare: false, next: undefined };
	}
	const body = jsonOf(answer);
	const found = listIn(body, settings, place);
	const hash = hashOf(found.records);
	if (hash !== '' && hash === place.hash && settings.endOfList === 'repeatedPage') {
		return { answer, body, ...NOTHING, isBare: false, next: undefined };
	}
	const page = { answer, body, ...found, hash };
	return { ...page, next: nextPlace(place, settings, page, asked, client.baseUrl) };
}

const NOTHING = { records: [], path: '', hash: '' };

function requestFor(
	request: ServiceRequest,
	{ type, positionParameter, pageSizeParameter, pageSize }: ListSettings,
	{ position }: Place,
): ServiceRequest {
	if (type === 'nextUrl') {
		if (position === undefined) return request;
		const { pathname, searchParams } = new URL(position, 'http://base');
		const named = [...searchParams].map(([name, value]) => ({ name, value }));
		// A key of the user's own that the address lacks would be missing from the second page on.
		const own = request.query.filter(({ name }) => !searchParams.has(name));
		const endpoint = { ...request.endpoint, path: pathname };
		return { ...request, endpoint, query: [...named, ...own] };
	}
	const query = [...request.query];
	if (position !== undefined) query.push({ name: positionParameter, value: position });
	if (type !== 'none' && pageSizeParameter !== '') {
		query.push({ name: pageSizeParameter, value: String(pageSize) });
	}
	return { ...request, query };
}

/** @throws NoListError on the first page */
function listIn(body: unknown, { itemsField }: ListSettings, { page, path }: Place) {
	if (body === undefined || body === null) return { records: [], path: path ?? '', isBare: true };
	try {
		return { ...findList(body, itemsField === '' ? (path ?? '') : itemsField), isBare: false };
	} catch (error) {
		if (page === 1 || !(error instanceof NoListError)) throw error;
		return { records: [], path: path ?? '', isBare: true };
	}
}

function hashOf(records: unknown[]): string {
	if (records.length === 0) return '';
	return createHash('sha256').update(JSON.stringify(records)).digest('base64').slice(0, 16);
}

/**
 * Where the page behind a page is; undefined behind the last one.
 * @param asked the request for the page
 * @throws RequestError when the list does not end, or a field that is set up is not there
 */
function nextPlace(
	place: Place,
	settings: ListSettings,
	page: Omit<Page, 'next'>,
	asked: ServiceRequest,
	baseUrl: string,
): Place | undefined {
	const { length } = page.records;
	const behind: Place = {
		page: place.page + 1,
		count: place.count + length,
		firstLength: place.firstLength ?? length,
		...(page.path === '' ? {} : { path: page.path }),
		...(length === 0 ? { empty: (place.empty ?? 0) + 1 } : { hash: page.hash }),
	};
	if (isEnd(place, settings, page) || behind.empty === MOST_EMPTY) return undefined;
	const position = nextPosition(behind, settings, page, asked, baseUrl);
	if (position === undefined) return undefined;
	if (place.page === MOST_PAGES) {
		throw notUnderstood(`the list has more than ${MOST_PAGES} pages`, settings);
	}
	if (position === place.position || position === place.passed) {
		if (length === 0 || settings.endOfList === 'repeatedPage') return undefined;
		const what = settings.type === 'nextUrl' ? 'an address' : 'a cursor';
		throw notUnderstood(`${what} comes again`, settings);
	}
	// By Brent: one position is kept, another one after 2, 4, 8 … pages, so that each circle is noticed.
	const isPowerOfTwo = Number.isInteger(Math.log2(place.page));
	const passed = isPowerOfTwo ? position : place.passed;
	return { ...behind, position, ...(namesNext(settings) ? { passed } : {}) };
}

/** Whether the service itself says what comes next, so that an empty page is no end. */
function namesNext({ type, cursorFrom }: ListSettings): boolean {
	return type === 'nextUrl' || (type === 'cursor' && cursorFrom === 'response');
}

/** By what the setting End of List goes by. */
function isEnd(
	{ page, firstLength }: Place,
	settings: ListSettings,
	{ body, records, isBare }: Omit<Page, 'next'>,
): boolean {
	const { type, endOfList, hasMoreField, totalPagesField } = settings;
	const isEmpty = records.length === 0;
	if (type === 'none' || isBare) return true;
	if (endOfList === 'hasMoreField') {
		const flag = valueAt(body, hasMoreField);
		if (flag === undefined && page === 1) throw missing('Has More Field', hasMoreField);
		return [undefined, null, false, 0, '', '0', 'false'].includes(flag as string);
	}
	if (endOfList === 'totalPages') {
		const pages = valueAt(body, totalPagesField);
		const isNumber =
			typeof pages === 'number' || (typeof pages === 'string' && /^\d+$/.test(pages));
		if (!isNumber && page === 1) throw missing('Total Pages Field', totalPagesField);
		return isNumber ? page >= Number(pages) : isEmpty;
	}
	if (endOfList === 'shortPage' && page > 1 && records.length < (firstLength ?? 0)) return true;
	return isEmpty && !namesNext(settings);
}

/** What the position parameter gets for the page behind, or its path and query. */
function nextPosition(
	behind: Place,
	{ type, firstPage, cursorField, cursorFrom, nextUrlField }: ListSettings,
	{ answer, body, records }: Omit<Page, 'next'>,
	{ endpoint, query }: ServiceRequest,
	baseUrl: string,
): string | undefined {
	if (type === 'pageNumber') return String(firstPage + behind.page - 1);
	if (type === 'offset') return String(behind.count);
	if (type === 'nextUrl') {
		const address = nextUrlField === '' ? nextLink(answer.headers) : valueAt(body, nextUrlField);
		if (isNone(address)) return undefined;
		const search = new URLSearchParams(
			query.map(({ name, value }): [string, string] => [name, value]),
		);
		return belowBaseUrl(address, `${endpoint.path}?${search.toString()}`, baseUrl);
	}
	const isOfItem = cursorFrom === 'lastItem';
	const cursor = valueAt(isOfItem ? records.at(-1) : body, cursorField);
	const isText = typeof cursor === 'string' || typeof cursor === 'number';
	if (isText && !isNone(cursor)) return String(cursor);
	if (isOfItem && records.length > 0) throw missing('Cursor Field', cursorField);
	return undefined;
}

/** What stands where there is no next page. */
function isNone(next: unknown): boolean {
	return [undefined, null, false, 0, ''].includes(next as string);
}

/** The error for a page whose items came before. */
export function samePage(
	settings: ListSettings,
	{ page, hash }: Place,
	found?: string,
): RequestError {
	const where = found === undefined || found === hash ? 'the one before' : 'one before';
	return notUnderstood(`page ${page} holds the same items as ${where}`, settings);
}

function missing(label: string, field: string): RequestError {
	return new RequestError(`${label}: there is nothing at "${field}"`, {
		outcome: 'unknown',
		description: `Set ${label} in the option Pagination to a field that the response has. Without it, nobody knows where the list ends.`,
	});
}

function notUnderstood(problem: string, settings: ListSettings): RequestError {
	const { type, positionParameter } = settings;
	const cause =
		type === 'nextUrl'
			? 'The addresses that the service names do not lead on.'
			: `The service does not seem to know the parameter "${positionParameter}".`;
	return new RequestError(`Pagination: ${problem}`, {
		outcome: 'unknown',
		description: `${cause} Check the option Pagination against the documentation of your service.`,
	});
}
