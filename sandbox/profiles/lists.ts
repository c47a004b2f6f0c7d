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

type Values = Record<string, string | number>;
type Envelope = (page: Row[], rows: Row[], number: number, address: string) => unknown;

/** A list by page number, from `firstPage`. */
const byPage =
	(envelope: Envelope, { pageParameter: name = 'page', firstPage: first = 1 }: Values = {}) =>
	({ rows, query, address }: ListRequest): Reply => {
		const page = numberOf(query[name], Number(first));
		return {
			body: envelope(slice(rows, (page - Number(first)) * SIZE, SIZE), rows, page, address),
		};
	};

/** The same, read with these settings of the pagination. */
const pages = (
	{ itemsField, idField, ...values }: Values & { itemsField?: string; idField?: string },
	envelope: Envelope,
): Profile => ({
	list: byPage(envelope, values),
	options: { itemsField, ...pagination('pageNumber', values) },
	idField,
});
const totalPages = (totalPagesField: string) => ({ endOfList: 'totalPages', totalPagesField });

/** The same, read by the address of the next page in this field. */
const linked = (nextUrlField: string, envelope: Envelope): Profile => ({
	list: byPage(envelope),
	options: pagination('nextUrl', { nextUrlField }),
});

/** A list by offset and limit, with these names of the parameters. */
const byOffset =
	(offset: string, limit: string, envelope: Envelope) =>
	({ rows, query, address }: ListRequest): Reply => {
		const start = numberOf(query[offset], 0);
		const page = slice(rows, start, numberOf(query[limit], SIZE));
		return { body: envelope(page, rows, start, address) };
	};

/** The same, read with these names, the page size of the service and further settings. */
const offsets = (
	offsetParameter: string,
	pageSizeParameter: string,
	{ itemsField, ...values }: Values & { itemsField?: string },
	envelope: Envelope,
): Profile => {
	const names = { offsetParameter, pageSizeParameter, pageSize: SIZE };
	return {
		list: byOffset(offsetParameter, pageSizeParameter, envelope),
		options: { itemsField, ...pagination('offset', { ...names, ...values }) },
	};
};

