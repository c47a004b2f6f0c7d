/** Reads a list page by page, from services with any kind of pagination, or with none. */
import type { IDataObject } from 'n8n-workflow';

import { readListSettings } from '../../../nodes/BusinessData/lists/listSettings';
import { type PageClient, readPages } from '../../../nodes/BusinessData/lists/pages';
import { responseError } from '../../../nodes/BusinessData/transport/errorTexts';
import type { ServiceRequest } from '../../../nodes/BusinessData/transport/serviceRequest';
import { responseOf, requestOf } from '../transport/examples';

type Query = Record<string, string>;

/** Reads every page. `service` responds to a query, given how many requests came before it. */
async function readAll(
	options: Record<string, unknown>,
	service: (query: Query, count: number) => unknown,
	own: Query = { filter: 'open' },
) {
	const queries: Query[] = [];
	const paths: string[] = [];
	const request = async ({ endpoint, query }: ServiceRequest) => {
		const asked = Object.fromEntries(query.map(({ name, value }) => [name, value]));
		// If a parameter comes twice, services use the first, the last or neither.
		expect(query).toHaveLength(Object.keys(asked).length);
		paths.push(endpoint.path);
		return await Promise.resolve(responseOf(service(asked, queries.push(asked) - 1)));
	};
	const client: PageClient = { request, baseUrl: 'https://example.com' };
	const query = Object.entries(own).map(([name, value]) => ({ name, value }));
	const first = requestOf('GET', '/list', { query });
	const pages: unknown[][] = [];
	const hashes: string[] = [];
	let error: unknown;
	try {
		for await (const { records, hash } of readPages(client, first, readListSettings(options))) {
			if (records.length > 0) pages.push(records);
			hashes.push(hash);
		}
	} catch (thrown) {
		error = thrown;
	}
	return { pages, queries, error, paths, hashes };
}

const paginated = (values: IDataObject): Record<string, unknown> => ({ pagination: { values } });
const asked = (queries: Query[], name: string) => queries.map((query) => query[name]);

test.each<[string, unknown[], string?]>([
	['one request reads the whole list', [{ contacts: [1, 2] }, [1, 2]]],
	['the list is read where Items Field says', [{ data: { a: [1], b: [2] } }, [2]], ' data.b '],
	...['', [], { contacts: [] }].map((body): [string, unknown[]] => [
		`a response ${JSON.stringify(body)} is an empty list`,
		[body],
	]),
])('without pagination, %s', async (_, [body, ...pages], itemsField = '') => {
	const options = itemsField === '' ? {} : { itemsField };
	const read = await readAll(options, () => body);
	// A single page is not compared with others: to hash a long one would take seconds.
	const paths = ['/list'];
	const hashes = [''];
	expect(read).toEqual({ pages, queries: [{ filter: 'open' }], paths, hashes, error: undefined });
});

test('a page on which all lists are empty does not decide which list is read', async () => {
	const bodies = [
		{ groups: [], contacts: [], next: 'a' },
		{ groups: [], contacts: [{}, {}] },
	];
	const options = paginated({ type: 'cursor', cursorParameter: 'cursor', cursorField: 'next' });
	expect(await readAll(options, (_, count) => bodies[count])).toMatchObject({ pages: [[{}, {}]] });
});

/** Pages of records from 0 to 9, such as `12 3`. */
const pagesOf = (text: string) => text.split(' ').map((page) => [...page].map(Number));

test.each<[object, string, number]>([
	[{ endOfList: 'emptyPage' }, '12 3', 3],
	[{ endOfList: 'shortPage' }, '12 3', 2],
	[{ endOfList: 'shortPage' }, '12 34', 3],
	// The service may cap the page size.
	[{ endOfList: 'shortPage' }, '1 2', 3],
	[{ endOfList: 'hasMoreField', hasMoreField: 'goOn' }, '12 34', 2],
	[{ endOfList: 'totalPages', totalPagesField: 'sheets' }, '12 34', 2],
	[{ endOfList: 'totalPages', totalPagesField: 'first.sheets' }, '12 3', 3],
])('with %j, the pages %s take %i requests', async (end, text, requests) => {
	const all = pagesOf(text);
	const sheets = all.length;
	const settings = paginated({ type: 'pageNumber', pageSize: 2, ...end });
	const { pages, queries, error } = await readAll(settings, (_, count) => ({
		a: all[count] ?? [],
		goOn: count < sheets - 1,
		sheets,
		first: count === 0 ? { sheets } : {},
	}));
	expect({ items: pages.flat(), error }).toEqual({ items: all.flat(), error: undefined });
	expect(queries).toHaveLength(requests);
});

