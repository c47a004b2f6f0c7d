/** Reads a list as items, and hints at what was recognized in it. */
import type { INodeExecutionData } from 'n8n-workflow';

import type { ServiceResponse } from '../transport/response';
import { alsoSaid } from '../transport/serviceTexts';
import type { ServiceRequest } from '../transport/serviceRequest';
import { holdsFailure } from '../transport/signsOfFailure';
import type { Run } from '../run/run';
import { valueAt } from '../values/dotPath';
import { pluralize } from '../values/text';
import type { PaginationType } from './listFields';
import type { ListSettings } from './listSettings';
import { idsIn } from './pageHash';
import {
	hasEndField,
	isFailedPage,
	MOST_EMPTY,
	type Page,
	pageAfterLast,
	readPages,
} from './pages';
import { type SignsOfMore, signsOfMore, totalsIn } from './signsOfMore';

interface ReadSummary {
	first: Page;
	last: Page;
	pages: number;
	/** How many records came out. */
	records: number;
	/** How many entries of the service's list were read. */
	entries: number;
	/** The first page that reports what looks like a failure beside its records. */
	failedPage?: number;
	/** Whether the limit was reached. */
	isLimited: boolean;
}

/**
 * @param limit maximum number of items
 * @param toItems makes the items of a page
 * @throws RequestError when a request fails or the service does not understand the pagination
 */
