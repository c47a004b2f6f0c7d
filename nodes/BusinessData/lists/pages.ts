/** Reads a list page by page. Where it ends is judged by the pages, as a service may cap the page size. */
import { type ServiceResponse, jsonOf, shownBody } from '../transport/response';
import type { Client } from '../transport/client';
import { RequestError } from '../transport/requestError';
import {
	encodeQuery,
	type QueryParameters,
	type ServiceRequest,
	withParameters,
} from '../transport/serviceRequest';
import { alsoSaid } from '../transport/serviceTexts';
import { holdsFailure } from '../transport/signsOfFailure';
import { valueAt } from '../values/dotPath';
import { isTextOrNumber } from '../values/isTextOrNumber';
import { toNumber } from '../values/settingValues';
import { saysNo } from '../values/text';
import { findListAgain, findList } from './findList';
import { ListError } from './listError';
import type { ListSettings } from './listSettings';
import { belowBaseUrl, namesNoPage, nextAmong, nextLink } from './nextUrl';
import { hashOfPage } from './pageHash';

/** Which page to read next. A read can resume from it alone, and it can be saved as JSON. */
export interface PageState {
	/** The number of the page, from 1. */
	page: number;
	/** The cursor of the page, or its path and query; undefined for the first page, and if pages are counted. */
	position?: string;
	/** How many entries the previous pages had. */
	count: number;
	/** How many entries the first page had. */
	firstLength?: number;
	/** Dot path to the list, as found before; empty if it was the response itself. */
	path?: string;
	/** How many pages in a row were empty. */
	empty?: number;
	/** A hash of the previous page. */
	hash?: string;
}

export const FIRST_PAGE: PageState = { page: 1, count: 0 };

export interface Page {
	response: ServiceResponse;
	body: unknown;
	records: unknown[];
	/** Dot path to the records; empty if the body itself is the list. */
	path: string;
	/** Whether the response is empty, or has no list in it. */
	isBare: boolean;
	/** Set if the service sent no page, but a status that means the end of the list. */
	isAfterLast?: true;
	/** How many entries the service's list has: one entry may hold no record or several. */
	entries: number;
	/** A hash of the records; empty if there are none, or no other pages. */
	hash: string;
	/** The next page; undefined after the last one. */
	next: PageState | undefined;
}

export type PageClient = Pick<Client, 'request' | 'baseUrl'>;

/** After this many empty pages in a row, the list has ended, even if they name another page. */
export const MOST_EMPTY = 10;

/**
 * Yields all pages, also empty ones.
 * @throws RequestError when a request fails or the service does not understand the pagination
 */
export async function* readPages(
	client: PageClient,
	request: ServiceRequest,
	settings: ListSettings,
): AsyncGenerator<Page> {
	const hashes = new Set<string>();
	for (let pageState: PageState | undefined = FIRST_PAGE; pageState !== undefined;) {
		const page = await readPage(client, request, settings, pageState);
		if (hashes.has(page.hash)) throw samePageError(settings, pageState.page);
		if (page.hash !== '') hashes.add(page.hash);
		yield page;
		pageState = page.next;
	}
}

/** Whether the next page follows from a count, so that no response has to name it. */
export function isCounted({ type }: ListSettings): boolean {
	return type === 'pageNumber' || type === 'offset';
}

/**
 * Reads one page.
 * @throws RequestError when the request fails, the first page holds no list, or the list does not end
 */
export async function readPage(
	client: PageClient,
	request: ServiceRequest,
	settings: ListSettings,
	pageState: PageState,
): Promise<Page> {
	const pageRequest = requestFor(request, settings, pageState);
	let response: ServiceResponse;
	try {
		response = await client.request(pageRequest);
	} catch (error) {
		const status = error instanceof RequestError ? error.details.statusCode : undefined;
		const isMissing = status === 404 || status === 416;
		if (!isMissing || pageState.page === 1) throw error;
		if (settings.endOfList === 'notFound') return pageAfterLast(status);
		const { message, details } = error as RequestError;
		const description = `Page ${pageState.page} does not exist. If the service ends its lists like this, set End of List in the option Pagination to Not Found.`;
		throw new RequestError(message, { ...details, description });
	}
	const body = jsonOf(response);
	const found = listIn(body, response, settings, pageState, request.endpoint.path);
	const isOnly = found.records.length === 0 || settings.type === 'none';
	const hash = isOnly ? '' : hashOfPage(found.records, settings.idField);
	const isRepeated = hash !== '' && hash === pageState.hash;
	if (isRepeated && settings.endOfList === 'repeatedPage') {
		// Keeps the body, which may say that there is more, but not the records.
		return { ...pageAfterLast(response.statusCode), response, body, path: found.path };
	}
	const page = { response, body, ...found, hash, next: undefined };
	return { ...page, next: nextPageState(pageState, settings, page, pageRequest, client.baseUrl) };
}