test.each([
	['pageNumber', ['1', '2']],
	['offset', ['0', '1']],
	// The user may say where a list begins.
	['cursor', ['7', 'b']],
])('a parameter of the pagination replaces that of the user: %s', async (type, expected) => {
	const names = { pageParameter: 'at', offsetParameter: 'at', cursorParameter: 'at' };
	const values = { type, ...names, cursorField: 'next', pageSize: 2 };
	const { queries } = await readAll(
		paginated(values),
		(_, count) => (count === 0 ? { items: [1], next: 'b' } : { items: [] }),
		{ at: '7', limit: '50' },
	);
	expect(asked(queries, 'at')).toEqual(expected);
	expect(asked(queries, 'limit')).toEqual(['2', '2']);
});

test('reads no item twice if the service counts offsets from 1', async () => {
	const values = { offsetParameter: 'start', firstOffset: 1, pageSizeParameter: '' };
	const { pages, queries } = await readAll(
		paginated({ type: 'offset', ...values }),
		({ start }) => [1, 2, 3, 4, 5].slice(Math.max(0, Number(start) - 1)).slice(0, 2),
		{},
	);
	expect(pages).toEqual([[1, 2], [3, 4], [5]]);
	expect(asked(queries, 'start')).toEqual(['1', '3', '5', '6']);
});

describe.each([
	{ type: 'offset' },
	{ type: 'pageNumber' },
	{ type: 'pageNumber', endOfList: 'shortPage' },
])('pagination by %j', (values) => {
	test.each<[string, unknown[], unknown[]]>([
		['one has no record', [0, 1, undefined, 3, 4], [0, 1, 3, 4]],
		['one has null as its record', [0, 1, null, 3, 4], [0, 1, 3, 4]],
		['a page has no records', [0, 1, undefined, undefined, 4], [0, 1, 4]],
		['each has a list of records', [[0, 1, 2], [3, 4], [], null, [5], [6]], [0, 1, 2, 3, 4, 5, 6]],
	])('counts entries, not records, if %s', async (_, customers, records) => {
		const all = customers.map((customer, id) => ({ id, customer }));
		const service = ({ page, offset = String(2 * (Number(page) - 1)) }: Query) => {
			const start = Number(offset);
			return { list: all.slice(start, start + 2) };
		};
		const settings = { ...paginated(values), itemsField: 'list.*.customer' };
		const { pages, error } = await readAll(settings, service);
		expect({ records: pages.flat(), error }).toEqual({ records, error: undefined });
	});
});

test('an object without an ID that holds the records does not count as an entry', async () => {
	const settings = { ...paginated({ type: 'offset' }), itemsField: 'data.*.items' };
	const { pages } = await readAll(settings, ({ offset }) => ({
		data: [{ items: [1, 2, 3, 4, 5].slice(Number(offset)).slice(0, 2) }],
	}));
	expect(pages.flat()).toEqual([1, 2, 3, 4, 5]);
});

