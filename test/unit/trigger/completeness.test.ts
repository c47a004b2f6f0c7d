/** The signs of an incomplete read, and when a sign is a habit of the service. */
import type { Page } from '../../../nodes/BusinessData/lists/pages';
import {
	noteEnd,
	notePage,
	pageAfterEmpty,
} from '../../../nodes/BusinessData/trigger/completeness';
import type { ListRead, Sign } from '../../../nodes/BusinessData/trigger/state';
import { responseOf } from '../transport/examples';
import { listOf, readAt, type StateParts, stateOf } from './examples';

/** A page with `length` records. */
const pageOf = (length: number, body: unknown = {}, more: Partial<Page> = {}): Page => ({
	response: responseOf(body),
	body,
	records: Array.from({ length }),
	entries: length,
	path: '',
	isBare: false,
	hash: '',
	next: undefined,
	...more,
});

const SHORTER = 'a page before page 3 was shorter than the first one';
const LONGER = 'page 2 was longer than the first one';
test.each<[string, number[], string | undefined]>([
	['pageNumber', [3, 3, 2], undefined],
	['pageNumber', [3, 2, 3], SHORTER],
	['pageNumber', [3, 2, 0], undefined],
	['pageNumber', [3, 4, 3], LONGER],
	['pageNumber', [0, 3], LONGER],
	['offset', [3, 2, 4], undefined],
	['cursor', [3, 2, 3], SHORTER],
	['nextUrl', [3, 4], LONGER],
	['nextUrl', [3, 3], undefined],
])('by %s, pages of %j records have the sign: %s', (type, lengths, sign) => {
	for (const isFull of [true, false]) {
		const read = readAt(0, { isFull });
		let count = 0;
		for (const [index, length] of lengths.entries()) {
			const firstLength = index === 0 ? undefined : lengths[0];
			read.pageState = { page: index + 1, count, firstLength };
			// An entry without a record counts.
			notePage(read, pageOf(Math.max(0, length - 1), {}, { entries: length }), listOf({ type }));
			count += length;
		}
		expect(read.came).toBe(lengths.reduce((sum, length) => sum + length, 0));
		// A cursor or a link skips nothing, whatever the length of its pages.
		const isShown = type === 'pageNumber';
		expect(read.signs.unevenPages).toBe(isShown ? sign : undefined);
	}
});

test.each<[string, string, object]>([
	['in a bare list', '', [{ status: 'failed' }]],
	['in a list', 'payments', { payments: [{ status: 'failed' }] }],
	['by its ID', 'payments.*', { payments: { 17: { status: 'failed' } } }],
	['without a list', 'payment', { payment: { status: 'failed' } }],
	['next to a list of failures', 'payments', { payments: [{}], failed: ['old'] }],
	['in a list of errors', 'errors', { errors: ['old'] }],
])('a record with a failed status is no sign of a failed read: %s', (_, path, body) => {
	const read = readAt(1);
	notePage(read, pageOf(1, body, { path }), listOf({}));
	expect(read.signs).toEqual({});
});

test('a failure is a sign next to records, and by its text after the last one', () => {
	const signsOf = (page: number, length: number, message: string) => {
		const read = readAt(page);
		const body = { payments: Array(length).fill({}), error: { message } };
		notePage(read, pageOf(length, body, { path: 'payments' }), listOf({}));
		return Object.keys(read.signs);
	};
	expect(signsOf(1, 1, 'Too slow')).toEqual(['failure']);
	const behind = signsOf(9, 0, 'No page 9');
	expect(behind).toEqual([expect.stringMatching(/^end by failure \w/)]);
	expect(signsOf(10, 0, 'No page 10')).toEqual(behind);
	expect(signsOf(9, 0, 'Too slow')).not.toEqual(behind);
});

test.each<[page: number, length: number, totals: object]>([
	[1, 1, { total: 5 }],
	[1, 0, { total: 5 }],
	[2, 1, { total: 5 }],
	[2, 0, {}],
])('page %i with %i records gives the totals %j', (page, length, totals) => {
	const read = readAt(page);
	notePage(read, pageOf(length, { total: 5 }), listOf({}));
	expect(read.totals).toEqual(totals);
});

