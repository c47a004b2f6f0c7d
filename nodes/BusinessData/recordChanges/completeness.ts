/**
 * What makes a reading incomplete: signs in the pages that not all records came, although no request
 * failed. The interface document says nothing of lists, so what a service usually does is taken from the
 * reading before.
 */
import type { PaginationType } from '../resources/list/listFields';
import type { ListSettings } from '../resources/list/listSettings';
import type { Page, Place } from '../resources/list/pages';
import { signsOfMore } from '../resources/list/signsOfMore';
import { type Reading, type Sign, SIGNS, type State } from './state';

/** What a number of all records is called where the answer has one. The name alone proves nothing. */
const NAME_OF_TOTAL = /^(count|total(_?(count|elements|hits|items|records|results))?)$/i;

/** Whether each page says where the next one is, so that the length of a page decides nothing. */
const isLinked = (type: PaginationType) => type === 'cursor' || type === 'nextUrl';

/** Takes note of a page with so many records. */
export function noteLength(reading: Reading, type: PaginationType, length: number): void {
	const { page } = reading.place;
	reading.firstLength ??= length;
	if (length > 0 && reading.emptyPage !== undefined) {
		reading.problem ??= `${reading.emptyPage}, although more followed`;
	}
	// An offset counts the records that came, so that a page of another length passes over none.
	if (length > 0 && (type === 'pageNumber' || isLinked(type))) {
		const { firstLength, lastLength = firstLength } = reading;
		const uneven =
			lastLength < firstLength
				? `page ${page - 1} was shorter than the first one, although more followed`
				: length > firstLength
					? `page ${page} was longer than the first one`
					: undefined;
		// A cursor or link passes over no record whatever the length of its pages, so that some services cut them anyhow.
		if (uneven !== undefined && isLinked(type)) noteSign(reading, 'unevenPages', uneven);
		else reading.problem ??= uneven;
	}
	reading.lastLength = length;
}

/** Takes note of how many records the answer says there are; the least counts, should that change. */
export function noteTotals(reading: Reading, body: unknown): void {
	for (const [path, total] of totalsIn(body)) {
		reading.totals ??= {};
		reading.totals[path] = Math.min(total, reading.totals[path] ?? Infinity);
	}
}

/**
 * Where to read on behind a page without records that seems to be the last one, although records are missing: a
 * page that is empty by mistake is followed by others. Undefined where nothing may follow.
 */
export function placeBehindGap(
	reading: Reading,
	{ known, habits, pages = 0 }: State,
	{ type, pageSize, firstPage }: ListSettings,
	length: number,
): Place | undefined {
	const { page, count } = reading.place;
	const isCounted = type === 'pageNumber' || type === 'offset';
	if (!isCounted || length > 0 || page >= pages || reading.isIncremental) return undefined;
	// A response with nothing at all is an end of its own kind, unless the service always ends like that.
	if (reading.signs?.noLastPage !== undefined && !habits.includes('noLastPage')) return undefined;
	if ([...known.values()].every(({ isSeen }) => isSeen)) return undefined;
	reading.emptyPage ??= reading.signs?.noLastPage ?? `page ${page} had no records`;
	const behind = { page: page + 1, count: count + (reading.firstLength || pageSize) };
	const position = type === 'offset' ? behind.count : firstPage + page;
	return { ...behind, position: String(position) };
}

/** Takes note of something that only means an incomplete reading where the service does not always do it. */
export function noteSign(reading: Reading, sign: Sign, inWords: string): void {
	reading.signs = { [sign]: inWords, ...reading.signs };
}

/** Takes note of what the last page says of further ones. */
export function noteSignsOfMore(reading: Reading, { answer, body }: Page): void {
	const { next, flag } = signsOfMore(answer, body, 0);
	const path = next?.path ?? flag;
	if (path !== undefined) reading.problem ??= `the service says that there is more (${path})`;
}

/** Takes note of the last page. */
export function noteEnd(reading: Reading, state: State, type: PaginationType): void {
	const records = [...state.known.values()];
	const seen = records.filter(({ isSeen }) => isSeen).length + (reading.marked ?? 0);
	const totals = Object.entries(reading.totals ?? {});
	// Kept from then on: where it is no longer their number, records are missing.
	state.totalField ??= totals.find(([, total]) => total === seen)?.[0];
	const promised = reading.totals?.[state.totalField ?? ''];
	if (promised !== undefined && seen < promised) {
		reading.problem ??= `${seen} of ${promised} records came`;
	}

	const { page } = reading.place;
	if (isLinked(type) && page > 1 && reading.lastLength === 0) {
		const inWords = `page ${page} had no records, although the page before had announced it`;
		noteSign(reading, 'emptyLastPage', inWords);
	}
	const isConfirmed =
		promised === undefined ? records.every(({ isSeen }) => isSeen) : seen >= promised;
	state.habits = SIGNS.filter((sign) => {
		const inWords = reading.signs?.[sign];
		const isHabit = state.habits.includes(sign);
		if (inWords === undefined) return isHabit && page === 1;
		// The first reading has nothing to compare with, and with no page at all it may have been cut off.
		const isDoubtful = sign === 'noLastPage' && state.firstReadings > 0 && promised === undefined;
		if (!isHabit && (isDoubtful || !isConfirmed)) reading.problem ??= inWords;
		return isHabit || isConfirmed;
	});
}

/** The numbers in an answer, at its top or one level below, that may say how many records there are. */
function totalsIn(body: unknown): Array<[path: string, total: number]> {
	const inside = Object.entries(fieldsOf(body)).flatMap(([name, value]) => [
		[name, value] as const,
		...Object.entries(fieldsOf(value)).map(([inner, one]) => [`${name}.${inner}`, one] as const),
	]);
	return inside.flatMap(([path, value]) => {
		const isTotal = NAME_OF_TOTAL.test(path.slice(path.indexOf('.') + 1));
		return isTotal && typeof value === 'number' ? [[path, value]] : [];
	});
}

function fieldsOf(value: unknown): Record<string, unknown> {
	const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
	return isObject ? (value as Record<string, unknown>) : {};
}