/** Stands for the end of the list if only a status says that there is no further page. */
export function pageAfterLast(statusCode: number): Page {
	const response = { statusCode, headers: {}, body: Buffer.alloc(0) };
	const nothing = { records: [], entries: 0, path: '', hash: '', isBare: false, next: undefined };
	return { response, body: undefined, ...nothing, isAfterLast: true };
}

/** Whether a page reports what looks like a failure. What its records say does not count: a payment may have failed. */
export function isFailedPage({ body, entries, path, isAfterLast }: Page): boolean {
	const isBeside = entries > 0;
	const isOwnList = Array.isArray(valueAt(body, path)) && !/errors$/i.test(path);
	return isAfterLast !== true && (!isBeside || isOwnList) && holdsFailure(body, isBeside);
}

function requestFor(
	request: ServiceRequest,
	settings: ListSettings,
	{ page, count, position }: PageState,
): ServiceRequest {
	const { type, pagingParameter, pageSizeParameter, pageSize, firstPage, firstOffset } = settings;
	if (type === 'nextUrl') {
		if (position === undefined) return request;
		const { pathname, search } = new URL(`http://base${position}`);
		// The API key, masked in the response or not, must go out in its header only.
		const isKey = ([name, value]: [string, string]) =>
			/^api_?key$/i.test(name) || /\*{64}/.test(value);
		const parts = search.slice(1).split('&');
		const written = parts.filter((part) => ![...new URLSearchParams(part)].some(isKey)).join('&');
		const named = [...new URLSearchParams(written)].map(([name, value]) => ({ name, value }));
		// Some services omit the user's own query parameters from the address.
		const own = request.query.filter(({ name }) => !named.some((one) => one.name === name));
		return {
			...request,
			endpoint: { ...request.endpoint, path: pathname },
			query: [...named, ...own],
			search: [written, encodeQuery(own)].filter((part) => part !== '').join('&'),
		};
	}
	const added: QueryParameters = [];
	const counted = type === 'pageNumber' ? firstPage + page - 1 : firstOffset + count;
	const value = isCounted(settings) ? String(counted) : position;
	if (value !== undefined) added.push({ name: pagingParameter, value });
	if (type !== 'none' && pageSizeParameter !== '') {
		added.push({ name: pageSizeParameter, value: String(pageSize) });
	}
	return { ...request, query: withParameters(request.query, added) };
}

/** @throws RequestError on the first page */
function listIn(
	body: unknown,
	response: ServiceResponse,
	{ itemsField }: ListSettings,
	{ page, path }: PageState,
	endpoint: string,
): Pick<Page, 'records' | 'entries' | 'path' | 'isBare'> {
	const bare = { records: [], entries: 0, path: path ?? '', isBare: true };
	if (body === undefined || body === null) return bare;
	try {
		const found =
			path === undefined
				? findList(body, itemsField, endpoint)
				: findListAgain(body, path, { itemsField, page }, endpoint);
		return { entries: found.records.length, ...found, isBare: false };
	} catch (error) {
		if (!(error instanceof ListError)) throw error;
		if (page > 1) return bare;
		const { message, details } = error;
		throw new RequestError(message, {
			...details,
			statusCode: response.statusCode,
			responseBody: shownBody(response),
			// The response may be an error with the status 200.
			description: details.description + alsoSaid(response),
		});
	}
}

/**
 * The state for the next page; undefined after the last one.
 * @throws RequestError when the list does not end, or a field named in the options is missing
 */
function nextPageState(
	pageState: PageState,
	settings: ListSettings,
	page: Page,
	pageRequest: ServiceRequest,
	baseUrl: string,
): PageState | undefined {
	const { entries, records } = page;
	const isEmpty = entries === 0;
	// Of several empty lists, the wrong one may have been found.
	const path = records.length > 0 ? page.path : pageState.path;
	const state: PageState = {
		page: pageState.page + 1,
		count: pageState.count + entries,
		firstLength: pageState.firstLength ?? entries,
		...(path === undefined ? {} : { path }),
		...(records.length === 0 ? { empty: (pageState.empty ?? 0) + 1 } : { hash: page.hash }),
	};
	if (isEnd(pageState, settings, page) || state.empty === MOST_EMPTY) return undefined;
	if (isCounted(settings)) return state;
	const position = nextPosition(settings, page, pageRequest, baseUrl);
	if (position === undefined) {
		if (isEmpty || !hasEndField(settings)) return undefined;
		throw settings.type === 'nextUrl'
			? missing('Next URL Field', settings.nextUrlField || 'the header Link')
			: missing('Cursor Field', settings.cursorField);
	}
	if (position !== pageState.position) return { ...state, position };
	if (isEmpty || settings.endOfList === 'repeatedPage') return undefined;
	const what = settings.type === 'nextUrl' ? 'an address' : 'a cursor';
	throw notUnderstood(`${what} comes again`, settings);
}