const END: Sign = 'end by an empty page';
const EMPTY = { signs: { [END]: 'page 2 was empty' } };
test.each<[string, boolean, Partial<ListRead>, StateParts, object?, number[]?]>([
	['before the last page of the previous read', true, {}, {}],
	['by offset', true, {}, {}, { type: 'offset' }],
	['on the last page of the previous read', false, {}, { observed: { pages: 2 } }],
	['in a read of changes', false, { isFull: false }, {}],
	['that has nothing at all', false, EMPTY, {}],
	['that has nothing at all, as always', true, EMPTY, { observed: { habits: [END] } }],
	['after all records were seen', false, {}, {}, {}, [-1, -1]],
	['by cursor', false, {}, {}, { type: 'cursor' }],
	['with another sign', true, { signs: { unevenPages: 'uneven' } }, {}],
	['after nine others', true, { pageState: { page: 2, count: 0, empty: 9 } }, {}],
	['after ten others', false, { pageState: { page: 2, count: 0, empty: 10 } }, {}],
	['if the last page is repeated', false, {}, {}, { endOfList: 'repeatedPage' }],
])('an empty page %s is followed by the next page: %s', (_, isFollowed, read, ...more) => {
	const [{ observed }, values = {}, missed = [-1, 0]] = more;
	const list = listOf({ type: 'pageNumber', ...values });
	const known = stateOf(missed, { observed: { pages: 3, ...observed } });
	expect(pageAfterEmpty(known, readAt(2, read), list)?.page).toBe(isFollowed ? 3 : undefined);
});

test('the page after an empty one begins where it would after a full one', () => {
	const list = listOf({ type: 'offset', pageSize: 5 });
	const state = stateOf([-1, 0], { observed: { pages: 4, habits: [END] } });
	const read = readAt(2, { pageState: { page: 2, count: 3, firstLength: 3 }, ...EMPTY });
	const pageState = { page: 3, count: 6, firstLength: 3, empty: 1 };
	expect(pageAfterEmpty(state, read, list)).toEqual(pageState);
	expect(read.emptyPage).toBe('page 2 was empty');
	expect(pageAfterEmpty(state, Object.assign(read, { pageState }), list)?.count).toBe(9);
	expect(read.emptyPage).toBe('page 2 was empty');
	const other = readAt(1, { pageState: { page: 1, count: 0 } });
	expect(pageAfterEmpty(state, other, list)?.count).toBe(5);
	expect(other.emptyPage).toBe('page 1 had no records');
});

const ODD = { unevenPages: 'uneven' };
const CUT = { [END]: 'cut off' };
const BAD = { failure: 'failed' };
const UNEVEN: Sign[] = ['unevenPages'];
const NO_LAST: Sign[] = [END];
const FAILED: Sign[] = ['failure'];
const ALWAYS = { observed: { pages: 2, habits: UNEVEN } };
const ONE_PAGE = { observed: { pages: 1 } };
const TWO_PAGES = { observed: { pages: 2 } };
const FIRST = { reads: { firstReads: 3 } };
const TOTAL = { observed: { totalField: 'total', pages: 2 } };
test.each<[string, number[], StateParts, Partial<ListRead>, Sign[] | undefined, string?]>([
	// With all records there, a sign is a habit of the service; with some missing, it is a problem.
	['all records came', [-1, -1], TWO_PAGES, { signs: ODD }, UNEVEN],
	['a record is missing', [-1, 0], TWO_PAGES, { signs: ODD }, [], 'uneven'],
	['a record is missing, but the sign is a habit', [-1, 0], ALWAYS, { signs: ODD }, UNEVEN],
	['the first read of several pages', [-1, 0], ONE_PAGE, { signs: ODD }, UNEVEN, 'uneven'],
	['a failure in several first pages', [-1, 0], ONE_PAGE, { signs: BAD }, [], 'failed'],
	['a habit ends', [-1], ALWAYS, {}, []],
	['a habit is missing in changes', [-1], ALWAYS, { isFull: false }, UNEVEN],
	['a habit is missing in one page', [-1], ALWAYS, { pageState: { page: 1, count: 0 } }, UNEVEN],
	[
		'a habit of failures ends',
		[-1],
		{ observed: { habits: FAILED } },
		{ pageState: { page: 1, count: 0 } },
		[],
	],
	['a failure in the first read', [-1], FIRST, { signs: BAD }, FAILED, 'failed'],
	['an empty end of the first read', [-1], FIRST, { signs: CUT }, NO_LAST, 'cut off'],
	['an empty end with totals', [-1], FIRST, { signs: CUT, came: 1, totals: { total: 1 } }, NO_LAST],
	['an empty end of a later read', [-1], {}, { signs: CUT }, NO_LAST],
	['another sign in the first read', [-1], FIRST, { signs: ODD }, UNEVEN],
	['as many as the total', [-1, 0], TOTAL, { signs: ODD, came: 1, totals: { total: 1 } }, UNEVEN],
	['more than the total', [-1, 0], TOTAL, { signs: ODD, came: 2, totals: { total: 1 } }, UNEVEN],
	[
		'fewer records than the total',
		[-1],
		TOTAL,
		{ signs: ODD, came: 2, totals: { total: 3 } },
		[],
		'2 of 3 records came',
	],
	[
		'fewer, as one came twice',
		[-1],
		TOTAL,
		{ came: 3, moved: 1, totals: { total: 3 } },
		[],
		'2 of 3 records came',
	],
])('a sign is a habit or a problem: %s', (_, missed, more, read, habits, problem = '') => {
	const state = stateOf(missed, more);
	const ended = readAt(2, read);
	noteEnd(state, ended, pageOf(1), listOf({ type: 'pageNumber' }));
	expect([state.observed.habits, ended.problem ?? '']).toEqual([habits, problem]);
});

