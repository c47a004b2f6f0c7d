/**
 * What makes a reading incomplete: signs in the pages that not all records came, although no request
 * failed. The interface document says nothing of lists, so what a service usually does is taken from the
 * reading before.
 */
import type { PaginationType } from '../resources/list/listFields';
import type { Reading, State } from './state';

/** What a number of all records is called where the answer has one. The name alone proves nothing. */
const NAME_OF_TOTAL = /^(count|total(_?(count|elements|hits|items|records|results))?)$/i;

/** Takes note of a page with so many records. */
export function noteLength(reading: Reading, type: PaginationType, length: number): void {
	const { page } = reading.place;
	reading.firstLength ??= length;
	// An offset counts the records that came, so that a page of another length passes over none.
	if (length > 0 && (type === 'pageNumber' || type === 'cursor')) {
		const { firstLength, lastLength = firstLength } = reading;
		if (lastLength < firstLength) {
			reading.problem ??= `page ${page - 1} was shorter than the first one, although more followed`;
		}
		if (length > firstLength) {
			reading.problem ??= `page ${page} was longer than the first one`;
		}
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

/** Takes note of the last page. */
export function noteEnd(reading: Reading, state: State, type: PaginationType): void {
	const seen = [...state.known.values()].filter(({ isSeen }) => isSeen).length;
	const promised = reading.totals?.[state.totalField ?? ''];
	if (promised !== undefined && seen < promised) {
		reading.problem ??= `${seen} of ${promised} records came`;
	}
	const totals = Object.entries(reading.totals ?? {}).filter(([, total]) => total === seen);
	const paths = totals.map(([path]) => path);
	state.totalField = paths.find((path) => path === state.totalField) ?? paths[0];

	if (type !== 'cursor') return;
	const endsEmpty = reading.place.page > 1 && reading.lastLength === 0;
	if (endsEmpty && state.endsEmpty === false) {
		reading.problem ??= `page ${reading.place.page} had no records, although a cursor had announced it`;
	}
	state.endsEmpty = endsEmpty;
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
