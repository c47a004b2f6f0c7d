// Lists of 26 bookkeeping services: envelopes L1 to L26, pagination P1 to P26.

import type { ListRequest, Profile, Reply, Row } from './profile';

/** The page size of services in which it cannot be chosen. */
const SIZE = 2;

const pagination = (type: string, values: Record<string, string | number> = {}) => ({
	pagination: { values: { type, pageSizeParameter: '', ...values } },
});
const numberOf = (text: string | undefined, otherwise: number) =>
	text === undefined ? otherwise : Number(text);
const slice = (rows: Row[], start: number, size: number) => rows.slice(start, start + size);
const pagesOf = (rows: Row[], size = SIZE) => Math.ceil(rows.length / size);

/** A list by page number, from `first`. */
const byPage =
	(
		envelope: (page: Row[], rows: Row[], number: number, address: string) => unknown,
		{ name = 'page', first = 1 } = {},
	) =>
	({ rows, query, address }: ListRequest): Reply => {
		const page = numberOf(query[name], first);
		return { body: envelope(slice(rows, (page - first) * SIZE, SIZE), rows, page, address) };
	};

/** A list by offset and limit, with these parameter names. */
const byOffset =
	(offset: string, limit: string, envelope: (page: Row[], rows: Row[], start: number) => unknown) =>
	({ rows, query }: ListRequest): Reply => {
		const start = numberOf(query[offset], 0);
		return { body: envelope(slice(rows, start, numberOf(query[limit], SIZE)), rows, start) };
	};

/** A list whose pages begin after the record whose ID is in the query. */
const behind = ({ rows, query }: ListRequest, name: string) => {
	const last = rows.findIndex(({ id }) => String(id) === query[name]);
	return { page: slice(rows, last + 1, SIZE), hasMore: last + 1 + SIZE < rows.length };
};

/** An opaque cursor for a page number. */
const cursorOf = (page: number) => Buffer.from(`page ${page}`).toString('base64url');
const byCursor = ({ rows, query }: ListRequest, name: string) => {
	const page = [1, 2, 3, 4].find((one) => cursorOf(one) === query[name]) ?? 1;
	const next = page < pagesOf(rows) ? cursorOf(page + 1) : undefined;
	return { page: slice(rows, (page - 1) * SIZE, SIZE), next };
};

/** IDs of 18 digits, as numbers in the JSON text. */
const withLongIds = (rows: Row[]) =>
	JSON.stringify(rows).replace(/"contact-(\d+)"/g, '90071992547409930$1');

const nextAddress = (number: number, rows: Row[], address: string) =>
	number < pagesOf(rows) ? `${address}?page=${number + 1}` : undefined;