export async function readItems(
	run: Run,
	request: ServiceRequest,
	settings: ListSettings,
	limit: number,
	toItems: (page: Page) => INodeExecutionData[] | Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[]> {
	const items: INodeExecutionData[] = [];
	let records = 0;
	const ids = new Set<string | number>();
	let repeatedId: string | number | undefined;
	let first: Page | undefined;
	let last: Page | undefined;
	let pages = 0;
	let entries = 0;
	let empty = 0;
	let failedPage: number | undefined;
	for await (const page of readPages(run.client, request, settings)) {
		first ??= page;
		last = page;
		if (page.isAfterLast !== true) pages++;
		if (page.entries > 0 && isFailedPage(page)) failedPage ??= pages;
		empty = page.records.length === 0 ? empty + 1 : 0;
		// A list in one piece may be long, and has no other page to compare with.
		const isOnly = pages <= 1 && page.next === undefined;
		const pageIds = (isOnly ? undefined : idsIn(page.records)) ?? [];
		repeatedId ??= pageIds.find((id) => ids.has(id));
		for (const id of pageIds) ids.add(id);
		const made = await toItems(page);
		const kept = made.slice(0, limit - items.length);
		for (const item of kept) items.push(item);
		const leftOut = made.length - kept.length;
		records += page.records.length - leftOut;
		entries += page.entries - leftOut;
		if (items.length >= limit) break;
	}
	if (first === undefined || last === undefined) return items;
	if (empty === MOST_EMPTY) {
		run.hintAtList(
			`The last ${empty} pages were empty, although each named another one, so reading ended there. If records are missing, ask for more per page; otherwise check End of List in the option Pagination.`,
		);
	}
	if (repeatedId !== undefined) {
		const option = settings.type === 'offset' ? 'First Offset' : 'the option Pagination';
		run.hintAtList(
			`The item with the ID ${repeatedId} appears on two pages. If the list did not change while it was read, check ${option}.`,
		);
	}
	const isLimited = items.length >= limit;
	hintAtRead(run, settings, { first, last, pages, records, entries, failedPage, isLimited });
	return items;
}

/** Hints for a response that is a list itself. */
export function hintAtArray(
	run: Run,
	settings: ListSettings,
	response: ServiceResponse,
	records: number,
	isLimited: boolean,
): void {
	const page = { ...pageAfterLast(response.statusCode), response, body: [] };
	const read = { first: page, last: page, pages: 1, records, entries: records };
	hintAtRead(run, settings, { ...read, isLimited });
}

function hintAtRead(run: Run, settings: ListSettings, read: ReadSummary): void {
	const { first, last, pages, records: count, failedPage, isLimited } = read;
	const hasList = !last.isBare && last.body !== undefined;
	const signs = signsAfter(read, hasList);
	const { total, next, flag } = signs;
	const isEnded = isLimited || last.next === undefined;
	const isMore = total !== undefined || (isEnded && (next ?? flag) !== undefined);
	const items = pluralize(count, 'item');
	const all = total === undefined ? '' : ` of ${total.count} (${total.path})`;
	const wereRead = `${items}${all} ${count === 1 ? 'was' : 'were'} read`;
	const nameOf = (page: number) => (pages === 1 ? 'The response' : `Page ${page}`);
	if (failedPage !== undefined) {
		run.hintAtList(
			`${nameOf(failedPage)} has items and, beside them, what looks like a failure: ${wereRead}. Others may be missing. API Request with Full Response shows all of it.`,
		);
	}
	const isFailure = (count === 0 || !hasList) && holdsFailure(last.body);
	// A later page without a list may say why.
	const said = isFailure || !hasList ? alsoSaid(last.response) : '';
	if (!isLimited && (isFailure || said !== '')) {
		const what = isFailure ? 'has no items, and what looks like a failure' : 'has no list';
		run.hintAtList(`${nameOf(pages)} ${what}: ${wereRead}.${said}`);
		return;
	}
	if (isMore) run.hintAtList(describeMore(signs, wereRead, settings.type, isLimited));
	else if (lacksCursor(settings, read)) {
		run.hintAtList(
			`The first page is full (${items}), and has nothing at "${settings.cursorField}". If the service has more, check Cursor Field in the option Pagination.`,
		);
	}
	if (run.context.getMode() === 'manual' && (isLimited || !isMore)) {
		// A page that only marks the end has no path.
		const { path } = last.isAfterLast === true ? first : last;
		const where = path === '' ? 'the response itself' : path;
		const by = next === undefined ? '' : `; more pages by ${next.path}`;
		run.hintAtList(
			count === 0
				? `The list is empty: 0 items in ${where}. If the service has some, check the options, and whether the API key belongs to the right business.`
				: `${items}${all} in ${where}${by}.`,
		);
	}
}

/** Whether the only page is full and lacks the field of the cursor, which may have another name. */
function lacksCursor(settings: ListSettings, read: ReadSummary): boolean {
	const { type, cursorFrom, cursorField, pageSize } = settings;
	const { first, pages, entries, isLimited } = read;
	if (type !== 'cursor' || cursorFrom !== 'response' || hasEndField(settings)) return false;
	const isFull = pages === 1 && entries >= pageSize && !isLimited;
	return isFull && valueAt(first.body, cursorField) === undefined;
}

/** The signs that more records follow. @param hasList whether the last page has a list */
function signsAfter({ first, last, pages, entries }: ReadSummary, hasList: boolean): SignsOfMore {
	const { next, flag, total } = signsOfMore(last, entries, pages);
	// A page without a list or without records may lack the total.
	const namesTotal = hasList && totalsIn(last).length > 0;
	return {
		// Some services name a cursor even on the empty last page.
		next: pages > 1 && last.records.length === 0 ? undefined : next,
		flag,
		total: namesTotal ? total : signsOfMore(first, entries).total,
	};
}

/** Says that there is more, and how to read it. */
function describeMore(
	{ total, next, flag }: SignsOfMore,
	wereRead: string,
	type: PaginationType,
	isLimited: boolean,
): string {
	const by = next === undefined ? '' : `; the next page is named by ${next.path}`;
	const names = type === 'pageNumber' ? 'names, First Page' : 'names';
	const kind = next?.isAddress === true ? ' to Next URL' : '';
	let advice = `Check the option Pagination: its ${names}, and End of List.`;
	if (isLimited) {
		const also =
			type === 'none' ? `; if one response does not hold all, also set Pagination${kind}` : '';
		advice = `Raise Limit to read more${also}.`;
	} else if (type === 'none') advice = `Set the option Pagination${kind} to read the rest.`;
	const sign = flag === undefined ? '' : ` (${flag})`;
	const says =
		total === undefined ? `The service says that there is more${sign}` : 'There are more';
	return `${says}: ${wereRead}${by}. ${advice}`;
}