/** Whether a field of the response says where the list ends. */
export function hasEndField({ endOfList }: ListSettings): boolean {
	return endOfList === 'hasMoreField' || endOfList === 'totalPages';
}

/** Whether the page is the last one, by the setting End of List. */
function isEnd(
	{ page, firstLength = 0 }: PageState,
	{ type, endOfList, hasMoreField, totalPagesField, cursorFrom }: ListSettings,
	{ body, entries }: Page,
): boolean {
	const isEmpty = entries === 0;
	const mustBeThere = page === 1 && !isEmpty;
	if (type === 'none') return true;
	if (endOfList === 'hasMoreField') {
		const flag = valueAt(body, hasMoreField);
		if (flag === undefined && mustBeThere) throw missing('Has More Field', hasMoreField);
		return saysNo(String(flag));
	}
	if (endOfList === 'totalPages') {
		const pages = toNumber(valueAt(body, totalPagesField));
		if (pages === undefined && mustBeThere) throw missing('Total Pages Field', totalPagesField);
		return pages === undefined ? isEmpty : page >= pages;
	}
	if (endOfList === 'shortPage' && entries < firstLength) return true;
	// If the response names the next page, an empty page is not the end.
	return isEmpty && type !== 'nextUrl' && (type !== 'cursor' || cursorFrom === 'lastItem');
}

/** The cursor or address of the next page; undefined if the response names none. */
function nextPosition(
	{ type, cursorField, cursorFrom, nextUrlField }: ListSettings,
	{ response, body, records }: Page,
	{ endpoint, query }: ServiceRequest,
	baseUrl: string,
): string | undefined {
	// A list itself has no fields.
	const hasNoField = Array.isArray(body) && records.length > 0;
	if (type === 'nextUrl') {
		if (hasNoField && nextUrlField !== '') throw missing('Next URL Field', nextUrlField);
		const address =
			nextUrlField === '' ? nextLink(response.headers) : nextAmong(valueAt(body, nextUrlField));
		if (namesNoPage(address)) return undefined;
		return belowBaseUrl(address, `${endpoint.path}?${encodeQuery(query)}`, baseUrl);
	}
	const isOfItem = cursorFrom === 'lastItem';
	const cursor = valueAt(isOfItem ? records.at(-1) : body, cursorField);
	// The field of an item may be 0.
	if (isTextOrNumber(cursor) && (isOfItem ? cursor !== '' : !namesNoPage(cursor)))
		return String(cursor);
	if (isOfItem ? records.length > 0 : hasNoField) throw missing('Cursor Field', cursorField);
	const isEmpty = typeof cursor === 'object' && Object.keys(cursor ?? {}).length === 0;
	if (namesNoPage(cursor) || isEmpty) return undefined;
	throw new ListError(
		`Cursor Field: what is at "${cursorField}" is not a text or a number`,
		'Set Cursor Field in the option Pagination to the field that a query parameter can take, such as next.id.',
	);
}

/** The error for a page that repeats the items of an earlier one. */
export function samePageError(settings: ListSettings, page: number): RequestError {
	const again = 'give its last page again: set End of List to Repeated Page';
	const cause =
		page > 2
			? `The service seems to ${again}.`
			: `${causeOf(settings)} If the list has one page, it may ${again}.`;
	return notUnderstood(`page ${page} holds the same items as an earlier one`, settings, cause);
}

function missing(label: string, field: string): ListError {
	return new ListError(
		`${label}: there is nothing at "${field}"`,
		`Set ${label} in the option Pagination to a field that the response has. Without it, the end of the list is unknown.`,
	);
}

function causeOf({ type, pagingParameter }: ListSettings): string {
	return type === 'nextUrl'
		? 'The addresses that the service names lead back to an earlier page.'
		: `The service does not seem to know the parameter "${pagingParameter}".`;
}

function notUnderstood(
	problem: string,
	settings: ListSettings,
	cause = causeOf(settings),
): ListError {
	return new ListError(
		`Pagination: ${problem}`,
		`${cause} Check the option Pagination against the documentation of your service.`,
	);
}
