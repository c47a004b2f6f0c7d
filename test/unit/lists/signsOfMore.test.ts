/** Signs in a response that there are more records, under the names that services use. */
import { signsOfMore } from '../../../nodes/BusinessData/lists/signsOfMore';
import { responseOf } from '../transport/examples';

const READ = 2;
const signs = (body: object, headers = {}, path = 'data') =>
	signsOfMore(
		{ response: responseOf('', { headers }), body: { data: [{}, {}], ...body }, path },
		READ,
		1,
	);

test.each<[string, object]>([
	['@odata.count', { '@odata.count': 5 }],
	['Meta.@TotalResources', { Meta: { '@TotalResources': 5, '@TotalPages': 3 } }],
	['Meta.TotalNumberOfResults', { Meta: { CurrentPage: 1, PageSize: 2, TotalNumberOfResults: 5 } }],
	['hydra:totalItems', { 'hydra:totalItems': 5 }],
	['meta.record-count', { meta: { 'record-count': 5 } }],
	['recordsTotal', { draw: 1, recordsTotal: 5, recordsFiltered: 5 }],
	['total_rows', { total_rows: '5' }],
	['numFound', { numFound: 5, start: 0 }],
])('the total %s is recognized', (path, body) => {
	expect(signs(body).total).toEqual({ path, count: 5 });
});

test.each<[string, object, boolean]>([
	['hydra:view.hydra:next', { 'hydra:view': { 'hydra:next': '/contacts?page=2' } }, true],
	['_links.next.href', { _links: { next: { href: 'https://a/?page=2' } } }, true],
	['nextRecordsUrl', { nextRecordsUrl: '/query/01-2', done: false }, true],
	['meta.links', { meta: { links: [{ rel: 'next', href: 'https://a/?page=2' }] } }, true],
	['paging.next.after', { paging: { next: { after: 'N', link: 'https://a/?after=N' } } }, false],
	['meta.cursors.after', { meta: { cursors: { before: null, after: 'PM1' } } }, false],
	['page.next_start', { page: { start: 0, limit: 2, next_start: 2 } }, false],
	['cursor', { cursor: 'abc' }, false],
	['offset', { offset: 'itr17/rec42' }, false],
])('the next page is recognized at %s', (path, body, isAddress) => {
	expect(signs(body).next).toEqual({ path, isAddress });
});

test.each<[string, object]>([
	['pagination.more_items_in_collection', { pagination: { more_items_in_collection: true } }],
	['info.more_records', { info: { more_records: true, page: 1 } }],
	['HasMoreItems', { HasMoreItems: 'Y' }],
	['pageInfo.hasNextPage', { pageInfo: { hasNextPage: true } }],
	['last', { last: false }],
	['done', { done: false }],
	['pages', { page: 1, pages: 3 }],
	['last_page', { current_page: 1, last_page: 3 }],
	['@TotalPages', { '@TotalPages': '3' }],
])('the flag %s is a sign of more', (path, body) => {
	expect(signs(body)).toEqual({ flag: path });
});

test.each<[object, object]>([
	[{ total: { path: 'the header x-wp-total', count: 5 } }, { 'x-wp-total': '5' }],
	[{ next: { path: 'the header x-next-page', isAddress: false } }, { 'x-next-page': '2' }],
	[{ next: { path: 'the header Link', isAddress: true } }, { link: '</c?page=2>; rel=next' }],
	[{ flag: 'the header x-has-more' }, { 'x-has-more': 'true' }],
	[{}, { 'x-next-page': '', 'content-length': '500', age: '7' }],
])('%j is found in the headers %j', (found, headers) => {
	expect(signs({}, headers)).toEqual(found);
});

test.each([
	{ total: 2, count: 2, page: 1, pages: 1, last_page: 1, has_more: false },
	{ next_invoice_number: 1042, next_due_date: '2026-01-01', nextSyncToken: 'x', total_amount: 9 },
	// The service says explicitly that this is all.
	{ has_more: false, next_cursor: 'x' },
	{ next_cursor: '0' },
	{ last: true, cursor: 'x', offset: 0, limit: 100, page_count: 2 },
	// A sum of money is not a count.
	{ total: 1234.5, nextNumber: 1043 },
])('%j has no sign of more', (body) => {
	expect(signs(body)).toEqual({});
});

test.each<[string, object]>([
	['invoices.*', { invoices: { 17: { total: 1500, done: false }, 19: { total: 20, pages: 3 } } }],
	['list.*.customer', { list: { 17: { customer: { next: 'x' } } } }],
	['invoice', { invoice: { id: 1, item_count: 4 } }],
])('the fields of the records at %s are no signs of more', (path, body) => {
	expect(signs({ ...body }, {}, path)).toEqual({});
	expect(signs({ ...body, total: 5 }, {}, path)).toEqual({ total: { path: 'total', count: 5 } });
});
