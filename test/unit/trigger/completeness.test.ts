/** By which signs a read counts as incomplete, and when a sign is what the service always shows. */
import type { PaginationType } from '../../../nodes/BusinessData/lists/listFields';
import type { Page } from '../../../nodes/BusinessData/lists/pages';
import { readListSettings } from '../../../nodes/BusinessData/lists/listSettings';
import {
	noteEnd,
	noteLength,
	noteSign,
	noteSignsOfMore,
	noteTotals,
	placeBehindGap,
} from '../../../nodes/BusinessData/trigger/completeness';
import {
	type ListRead,
	newState,
	type Sign,
	type State,
} from '../../../nodes/BusinessData/trigger/state';
import { responseOf } from '../transport/examples';
import { LIST } from './examples';

const readAt = (page: number, more: Partial<ListRead> = {}): ListRead => ({
	...{ place: { page, count: 0 }, pagination: '', beganAt: 0 },
	...more,
});
/** A state in which so many records were seen, and so many not. */
function stateOf(seen: number, unseen: number, more: Partial<State> = {}): State {
	const state = { ...newState(LIST), firstReads: 0, ...more };
	for (let id = 1; id <= seen + unseen; id++) {
		state.known.set(`${id}`, { id, hash: '', missed: 0, isSeen: id <= seen });
	}
	return state;
}

/** A last page with so many records. */
const pageOf = (length: number, body: object): Page => ({
	...{ response: responseOf(body), body, records: Array.from({ length }) },
	...{ path: '', isBare: false, hash: '', next: undefined },
});

const EMPTY = 'page 2 had no records';
test.each<[PaginationType, number[], problem?: string, sign?: string]>([
	['pageNumber', [3, 3, 2], undefined, undefined],
	[
		'pageNumber',
		[3, 2, 3],
		'page 2 was shorter than the first one, although more followed',
		undefined,
	],
	['pageNumber', [3, 2, 0], undefined, undefined],
	['pageNumber', [3, 4], 'page 2 was longer than the first one', undefined],
	['pageNumber', [0, 3], 'page 2 was longer than the first one', undefined],
	['offset', [3, 2, 4], undefined, undefined],
	['none', [3, 4], undefined, undefined],
	['cursor', [3, 2, 3], undefined, 'page 2 was shorter than the first one, although more followed'],
	['nextUrl', [3, 4], undefined, 'page 2 was longer than the first one'],
	['nextUrl', [3, 3], undefined, undefined],
])('by %s, pages of %j records: %s', (type, lengths, problem, sign) => {
	const read = readAt(0);
	for (const length of lengths) {
		read.place.page++;
		noteLength(read, type, length);
	}
	expect([read.problem, read.signs]).toEqual([problem, sign && { unevenPages: sign }]);
	expect([read.firstLength, read.lastLength]).toEqual([lengths[0], lengths.at(-1)]);
});

test.each([
	[1, `${EMPTY}, although more followed`],
	[0, undefined],
])('%i records behind a page without any: %s', (length, problem) => {
	const read = readAt(3, { emptyPage: EMPTY });
	noteLength(read, 'offset', length);
	expect(read.problem).toBe(problem);
});

test('of a total that changes, the lowest counts', () => {
	const read = readAt(1);
	for (const total of [5, 4, 6]) noteTotals(read, pageOf(1, { total }));
	expect(read.totals).toEqual({ total: 4 });
});