test.each([
	['cursor', {}, true],
	['cursor', { cursorFrom: 'lastItem' }, false],
	['nextUrl', {}, true],
	['pageNumber', {}, false],
])('by %s %j, a last page without records counts as announced: %s', (type, values, isAnnounced) => {
	const ended = readAt(2);
	const first = readAt(1);
	for (const read of [ended, first]) {
		noteEnd(stateOf([-1]), read, pageOf(0), listOf({ type, ...values }));
	}
	expect(Object.keys(ended.signs)).toEqual(isAnnounced ? ['emptyLastPage'] : []);
	expect(first.signs).toEqual({});
});

test.each<[string, number, Array<Record<string, number>>, string | undefined, number?]>([
	['in an empty list is no total', 1, [{ total: 0 }], undefined, 0],
	['named total is a total', 1, [{ numberOfElements: 2, totalElements: 2 }], 'totalElements'],
	['by another name is no total of one page', 1, [{ count: 2 }], undefined],
	['by another name is the total of several pages', 2, [{ count: 2 }], 'count'],
	['that was the total remains', 1, [{ count: 9 }, { count: 2, total: 2 }, { total: 1 }], 'total'],
])('a number %s', (_, page, reads, field, came = 2) => {
	const state = stateOf([-1]);
	const pageState = { page, count: page - 1, firstLength: page === 1 ? 2 : 1 };
	for (const totals of reads) {
		noteEnd(state, readAt(page, { pageState, came, totals }), pageOf(1), listOf({}));
	}
	expect(state.observed.totalField).toBe(field);
});

test.each<[string, number, object, string | undefined, number?]>([
	['none', 1, { nextCursor: 'b' }, 'nextCursor'],
	['cursor', 1, { nextCursor: 'b', hasMore: true }, 'nextCursor'],
	['none', 1, { name: 'a' }, undefined],
	// Some services name a cursor on the empty last page, too.
	['cursor', 0, { nextCursor: 'b' }, undefined],
	['cursor', 0, { nextCursor: 'b', hasMore: true }, 'hasMore'],
	['none', 1, { total: 2 }, 'total: 2'],
	['none', 1, { total: 1 }, undefined],
	['none', 1, { total: 2 }, undefined, 2],
	['none', 1, { pages: 2 }, 'pages'],
	['offset', 1, { total: 2, pages: 2 }, undefined],
])('by %s, a last page of %i records with %j says that there is more: %s', (type, ...page) => {
	const [length, body, path, entries] = page;
	const problem =
		path && `the service says that there is more (${path}); check the option Pagination`;
	const full = readAt(1);
	const changes = readAt(1, { isFull: false });
	for (const read of [full, changes]) {
		noteEnd(
			stateOf([-1]),
			read,
			pageOf(length, body, entries === undefined ? {} : { entries }),
			listOf({ type }),
		);
	}
	expect(full.problem).toBe(problem);
	// A total or a number of pages is never that of the changes.
	expect(changes.problem).toBe(path === 'total: 2' || path === 'pages' ? undefined : problem);
});
