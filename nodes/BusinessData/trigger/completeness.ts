/**
 * Finds signs that records are missing although no request failed. A sign that a service always shows is a habit, which
 * means nothing.
 */
import type { ListSettings } from '../lists/listSettings';
import { isCounted, isFailedPage, MOST_EMPTY, type Page, type PageState } from '../lists/pages';
import { signsOfMore, totalsIn } from '../lists/signsOfMore';
import { alsoSaid } from '../transport/serviceTexts';
import { hashOf } from '../values/hash';
import type { ListRead, Sign, State } from './state';

/** Whether each page names the next one, so that the length of a page does not matter. */
const isLinked = ({ type }: ListSettings) => type === 'cursor' || type === 'nextUrl';

/** Notes a sign of an incomplete read. Whether it is a habit of the service shows at the end. */
export function noteSign(read: ListRead, sign: Sign, inWords: string): void {
	read.signs[sign] ??= inWords;
}

const signsIn = (signs: ListRead['signs']) => Object.keys(signs) as Sign[];
const isOfEnd = (sign: Sign) => sign.startsWith('end by');
const isTransient = (sign: Sign) => isOfEnd(sign) || sign === 'failure';

/** A hash of what the service says, without numbers such as that of the page. */
function hashOfServiceTexts({ response }: Page): string {
	return hashOf(alsoSaid(response).replace(/\d+/g, ''), 8);
}

/** Notes what a page says about the read. */
export function notePage(read: ListRead, page: Page, list: ListSettings): void {
	const { body, entries, isBare } = page;
	const { page: number, count, firstLength } = read.pageState;
	read.came += entries;
	// On a later page without records, a total may count only that page.
	const totals = entries === 0 && number > 1 ? [] : totalsIn(page);
	for (const [path, total] of totals) {
		// If the total changes during the read, the lowest counts.
		read.totals[path] = Math.min(total, read.totals[path] ?? Infinity);
	}
	if (isFailedPage(page)) {
		const inWords = `page ${number} holds what looks like a failure`;
		if (entries > 0) noteSign(read, 'failure', inWords);
		else if (number === 1) read.problem ??= inWords;
		// Some services respond like this to every page after the last one, always in the same words.
		else noteSign(read, `end by failure ${hashOfServiceTexts(page)}`, inWords);
	}
	if (isBare && page.next === undefined && (number > 1 || read.isFull)) {
		const isEmpty = body === undefined || body === null;
		const sign = isEmpty ? 'end by an empty page' : 'end by no list';
		noteSign(read, sign, `page ${number} was ${isEmpty ? 'empty' : 'no list'}`);
	}
	if (entries === 0) return;
	if (read.emptyPage !== undefined) read.problem ??= `${read.emptyPage}, although more followed`;
	// An offset counts the records that came, so a page of another length makes it skip none.
	const first = firstLength ?? entries;
	const isEven = count === (number - 1) * first && entries <= first;
	if (isEven || list.type === 'offset' || isLinked(list)) return;
	const [which, word] =
		entries > first ? [`page ${number}`, 'longer'] : [`a page before page ${number}`, 'shorter'];
	noteSign(read, 'unevenPages', `${which} was ${word} than the first one`);
}

/**
 * The page to read after one without records that seems to be the last, although known records have not come: if it was
 * empty by mistake, others follow. Undefined if nothing can follow.
 */
export function pageAfterEmpty(
	{ known, observed }: State,
	read: ListRead,
	list: ListSettings,
): PageState | undefined {
	const { pageState, signs, isFull } = read;
	const { page, count, firstLength, empty = 0 } = pageState;
	// A repeated page means the end of the list.
	if (!isFull || !isCounted(list) || list.endOfList === 'repeatedPage') return undefined;
	// A response with nothing in it is a different end, unless the service always ends like that.
	const ends = signsIn(signs).filter(isOfEnd);
	if (ends.some((sign) => !observed.habits.includes(sign))) return undefined;
	if (page >= observed.pages || [...known.values()].every(({ isSeen }) => isSeen)) return undefined;
	if (empty === MOST_EMPTY) return undefined;
	read.emptyPage ??= ends.map((sign) => signs[sign])[0] ?? `page ${page} had no records`;
	const next = { page: page + 1, count: count + (firstLength || list.pageSize), empty: empty + 1 };
	return { ...pageState, ...next };
}