test.each<[string, boolean, Partial<ListRead>, Partial<State>, object?]>([
	['before the last page of the read before', true, {}, {}],
	['on the last page of the read before', false, {}, { pages: 2 }],
	['where no read has come to its end', false, {}, { pages: undefined }],
	['in an incremental read', false, { isIncremental: true }, {}],
	['that has nothing at all', false, { signs: { noLastPage: 'page 2 was empty' } }, {}],
	[
		'that has nothing at all, as always',
		true,
		{ signs: { noLastPage: 'page 2 was empty' } },
		{ habits: ['noLastPage'] },
	],
	['where all records were seen', false, {}, { known: stateOf(2, 0).known }],
	['by cursor', false, {}, {}, { type: 'cursor' }],
])('an empty page %s is followed by another: %s', (_, isFollowed, read, state, values = {}) => {
	const list = readListSettings({ pagination: { values: { type: 'pageNumber', ...values } } });
	const known = { ...stateOf(1, 1), pages: 3, ...state };
	const place = placeBehindGap(readAt(2, read), known, list, 0);
	expect(place?.page).toBe(isFollowed ? 3 : undefined);
	expect(placeBehindGap(readAt(2, read), known, list, 1)).toBeUndefined();
});

test('behind an empty page, the next one is where it would be', () => {
	const list = readListSettings({ pagination: { values: { type: 'offset', pageSize: 5 } } });
	const placeAt = (read: Partial<ListRead>) => {
		const place = { page: 2, count: 3 };
		return placeBehindGap(readAt(2, { place, ...read }), stateOf(1, 1, { pages: 3 }), list, 0);
	};
	expect(placeAt({ firstLength: 3 })).toEqual({ page: 3, count: 6, position: '6' });
	expect(placeAt({ firstLength: 0 })).toEqual({ page: 3, count: 8, position: '8' });
	const read = readAt(2, { signs: { noLastPage: 'page 2 was empty' } });
	placeBehindGap(read, stateOf(1, 1, { pages: 3, habits: ['noLastPage'] }), list, 0);
	expect(read.emptyPage).toBe('page 2 was empty');
	const other = readAt(2);
	placeBehindGap(other, stateOf(1, 1, { pages: 3 }), list, 0);
	placeBehindGap({ ...other, place: { page: 3, count: 0 } }, stateOf(1, 1, { pages: 4 }), list, 0);
	expect(other.emptyPage).toBe(EMPTY);
});

test('of several signs of a kind, the first is told', () => {
	const read = readAt(1);
	noteSign(read, 'unevenPages', 'first');
	noteSign(read, 'unevenPages', 'second');
	noteSign(read, 'noLastPage', 'other');
	expect(read.signs).toEqual({ unevenPages: 'first', noLastPage: 'other' });
});

const [ODD, CUT] = ['uneven', 'cut off'];
test.each<[string, State, ListRead, Sign[], string | undefined]>([
	// With all records, it is how the service is, and with some missing it is not.
	[
		'all came',
		stateOf(2, 0, { pages: 2 }),
		readAt(2, { signs: { unevenPages: ODD } }),
		['unevenPages'],
		undefined,
	],
	[
		'one is missing',
		stateOf(1, 1, { pages: 2 }),
		readAt(2, { signs: { unevenPages: ODD } }),
		[],
		ODD,
	],
	[
		'as always',
		stateOf(1, 1, { pages: 2, habits: ['unevenPages'] }),
		readAt(2, { signs: { unevenPages: ODD } }),
		['unevenPages'],
		undefined,
	],
	[
		'the first read of several pages',
		stateOf(1, 1, { pages: 1 }),
		readAt(2, { signs: { unevenPages: ODD } }),
		['unevenPages'],
		ODD,
	],
	[
		'the first read of all',
		stateOf(1, 1),
		readAt(2, { signs: { unevenPages: ODD } }),
		['unevenPages'],
		ODD,
	],
	['no more', stateOf(2, 0, { pages: 2, habits: ['unevenPages'] }), readAt(2), [], undefined],
	[
		'no more, in one page',
		stateOf(2, 0, { pages: 2, habits: ['unevenPages'] }),
		readAt(1),
		['unevenPages'],
		undefined,
	],
	['never, in one page', stateOf(2, 0, { pages: 2 }), readAt(1), [], undefined],
	[
		'nothing at the end of the first read',
		stateOf(2, 0, { firstReads: 3 }),
		readAt(2, { signs: { noLastPage: CUT } }),
		['noLastPage'],
		CUT,
	],
	[
		'nothing at the end of the first read, with a total',
		stateOf(2, 0, { firstReads: 3 }),
		readAt(2, { signs: { noLastPage: CUT }, totals: { total: 2 } }),
		['noLastPage'],
		undefined,
	],
	[
		'nothing at the end of the next one',
		stateOf(2, 0),
		readAt(2, { signs: { noLastPage: CUT } }),
		['noLastPage'],
		undefined,
	],
	[
		'something else in the first read',
		stateOf(2, 0, { firstReads: 3 }),
		readAt(2, { signs: { unevenPages: ODD } }),
		['unevenPages'],
		undefined,
	],
	[
		'as many as the total',
		stateOf(1, 1, { pages: 2, totalField: 'total' }),
		readAt(2, { signs: { unevenPages: ODD }, totals: { total: 1 } }),
		['unevenPages'],
		undefined,
	],
	[
		'more than the total',
		stateOf(2, 1, { pages: 2, totalField: 'total' }),
		readAt(2, { signs: { unevenPages: ODD }, totals: { total: 1 } }),
		['unevenPages'],
		undefined,
	],
	[
		'fewer than the total',
		stateOf(2, 0, { pages: 2, totalField: 'total' }),
		readAt(2, { signs: { unevenPages: ODD }, totals: { total: 3 } }),
		[],
		'2 of 3 records came',
	],
	[
		'fewer than the total, of which one is marked',
		stateOf(2, 0, { totalField: 'total' }),
		readAt(1, { marked: 1, totals: { total: 3 } }),
		[],
		undefined,
	],
])('a sign at the end of a read: %s', (_, state, read, habits, problem) => {
	noteEnd(read, state, 'pageNumber');
	expect([state.habits, read.problem]).toEqual([habits, problem]);
});