/** A cursor in the last record of a page. */
const afterLast = (cursorField: string, cursorParameter: string, others: Values = {}) =>
	pagination('cursor', { cursorFrom: 'lastItem', cursorField, cursorParameter, ...others });

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
	'L1-P6': offsets('offset', 'limit', {}, (page) => page),
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
	'L2-P3': pages(totalPages('meta.pagination.total_pages'), (data, rows, current_page) => ({
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
	'L3-P1': pages({ pageSizeParameter: 'pageSize', idField: 'ContactID' }, (page, rows, number) => ({
		Id: 'b5f7',
		Status: 'OK',
		pagination: { page: number, pageSize: SIZE, pageCount: pagesOf(rows) },
		Contacts: page.map(({ id, name }) => ({ ContactID: id, Name: name, Phones: [{ No: 1 }] })),
	})),
	'L3-P22': pages(
		{ endOfList: 'hasMoreField', hasMoreField: 'page_context.has_more_page' },
		(contacts, rows, page) => ({
			code: 0,
			message: 'success',
			contacts,
			page_context: { page, per_page: SIZE, has_more_page: page < pagesOf(rows) },
		}),
	),
	'L4-P19': {
		list: ({ rows }) => ({
			body: {
				QueryResponse: { Customer: rows, startPosition: 1, maxResults: rows.length },
				time: '1',
			},
		}),
		options: { itemsField: 'QueryResponse.Customer' },
	},
	'L5-P3': pages(totalPages('response.result.pages'), (clients, rows, page) => ({
		response: {
			result: { clients, page, pages: pagesOf(rows), per_page: SIZE, total: rows.length },
		},
	})),
	L6: pages({}, (projects, rows, page) => ({
		meta: { page, pages: pagesOf(rows), per_page: SIZE, total: rows.length, sort: [] },
		projects,
	})),
	'L7-P14': linked('d.__next', (results, rows, number, address) => ({
		d: { results, __next: nextAddress(number, rows, address) },
	})),
	'L8-P4': pages({ firstPage: 0, ...totalPages('totalPages') }, (content, rows, number) => ({
		sort: [{ property: 'name', direction: 'ASC' }],
		content,
		totalPages: pagesOf(rows),
		totalElements: rows.length,
		number,
		size: SIZE,
		first: number === 0,
		last: number + 1 >= pagesOf(rows),
	})),
	'L9-P15': linked('$next', (page, rows, number, address) => ({
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
	L11: offsets('offset', 'limit', { endOfList: 'shortPage' }, (objects, rows) => ({
		objects,
		total: String(rows.length),
	})),
	L12: pages({ itemsField: 'clients.client' }, (page, rows, number) => ({
		clients: {
			'@page': String(number),
			'@per_page': String(SIZE),
			'@total': String(rows.length),
			// A single record is not in a list, and without records the field is missing.
			...(page.length === 0 ? {} : { client: page.length === 1 ? page[0] : page }),
		},
	})),
	'L13-P7': offsets('from', 'count', { endOfList: 'shortPage' }, (values, rows, from) => ({
		fullResultSize: rows.length,
		from,
		count: values.length,
		versionDigest: 'abc',
		values,
	})),
	'L14-P5': pages(
		{
			pageParameter: 'skippages',
			firstPage: 0,
			pageSizeParameter: 'pagesize',
			pageSize: 1000,
			endOfList: 'shortPage',
		},
		(page) => ({ collection: page, pagination: { results: 5 } }),
	),
	'L14-P11': {
		// Even the empty last page has a cursor.
		list: ({ rows, query }) => {
			const start = numberOf(query.cursor?.slice(1), 0);
			const collection = slice(rows, start, SIZE);
			return { body: { collection, cursor: `c${start + collection.length}` } };
		},
		options: pagination('cursor', { cursorField: 'cursor' }),
	},
	'L3-P14': linked('hydra:view.hydra:next', (page, rows, number, address) => ({
		'hydra:member': page,
		'hydra:totalItems': rows.length,
		'hydra:view': { 'hydra:next': nextAddress(number, rows, new URL(address).pathname) },
	})),
	'L15-P8': offsets('$skip', '$limit', { itemsField: 'data.*.items' }, (items, rows, skip) => ({
		success: true,
		data: [{ items, total: rows.length, limit: SIZE, skip }],
	})),
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
		options: afterLast('id', 'starting_after', {
			endOfList: 'hasMoreField',
			hasMoreField: 'has_more',
		}),
	},
	'P10-D2': {
		list: (request) => ({ body: behind(request, 'last_invoice').page }),
		options: afterLast('id', 'last_invoice'),
	},
	L20: pages({ itemsField: 'customers' }, (page) => ({ customers: page.length === 0 ? {} : page })),
	L21: {
		list: ({ rows }) => ({
			body: { responses: Object.fromEntries(rows.map((row) => [String(row.id), row])) },
		}),
		options: { itemsField: 'responses.*' },
	},
	L22: pages(totalPages('paging.page_count'), (data, rows, page) => ({
		data,
		paging: { page, page_size: SIZE, page_count: pagesOf(rows), item_count: rows.length },
	})),
	L23: linked('next_page_url', (data, rows, number, address) => ({
		current_page: number,
		data,
		last_page: pagesOf(rows),
		next_page_url: nextAddress(number, rows, address) ?? null,
		per_page: SIZE,
		total: rows.length,
	})),
	'L24-P2': pages(
		{ pageSizeParameter: 'per_page', pageSize: 2, endOfList: 'shortPage' },
		(inventory_items, rows) => ({ total_count: rows.length, inventory_items }),
	),
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
	P17: pages({ endOfList: 'repeatedPage' }, (_, rows, number) => ({
		items: slice(rows, (Math.min(number, pagesOf(rows)) - 1) * SIZE, SIZE),
	})),
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
		options: afterLast('JournalNumber', 'offset'),
	},
	P21: {
		list: ({ rows, query }) => {
			const data = slice(rows, (numberOf(query.page, 1) - 1) * SIZE, SIZE);
			return data.length === 0 ? { status: 204 } : { body: { data } };
		},
		options: pagination('pageNumber'),
	},
	P23: pages(
		{ pageSizeParameter: 'page_size', pageSize: 1000, endOfList: 'shortPage' },
		(data) => ({ data }),
	),
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