/** Notes why a read that has ended is incomplete, and learns from full reads which signs are habits. */
export function noteEnd(state: State, read: ListRead, last: Page, list: ListSettings): void {
	const { isFull, pageState } = read;
	const { page } = pageState;
	const expected = isFull ? expectedTotal(state, read) : undefined;
	const came = read.came - read.moved;
	if (expected !== undefined && came < expected) {
		read.problem ??= `${came} of ${expected} records came`;
	}
	const isAnnounced = isLinked(list) && list.cursorFrom !== 'lastItem';
	if (isFull && isAnnounced && page > 1 && last.records.length === 0) {
		const inWords = `page ${page} had no records, although the page before had announced it`;
		noteSign(read, 'emptyLastPage', inWords);
	}
	const areAllSeen = [...state.known.values()].every(({ isSeen }) => isSeen);
	const isConfirmed = isFull && (expected === undefined ? areAllSeen : came >= expected);
	const { habits } = state.observed;
	const shown = signsIn(read.signs);
	const unusual = shown.filter((sign) => !habits.includes(sign));
	// A first read may have been cut off.
	const mayBeCutOff = state.reads.firstReads > 0 && expected === undefined;
	for (const sign of unusual) {
		if (!isConfirmed || (mayBeCutOff && isTransient(sign))) read.problem ??= read.signs[sign];
	}
	if (isFull) {
		// A list of one page cannot show most habits.
		const isKept = (sign: Sign) => shown.includes(sign) || (page === 1 && sign !== 'failure');
		// No earlier read had several pages, so there is nothing to compare with.
		const isNew = state.observed.pages <= 1;
		const isLearned = (sign: Sign) => isConfirmed || (isNew && sign !== 'failure');
		state.observed.habits = [...habits.filter(isKept), ...unusual.filter(isLearned)];
	}
	noteSignsOfMore(read, last, list);
}

/** The number of records that the responses give, once one of their fields has been right about it. */
function expectedTotal(state: State, { came, totals, pageState }: ListRead): number | undefined {
	// An empty list proves nothing, as a sum of money would be 0 as well.
	const fitting = Object.keys(totals).filter((path) => came > 0 && totals[path] === came);
	// A field with another name may count the records of a page, so it is trusted only in lists of several pages.
	const { firstLength = came } = pageState;
	const other = came > firstLength ? fitting[0] : undefined;
	// From then on, a higher number means that records are missing.
	state.observed.totalField ??= fitting.find((path) => /total|full/i.test(path)) ?? other;
	return totals[state.observed.totalField ?? ''];
}

/** Notes what the last page says about records that did not come. */
function noteSignsOfMore(read: ListRead, page: Page, { type }: ListSettings): void {
	const { records, entries, isAfterLast = false } = page;
	const isSingle = type === 'none' || (isAfterLast && read.pageState.page === 2);
	// The total may count all records, not only those that have changed.
	const isWhole = isSingle && read.isFull;
	const count = isAfterLast ? read.came : entries;
	const { next, flag, total } = signsOfMore(page, count, isWhole ? 1 : Infinity);
	// Some services name a cursor even on the empty last page.
	const ofPages = (records.length > 0 || isAfterLast ? next?.path : undefined) ?? flag;
	const ofAll = isWhole && total !== undefined ? `${total.path}: ${total.count}` : undefined;
	const sign = ofPages ?? ofAll;
	if (sign === undefined) return;
	read.problem ??= `the service says that there is more (${sign}); check the option Pagination`;
}
