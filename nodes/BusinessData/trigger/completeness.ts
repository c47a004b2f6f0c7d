/**
 * What makes a read incomplete: signs in the pages that records are missing, although no request failed. The interface
 * document says nothing of lists, so the previous read shows what the service usually does.
 */
import type { PaginationType } from '../lists/listFields';
import type { ListSettings } from '../lists/listSettings';
import { countedPosition, type Page, type PageState } from '../lists/pages';
import { signsOfMore, totalsIn } from '../lists/signsOfMore';
import { holdsFailure } from '../transport/signsOfFailure';
import { type ListRead, type Sign, SIGNS, type State } from './state';

/** Whether each page says where the next one is, so that the length of a page decides nothing. */
const isLinked = (type: PaginationType) => type === 'cursor' || type === 'nextUrl';

/** Notes how many records a page has. */
export function noteLength(read: ListRead, type: PaginationType, length: number): void {
	const { page } = read.place;
	read.firstLength ??= length;
	if (length > 0 && read.emptyPage !== undefined) {
		read.problem ??= `${read.emptyPage}, although more followed`;
	}
	// An offset counts the records that came, so that a page of another length passes over none.
	if (length > 0 && (type === 'pageNumber' || isLinked(type))) {
		const { firstLength, lastLength = firstLength } = read;
		const uneven =
			lastLength < firstLength
				? `page ${page - 1} was shorter than the first one, although more followed`
				: length > firstLength
					? `page ${page} was longer than the first one`
					: undefined;
		// A cursor or link passes over no record whatever the length of its pages, so that some services cut them
		// anyhow.
		if (uneven !== undefined && isLinked(type)) noteSign(read, 'unevenPages', uneven);
		else read.problem ??= uneven;
	}
	read.lastLength = length;
}

/** Notes how many records there are by the response; the lowest number counts, should it change. */
export function noteTotals(read: ListRead, { response, body }: Page): void {
	for (const [path, total] of totalsIn(response, body)) {
		read.totals ??= {};
		read.totals[path] = Math.min(total, read.totals[path] ?? Infinity);
	}
}

/**
 * Where to read on behind a page without records that seems to be the last one, although records are missing: a
 * page that is empty by mistake is followed by others. Undefined where nothing may follow.
 */
export function placeBehindGap(
	read: ListRead,
	{ known, habits, pages = 0 }: State,
	list: ListSettings,
	length: number,
): PageState | undefined {
	const { page, count } = read.place;
	const isCounted = list.type === 'pageNumber' || list.type === 'offset';
	if (!isCounted || length > 0 || page >= pages || read.isIncremental) return undefined;
	// A response with nothing at all is an end of its own kind, unless the service always ends like that.
	if (read.signs?.noLastPage !== undefined && !habits.includes('noLastPage')) return undefined;
	if ([...known.values()].every(({ isSeen }) => isSeen)) return undefined;
	read.emptyPage ??= read.signs?.noLastPage ?? `page ${page} had no records`;
	const behind = { page: page + 1, count: count + (read.firstLength || list.pageSize) };
	return { ...behind, ...countedPosition(list, behind) };
}

/** Notes a sign that means an incomplete read only where the service does not always show it. */
export function noteSign(read: ListRead, sign: Sign, inWords: string): void {
	read.signs = { [sign]: inWords, ...read.signs };
}

/** Notes what the last page says of records that did not come. */
export function noteSignsOfMore(read: ListRead, page: Page, type: PaginationType): void {
	const { response, body, records } = page;
	// What has changed is compared with no total, which may count all records.
	const isWhole = type === 'none' && read.isIncremental !== true;
	const pages = isWhole ? 1 : Infinity;
	const { next, flag, total } = signsOfMore(response, body, records.length, pages);
	// Some services name a cursor on the empty last page, too.
	const ofPages = (records.length > 0 ? next?.path : undefined) ?? flag;
	const path = ofPages ?? (isWhole ? total?.path : undefined);
	if (path !== undefined) read.problem ??= `the service says that there is more (${path})`;
}

/** Notes a page without records that looks like a failure: the records that it lacks are not deleted. */
export function noteFailure(read: ListRead, { body, records }: Page): void {
	if (records.length > 0 || !holdsFailure(body)) return;
	const { page } = read.place;
	const inWords = `page ${page} holds what looks like a failure`;
	if (page === 1) read.problem ??= inWords;
	// Some services say so of each page behind the last one.
	else noteSign(read, 'noLastPage', inWords);
}

/** Notes the end of the read. */
export function noteEnd(read: ListRead, state: State, type: PaginationType): void {
	const records = [...state.known.values()];
	const seen = records.filter(({ isSeen }) => isSeen).length + (read.marked ?? 0);
	const totals = Object.entries(read.totals ?? {});
	// Kept from then on: where it is no longer their number, records are missing.
	const fitting = totals.filter(([, total]) => total === seen).map(([path]) => path);
	// Others may count the records of a page, which in a list of one page is the same number.
	state.totalField ??= fitting.find((path) => /total|full/i.test(path)) ?? fitting[0];
	const expected = read.totals?.[state.totalField ?? ''];
	if (expected !== undefined && seen < expected) {
		read.problem ??= `${seen} of ${expected} records came`;
	}

	const { page } = read.place;
	if (isLinked(type) && page > 1 && read.lastLength === 0) {
		const inWords = `page ${page} had no records, although the page before had announced it`;
		noteSign(read, 'emptyLastPage', inWords);
	}
	const isConfirmed =
		expected === undefined ? records.every(({ isSeen }) => isSeen) : seen >= expected;
	// No list of several pages has come to its end before, so that this end is as good as any.
	const isNew = (state.pages ?? 1) === 1;
	state.habits = SIGNS.filter((sign) => {
		const inWords = read.signs?.[sign];
		const isHabit = state.habits.includes(sign);
		if (inWords === undefined) return isHabit && page === 1;
		// The first read has nothing to compare with, and with no page at all it may have been cut off.
		const isDoubtful = sign === 'noLastPage' && state.firstReads > 0 && expected === undefined;
		if (!isHabit && (isDoubtful || !isConfirmed)) read.problem ??= inWords;
		return isHabit || isConfirmed || isNew;
	});
}