describe('pagination by cursor', () => {
	test.each<[unknown, unknown[][]]>([
		...[undefined, null, '', false, {}, [], 0, '0'].map((nextCursor): [unknown, unknown[][]] => [
			...([{ items: [1], nextCursor }, [[1]]] as [unknown, unknown[][]]),
		]),
		['', []],
	])('ends at the response %j', async (body, pages) => {
		const read = await readAll(paginated({ type: 'cursor' }), () => body, {});
		expect(read).toMatchObject({ pages, queries: [expect.anything()], error: undefined });
	});

	test.each([{ id: 7 }, [7, 'x'], true])('fails at %j, which is no cursor', async (next) => {
		const values = { type: 'cursor', cursorField: 'next' };
		const { error } = await readAll(paginated(values), () => ({ items: [{ id: 1 }], next }));
		const message = 'Cursor Field: what is at "next" is not a text or a number';
		expect(error).toMatchObject({ message });
	});

	test('continues after an item whose cursor is 0', async () => {
		const values = { type: 'cursor', cursorFrom: 'lastItem', cursorField: 'number' };
		const { pages } = await readAll(paginated(values), ({ cursor }) =>
			cursor === undefined ? [{ number: 0 }] : cursor === '0' ? [{ number: -1 }] : [],
		);
		expect(pages).toEqual([[{ number: 0 }], [{ number: -1 }]]);
	});

	test('continues after a page that leaves out its empty list', async () => {
		const bodies = [{ items: [1], next: 'a' }, { next: 'b' }, { items: [2] }, {}];
		const values = { type: 'cursor', cursorField: 'next' };
		const { pages, queries } = await readAll(paginated(values), (_, count) => bodies[count]);
		expect(pages).toEqual([[1], [2]]);
		expect(asked(queries, 'cursor')).toEqual([undefined, 'a', 'b']);
	});

	test('keeps all digits of a long number', async () => {
		const body = '{"items":[1],"nextCursor":9007199254740993}';
		const { queries } = await readAll(paginated({ type: 'cursor' }), (_, count) =>
			count === 0 ? body : [],
		);
		expect(asked(queries, 'cursor')).toEqual([undefined, '9007199254740993']);
	});

	test('stops if a cursor leads to itself', async () => {
		const service = (items: unknown[]) => (_: Query, count: number) => ({
			items: count === 0 ? [0] : items,
			nextCursor: 'same',
		});
		const cursor = paginated({ type: 'cursor' });
		const once = await readAll(cursor, service([1]));
		expect(once.error).toMatchObject({ message: 'Pagination: a cursor comes again' });
		const repeated = paginated({ type: 'cursor', endOfList: 'repeatedPage' });
		for (const ended of [
			await readAll(cursor, service([])),
			await readAll(repeated, service([0])),
		]) {
			expect(ended).toMatchObject({ pages: [[0]], error: undefined });
		}
	});

	const MORE = { items: [{ id: 1 }], goOn: true, sheets: 7 };
	const GO_ON = { endOfList: 'hasMoreField', hasMoreField: 'goOn' };
	const SHEETS = { endOfList: 'totalPages', totalPagesField: 'sheets' };
	test.each<[IDataObject, string, body?: unknown[]]>([
		[{ cursorFrom: 'lastItem', cursorField: 'f' }, 'Cursor Field'],
		[{ ...GO_ON, hasMoreField: 'f' }, 'Has More Field'],
		[{ ...SHEETS, totalPagesField: 'f' }, 'Total Pages Field'],
		[{ ...GO_ON, cursorField: 'f' }, 'Cursor Field'],
		[{ ...SHEETS, cursorField: 'f' }, 'Cursor Field'],
		// A list has no fields.
		[{ cursorField: 'f' }, 'Cursor Field', MORE.items],
		[{ type: 'nextUrl', nextUrlField: 'f' }, 'Next URL Field', MORE.items],
	])('fails if the response lacks the field of %j', async (values, field, body = undefined) => {
		const settings = paginated({ type: 'cursor', ...values });
		const { error } = await readAll(settings, () => body ?? MORE);
		expect(String(error)).toContain(`${field}: there is nothing at "f"`);
		// Nothing can follow an empty list, such as one of changes.
		const empty = await readAll(settings, () => body?.slice(1) ?? { items: [] });
		expect(empty.error).toBeUndefined();
	});
});

test.each([
	[{ type: 'pageNumber' }, '"page"'],
	[{ type: 'offset', offsetParameter: 'skip' }, 'does not seem to know the parameter "skip"'],
	[{ type: 'cursor' }, '"cursor"'],
])('a service that ignores %j is detected at the second page', async (values, advice) => {
	const service = (_: Query, count: number) => ({ items: [{ id: 1 }], nextCursor: `c${count}` });
	const { pages, queries, error } = await readAll(paginated(values), service);
	expect(pages).toEqual([[{ id: 1 }]]);
	expect(queries).toHaveLength(2);
	const both = new RegExp(`${advice}.*set End of List to Repeated Page`);
	expect(error).toMatchObject({
		message: 'Pagination: page 2 holds the same items as an earlier one',
		details: { outcome: 'unknown', description: expect.stringMatching(both) as string },
	});
	const repeated = await readAll(paginated({ ...values, endOfList: 'repeatedPage' }), service);
	expect(repeated).toMatchObject({ pages: [[{ id: 1 }]], error: undefined });
});

test.each([404, 416])('a %i after the last page says which option to set', async (statusCode) => {
	const values = { type: 'pageNumber' };
	const service = ({ page }: Query) => {
		if (page === '1') return [1];
		throw responseError(requestOf('GET', '/list'), responseOf('', { statusCode }));
	};
	const { error } = await readAll(paginated(values), service);
	const description = expect.stringMatching(/^Page 2 does not exist.*Not Found\.$/) as string;
	expect(error).toMatchObject({ details: { statusCode, description } });
	const notFound = await readAll(paginated({ ...values, endOfList: 'notFound' }), service);
	expect(notFound).toMatchObject({ pages: [[1]], error: undefined });
});