test.each<[PaginationType, number, number, boolean]>([
	['cursor', 2, 0, true],
	['nextUrl', 2, 0, true],
	['cursor', 1, 0, false],
	['cursor', 2, 1, false],
	['pageNumber', 2, 0, false],
])('by %s, page %i with %i records is a last one without any: %s', (type, page, lastLength, is) => {
	const read = readAt(page, { lastLength });
	noteEnd(read, stateOf(1, 1, { pages: 2 }), type);
	const inWords = `page ${page} had no records, although the page before had announced it`;
	expect([read.signs?.emptyLastPage, read.problem]).toEqual(
		is ? [inWords, inWords] : [undefined, undefined],
	);
});

test('the number that was the number of records is kept', () => {
	const state = stateOf(2, 0);
	noteEnd(readAt(1, { totals: { count: 3, total: 2 } }), state, 'none');
	expect(state.totalField).toBe('total');
	noteEnd(readAt(1, { totals: { count: 2, total: 1 } }), state, 'none');
	expect(state.totalField).toBe('total');
});

test.each<[PaginationType, number, object, string | undefined]>([
	['none', 1, { nextCursor: 'b' }, 'nextCursor'],
	['cursor', 1, { nextCursor: 'b', hasMore: true }, 'nextCursor'],
	['none', 1, { name: 'a' }, undefined],
	// Some services name a cursor on the empty last page, too.
	['cursor', 0, { nextCursor: 'b' }, undefined],
	['cursor', 0, { nextCursor: 'b', hasMore: true }, 'hasMore'],
	['none', 1, { total: 2 }, 'total'],
	['none', 1, { total: 1 }, undefined],
	['offset', 1, { total: 2 }, undefined],
])('by %s, %i records and %j as the last page say that there is more: %s', (type, ...page) => {
	const [length, body, path] = page;
	const read = readAt(1);
	noteSignsOfMore(read, pageOf(length, body), type);
	expect(read.problem).toBe(path && `the service says that there is more (${path})`);
	const changes = readAt(1, { isIncremental: true });
	noteSignsOfMore(changes, pageOf(length, body), type);
	expect(changes.problem).toBe(path === 'total' ? undefined : read.problem);
});
