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

const total = (path: string) => ({ total: { path, count: 5 } });
const next = (path: string, isAddress: boolean) => ({ next: { path, isAddress } });

test.each<[sign: object, body: object, headers?: object]>([
	[total('@odata.count'), { '@odata.count': 5 }],
	[total('Meta.@TotalResources'), { Meta: { '@TotalResources': 5, '@TotalPages': 3 } }],
	[total('Meta.TotalNumberOfResults'), { Meta: { PageSize: 2, TotalNumberOfResults: 5 } }],
	[total('hydra:totalItems'), { 'hydra:totalItems': 5 }],
	[total('meta.record-count'), { meta: { 'record-count': 5 } }],
	[total('recordsTotal'), { draw: 1, recordsTotal: 5, recordsFiltered: 5 }],
	[total('total_rows'), { total_rows: '5' }],
	[total('numFound'), { numFound: 5, start: 0 }],
	[total('the header x-wp-total'), {}, { 'x-wp-total': '5' }],
	[next('hydra:view.hydra:next', true), { 'hydra:view': { 'hydra:next': '/contacts?page=2' } }],
	[next('_links.next.href', true), { _links: { next: { href: 'https://a/?page=2' } } }],
	[next('nextRecordsUrl', true), { nextRecordsUrl: '/query/01-2', done: false }],
	[next('meta.links', true), { meta: { links: [{ rel: 'next', href: 'https://a/?page=2' }] } }],
	[next('paging.next.after', false), { paging: { next: { after: 'N', link: 'https://a/?b=N' } } }],
	[next('meta.cursors.after', false), { meta: { cursors: { before: null, after: 'PM1' } } }],
	[next('page.next_start', false), { page: { start: 0, limit: 2, next_start: 2 } }],
	[next('cursor', false), { cursor: 'abc' }],
	[next('offset', false), { offset: 'itr17/rec42' }],
	[next('the header x-next-page', false), {}, { 'x-next-page': '2' }],
	[next('the header Link', true), {}, { link: '</c?page=2>; rel=next' }],
	...Object.entries({
		'pagination.more_items_in_collection': { pagination: { more_items_in_collection: true } },
		'info.more_records': { info: { more_records: true, page: 1 } },
		HasMoreItems: { HasMoreItems: 'Y' },
		'pageInfo.hasNextPage': { pageInfo: { hasNextPage: true } },
		last: { last: false },
		done: { done: false },
		pages: { page: 1, pages: 3 },
		last_page: { current_page: 1, last_page: 3 },
		'@TotalPages': { '@TotalPages': '3' },
	}).map(([flag, body]): [object, object] => [{ flag }, body]),
	[{ flag: 'the header x-has-more' }, {}, { 'x-has-more': 'true' }],
])('%j is found in %j and the headers %j', (sign, body, headers = {}) => {
	const found = 'flag' in sign ? sign : (expect.objectContaining(sign) as object);
	expect(signs(body, headers)).toEqual(found);
});

test.each<[body: object, headers?: object]>([
	[{ total: 2, count: 2, page: 1, pages: 1, last_page: 1, has_more: false }],
	[{ next_invoice_number: 1042, next_due_date: '2026-01-01', nextSyncToken: 'x', total_amount: 9 }],
	// The service says explicitly that this is all.
	[{ has_more: false, next_cursor: 'x' }],
	[{ next_cursor: '0' }],
	[{ last: true, cursor: 'x', offset: 0, limit: 100, page_count: 2 }],
	// A sum of money is not a count.
	[{ total: 1234.5, nextNumber: 1043 }],
	[{}, { 'x-next-page': '', 'content-length': '500', age: '7' }],
])('%j with the headers %j has no sign of more', (body, headers = {}) => {
	expect(signs(body, headers)).toEqual({});
});

test.each<[string, object]>([
	['invoices.*', { invoices: { 17: { total: 1500, done: false }, 19: { total: 20, pages: 3 } } }],
	['list.*.customer', { list: { 17: { customer: { next: 'x' } } } }],
	['invoice', { invoice: { id: 1, item_count: 4 } }],
])('the fields of the records at %s are no signs of more', (path, body) => {
	expect(signs({ ...body }, {}, path)).toEqual({});
	expect(signs({ ...body, total: 5 }, {}, path)).toEqual({ total: { path: 'total', count: 5 } });
});