export const LISTS: Record<string, Profile> = {
	'L1-P6': {
		list: byOffset('offset', 'limit', (page) => page),
		options: pagination('offset', { pageSizeParameter: 'limit', pageSize: 2 }),
	},
	'L1-P13-D3': {
		list: ({ rows, query, address }) => {
			const number = numberOf(query.page, 1);
			const links = [
				...(number > 1 ? [`<${address}?page=${number - 1}>; rel="prev"`] : []),
				...(number < pagesOf(rows) ? [`<${address}?page=${number + 1}>; rel="next"`] : []),
			];
			return {
				headers: { 'content-type': 'application/json', link: links.join(', ') },
				body: withLongIds(slice(rows, (number - 1) * SIZE, SIZE)),
			};
		},
		options: pagination('nextUrl'),
	},
	'L2-P3': {
		list: byPage((data, rows, current_page) => ({
			data,
			meta: {
				pagination: {
					total: rows.length,
					count: data.length,
					per_page: SIZE,
					current_page,
					total_pages: pagesOf(rows),
					links: {},
				},
			},
		})),
		options: pagination('pageNumber', {
			endOfList: 'totalPages',
			totalPagesField: 'meta.pagination.total_pages',
		}),
	},
	'L3-P1': {
		list: byPage((page, rows, number) => ({
			Id: 'b5f7',
			Status: 'OK',
			pagination: { page: number, pageSize: SIZE, pageCount: pagesOf(rows) },
			Contacts: page.map(({ id, name }) => ({ ContactID: id, Name: name, Phones: [{ No: 1 }] })),
		})),
		options: pagination('pageNumber', { pageSizeParameter: 'pageSize' }),
		idField: 'ContactID',
	},
	'L3-P22': {
		list: byPage((contacts, rows, page) => ({
			code: 0,
			message: 'success',
			contacts,
			page_context: { page, per_page: SIZE, has_more_page: page < pagesOf(rows) },
		})),
		options: pagination('pageNumber', {
			endOfList: 'hasMoreField',
			hasMoreField: 'page_context.has_more_page',
		}),
	},
	'L4-P19': {
		list: ({ rows }) => ({
			body: {
				QueryResponse: { Customer: rows, startPosition: 1, maxResults: rows.length },
				time: '1',
			},
		}),
		options: { itemsField: 'QueryResponse.Customer' },
	},
	'L5-P3': {
		list: byPage((clients, rows, page) => ({
			response: {
				result: { clients, page, pages: pagesOf(rows), per_page: SIZE, total: rows.length },
			},
		})),
		options: pagination('pageNumber', {
			endOfList: 'totalPages',
			totalPagesField: 'response.result.pages',
		}),
	},
	L6: {
		list: byPage((projects, rows, page) => ({
			meta: { page, pages: pagesOf(rows), per_page: SIZE, total: rows.length, sort: [] },
			projects,
		})),
		options: pagination('pageNumber'),
	},
	'L7-P14': {
		list: byPage((results, rows, number, address) => ({
			d: { results, __next: nextAddress(number, rows, address) },
		})),
		options: pagination('nextUrl', { nextUrlField: 'd.__next' }),
	},
	'L8-P4': {
		list: byPage(
			(content, rows, number) => ({
				sort: [{ property: 'name', direction: 'ASC' }],
				content,
				totalPages: pagesOf(rows),
				totalElements: rows.length,
				number,
				size: SIZE,
				first: number === 0,
				last: number + 1 >= pagesOf(rows),
			}),
			{ first: 0 },
		),
		options: pagination('pageNumber', {
			firstPage: 0,
			endOfList: 'totalPages',
			totalPagesField: 'totalPages',
		}),
	},
	'L9-P15': {
		list: byPage((page, rows, number, address) => ({
			$total: rows.length,
			$page: number,
			$next: nextAddress(number, rows, new URL(address).pathname) ?? null,
			$back: null,
			$itemsPerPage: SIZE,
			$items: page.map(({ id, name }) => ({
				id,
				displayed_as: name,
				$path: `/contacts/${String(id)}`,
			})),
		})),
		options: pagination('nextUrl', { nextUrlField: '$next' }),
	},
	'L10-P11': {
		list: (request) => {
			const { page, next } = byCursor(request, 'offset');
			return {
				body: { list: page.map((customer) => ({ customer, card: {} })), next_offset: next },
			};
		},
		options: {
			itemsField: 'list.*.customer',
			...pagination('cursor', { cursorParameter: 'offset', cursorField: 'next_offset' }),
		},
	},
	L11: {
		list: byOffset('offset', 'limit', (objects, rows) => ({ objects, total: String(rows.length) })),
		options: pagination('offset', {
			pageSizeParameter: 'limit',
			pageSize: 2,
			endOfList: 'shortPage',
		}),
	},
	L12: {
		list: byPage((page, rows, number) => ({
			clients: {
				'@page': String(number),
				'@per_page': String(SIZE),
				'@total': String(rows.length),
				// A single record is not in a list, and without records the field is missing.
				...(page.length === 0 ? {} : { client: page.length === 1 ? page[0] : page }),
			},
		})),
		options: { itemsField: 'clients.client', ...pagination('pageNumber') },
	},
	'L13-P7': {
		list: byOffset('from', 'count', (values, rows, from) => ({
			fullResultSize: rows.length,
			from,
			count: values.length,
			versionDigest: 'abc',
			values,
		})),
		options: pagination('offset', {
			offsetParameter: 'from',
			pageSizeParameter: 'count',
			pageSize: 2,
			endOfList: 'shortPage',
		}),
	},
	'L14-P5': {
		list: byPage((page) => ({ collection: page, pagination: { results: 5 } }), {
			name: 'skippages',
			first: 0,
		}),
		options: pagination('pageNumber', {
			pageParameter: 'skippages',
			firstPage: 0,
			pageSizeParameter: 'pagesize',
			pageSize: 1000,
			endOfList: 'shortPage',
		}),
	},
	'L14-P11': {
		// Even the empty last page has a cursor.
		list: ({ rows, query }) => {
			const start = numberOf(query.cursor?.slice(1), 0);
			const collection = slice(rows, start, SIZE);
			return { body: { collection, cursor: `c${start + collection.length}` } };
		},
		options: pagination('cursor', { cursorField: 'cursor' }),
	},
	'L3-P14': {
		list: byPage((page, rows, number, address) => ({
			'hydra:member': page,
			'hydra:totalItems': rows.length,
			'hydra:view': { 'hydra:next': nextAddress(number, rows, new URL(address).pathname) },
		})),
		options: pagination('nextUrl', { nextUrlField: 'hydra:view.hydra:next' }),
	},
	'L15-P8': {
		list: byOffset('$skip', '$limit', (items, rows, skip) => ({
			success: true,
			data: [{ items, total: rows.length, limit: SIZE, skip }],
		})),
		options: {
			itemsField: 'data.*.items',
			...pagination('offset', {
				offsetParameter: '$skip',
				pageSizeParameter: '$limit',
				pageSize: 2,
			}),
		},
	},
	L16: {
		list: byOffset('$skip', '$limit', (data, rows, skip) => ({
			total: rows.length,
			limit: SIZE,
			skip,
			data,
		})),
		options: pagination('offset', { offsetParameter: '$skip' }),
	},
	L17: {
		list: ({ rows }) => ({
			body: { success: true, message: '', error_code: '', errors: {}, data: rows },
		}),
		options: { itemsField: 'data' },
	},
	'L18-P10': {
		list: (request) => {
			const { page, hasMore } = behind(request, 'starting_after');
			return { body: { object: 'list', data: page, has_more: hasMore, url: '/v1/customers' } };
		},
		options: pagination('cursor', {
			cursorFrom: 'lastItem',
			cursorField: 'id',
			cursorParameter: 'starting_after',
			endOfList: 'hasMoreField',
			hasMoreField: 'has_more',
		}),
	},
	'P10-D2': {
		list: (request) => ({ body: behind(request, 'last_invoice').page }),
		options: pagination('cursor', {
			cursorFrom: 'lastItem',
			cursorField: 'id',
			cursorParameter: 'last_invoice',
		}),
	},
	L20: {
		list: byPage((page) => ({ customers: page.length === 0 ? {} : page })),
		options: { itemsField: 'customers', ...pagination('pageNumber') },
	},
	L21: {
		list: ({ rows }) => ({
			body: { responses: Object.fromEntries(rows.map((row) => [String(row.id), row])) },
		}),
		options: { itemsField: 'responses.*' },
	},
	L22: {
		list: byPage((data, rows, page) => ({
			data,
			paging: { page, page_size: SIZE, page_count: pagesOf(rows), item_count: rows.length },
		})),
		options: pagination('pageNumber', {
			endOfList: 'totalPages',
			totalPagesField: 'paging.page_count',
		}),
	},
	L23: {
		list: byPage((data, rows, number, address) => ({
			current_page: number,
			data,
			last_page: pagesOf(rows),
			next_page_url: nextAddress(number, rows, address) ?? null,
			per_page: SIZE,
			total: rows.length,
		})),
		options: pagination('nextUrl', { nextUrlField: 'next_page_url' }),
	},
	'L24-P2': {
		list: byPage((inventory_items, rows) => ({ total_count: rows.length, inventory_items })),
		options: pagination('pageNumber', {
			pageSizeParameter: 'per_page',
			pageSize: 2,
			endOfList: 'shortPage',
		}),
	},
	P12: {
		list: ({ rows, query }) => ({
			headers: { 'x-total-count': String(rows.length), 'x-limit': String(SIZE) },
			body: slice(rows, numberOf(query.offset, 0), SIZE),
		}),
		options: pagination('offset'),
	},
	P16: {
		list: (request) => {
			const { page, next } = byCursor(request, 'cursor');
			const first = request.query.cursor === undefined;
			const clients = first ? page : page.map((row) => ({ ...row }));
			return {
				body: {
					clients,
					page: first ? 1 : null,
					next_page: first ? 2 : null,
					links: { next: next === undefined ? null : `${request.address}?cursor=${next}` },
				},
			};
		},
		options: pagination('nextUrl', { nextUrlField: 'links.next' }),
	},
	P17: {
		list: byPage((_, rows, number) => ({
			items: slice(rows, (Math.min(number, pagesOf(rows)) - 1) * SIZE, SIZE),
		})),
		options: pagination('pageNumber', { endOfList: 'repeatedPage' }),
	},
	P18: {
		list: ({ rows, query }) => {
			const journals = rows.map((row) => ({
				...row,
				JournalNumber: 10 * Number(String(row.id).split('-').at(-1)),
			}));
			const after = numberOf(query.offset, 0);
			return {
				body: { Journals: journals.filter((one) => one.JournalNumber > after).slice(0, SIZE) },
			};
		},
		options: pagination('cursor', {
			cursorFrom: 'lastItem',
			cursorField: 'JournalNumber',
			cursorParameter: 'offset',
		}),
	},
	P21: {
		list: ({ rows, query }) => {
			const data = slice(rows, (numberOf(query.page, 1) - 1) * SIZE, SIZE);
			return data.length === 0 ? { status: 204 } : { body: { data } };
		},
		options: pagination('pageNumber'),
	},
	P23: {
		list: byPage((data) => ({ data })),
		options: pagination('pageNumber', {
			pageSizeParameter: 'page_size',
			pageSize: 1000,
			endOfList: 'shortPage',
		}),
	},
	P24: {
		list: ({ rows, query }) => {
			const data = slice(rows, (numberOf(query.page, 1) - 1) * SIZE, SIZE);
			return data.length === 0
				? { status: 404, body: { message: 'No such page' } }
				: { body: data };
		},
		options: pagination('pageNumber', { endOfList: 'notFound' }),
	},
	P25: {
		list: ({ rows, query }) =>
			Object.keys(query).length > 0
				? { status: 400, body: { message: 'INVALID_QUERY_FIELD' } }
				: { body: { data: rows } },
		options: { itemsField: 'data' },
	},
};