test('a repeated page is recognized by its IDs, and the error says which option to set', async () => {
	const file = () => `https://example.com/?signature=${Math.random()}`;
	const service = ({ page }: Query) => [{ id: Math.min(Number(page), 3), file: file() }];
	const { pages, error } = await readAll(paginated({ type: 'pageNumber' }), service);
	expect(pages).toHaveLength(3);
	expect(error).toMatchObject({
		message: 'Pagination: page 4 holds the same items as an earlier one',
		details: { description: expect.stringContaining('Repeated Page') as string },
	});
	const values = { type: 'pageNumber', endOfList: 'repeatedPage' };
	const repeated = await readAll(paginated(values), service);
	expect(repeated).toMatchObject({ pages: [[{ id: 1 }], [{ id: 2 }], [{ id: 3 }]] });
});

test.each<[string, (count: number) => object]>([
	['a signature', (count) => ({ photo: `https://example.com/1?X-Amz-Signature=${count}&size=1` })],
	['a time in milliseconds', (count) => ({ viewedAt: Date.now() + count })],
	['a time in seconds', (count) => ({ viewedAt: Math.floor(Date.now() / 1000) - count })],
	['its place in a list', (count) => ({ items: [], skip: count, limit: 1 })],
])('a repeated page without IDs is recognized, although it has %s', async (_, volatile) => {
	const { queries, error } = await readAll(paginated({ type: 'offset' }), (__, count) =>
		count === 9 ? [] : [{ contactId: 1, ...volatile(count) }],
	);
	expect(queries).toHaveLength(2);
	expect(String(error)).toContain('holds the same items');
});

test('pages are not taken for the same because of addresses that are alike', async () => {
	const distinct = await readAll(paginated({ type: 'pageNumber' }), (_, count) =>
		count === 2 ? [] : [{ photo: `https://example.com/?photo=${count}&token=a` }],
	);
	expect(distinct.pages).toHaveLength(2);
});

test('pages with lists as objects are compared by their records, not by their indexes', async () => {
	const service = ({ page }: Query) => ({
		contacts: Number(page) > 2 ? {} : { 0: { number: `${page}a` }, 1: { number: `${page}b` } },
	});
	for (const endOfList of ['emptyPage', 'repeatedPage']) {
		const settings = { ...paginated({ type: 'pageNumber', endOfList }), itemsField: 'contacts.*' };
		const { pages, error } = await readAll(settings, service);
		const records = ['1a', '1b', '2a', '2b'].map((number) => ({ number }));
		expect({ records: pages.flat(), error }).toEqual({ records, error: undefined });
	}
});

test.each(['N', 'no', 'False', ' 0 ', null])('the flag %j ends the list', async (more) => {
	const values = { type: 'pageNumber', endOfList: 'hasMoreField', hasMoreField: 'more' };
	const { queries } = await readAll(paginated(values), ({ page }) => ({
		items: [Number(page)],
		more: page === '2' ? more : 'Y',
	}));
	expect(queries).toHaveLength(2);
});

const NEXT = { rel: 'next', href: '?page=2' };
test.each<[string, unknown[], unknown[] | undefined, string?]>([
	['is found among links', [{ rel: 'self', href: '/a' }, NEXT], []],
	[
		'is found by one of two relations',
		[{ ...NEXT, rel: ['up', 'next'] }],
		[{ rel: 'up', href: '/' }],
	],
	['is found in a link, and is missing at the end', [NEXT], undefined],
	['is refused in a list without links', [{ href: '?page=2' }], [], 'is not an address'],
])('the address of the next page %s', async (_, first, last, problem = 'undefined') => {
	const options = paginated({ type: 'nextUrl', nextUrlField: 'links' });
	const { queries, error } = await readAll(options, (_query, count) =>
		count === 0 ? { items: [1], links: first } : { items: [2], links: last },
	);
	expect(String(error)).toContain(problem);
	expect(queries).toHaveLength(problem === 'undefined' ? 2 : 1);
});

const MASK = '*'.repeat(64);
const OPEN = { filter: 'open' };
test.each<[string, path: string, query: Query, own?: Query]>([
	['?page=2', '/list', { page: '2', ...OPEN }, OPEN],
	['?filter=new&page=2', '/list', { page: '2', filter: 'new' }, OPEN],
	['https://example.com//list?page=2', '//list', { page: '2' }],
	// A key in an address reaches the node masked.
	[`/list?api_key=${MASK}&page=2`, '/list', { page: '2' }],
	[`?apiKey=abc&page=2&token=${MASK}`, '/list', { page: '2' }],
])(
	"the next address %s is followed with the user's parameters, without its key",
	async (...row) => {
		const [next, path, query, own = {}] = row;
		const options = paginated({ type: 'nextUrl', nextUrlField: 'next' });
		const pages = [{ items: [1], next }, { items: [2] }];
		const { paths, queries, error } = await readAll(options, (_, count) => pages[count], own);
		expect({ paths, queries, error }).toEqual({ paths: ['/list', path], queries: [own, query] });
	},
);
