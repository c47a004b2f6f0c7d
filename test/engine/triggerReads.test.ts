// Only a complete read tells of deletions: faults on any page, and records that move while it lasts.

import type { ServerResponse } from 'node:http';

import { inWords, useTriggerBench } from '../support/triggerBench';

const bench = useTriggerBench();

interface Contact {
	id: number;
	name?: string;
}

const contacts = (...ids: number[]): Contact[] => ids.map((id) => ({ id }));
const TEN = contacts(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);

/** The page of a list that a query asks for, with three records per page. */
function pageOf(list: Contact[], query: Record<string, string | undefined>) {
	const { page, offset, cursor } = query;
	const start = page === undefined ? Number(offset ?? cursor ?? 0) : 3 * (Number(page) - 1);
	const next = start + 3 < list.length && offset === undefined && page === undefined;
	return {
		contacts: list.slice(start, start + 3),
		...(next ? { nextCursor: String(start + 3) } : {}),
	};
}

const KINDS = ['pageNumber', 'offset', 'cursor'];

/** A trigger for a list that is split in this way, which has been read once. */
async function begin(type: string, list: Contact[] = TEN) {
	const state = { list };
	bench.service.response = (query) => pageOf(state.list, query);
	const options = { pagination: { values: { type, pageSize: 3 } }, maxDeletionPercent: 100 };
	const { poll, staticData } = bench.trigger({ options });
	expect(await poll()).toEqual([]);
	return { state, staticData, poll: async () => inWords(await poll()) };
}

/** Responds to the n-th request (from 1) of the next poll in another way. */
function fault(
	list: { list: Contact[] },
	number: number,
	body: (response: ServerResponse) => unknown,
) {
	const before = bench.service.queries.length;
	bench.service.response = (query, response) => {
		const isHit = bench.service.queries.length - before === number;
		return isHit ? body(response) : pageOf(list.list, query);
	};
}

const DELETED_1 = { event: 'contactDeleted', contact: { id: 1 } };
const emptyBody = (response: ServerResponse) => void response.end();

describe.each(KINDS)('by %s', (type) => {
	test.each([2, 3, 4])('an empty body on page %i deletes nothing', async (number) => {
		const { state, poll } = await begin(type);
		for (let times = 0; times < 6; times++) {
			fault(state, number, emptyBody);
			expect(await poll()).toEqual([]);
		}
		expect(bench.logged()).toContain(`page ${number} was empty`);
	});

	test('what was read before it is told, and the rest when it is read', async () => {
		const { state, poll } = await begin(type);
		state.list = [...TEN.slice(0, 5), { id: 6, name: 'new' }, ...contacts(8, 9, 10, 11)];
		state.list[0] = { id: 1, name: 'new' };
		fault(state, 3, emptyBody);
		expect(await poll()).toEqual(['contactUpdated 1', 'contactUpdated 6']);
		expect(await poll()).toEqual(['contactCreated 11']);
		expect(await poll()).toEqual(['contactDeleted 7']);
	});

	test.each([2, 3])('something else than a list on page %i deletes nothing', async (number) => {
		const { state, poll } = await begin(type);
		for (let times = 0; times < 6; times++) {
			fault(state, number, () => ({ message: 'Try again' }));
			expect(await poll()).toEqual([]);
		}
		expect(bench.logged()).toContain(`page ${number} was no list`);
	});

	test.each([1, 2])('a failure with an empty list as page %i deletes nothing', async (number) => {
		const { state, poll } = await begin(type);
		for (let times = 0; times < 6; times++) {
			fault(state, number, () => ({ contacts: [], success: false, message: 'Try again' }));
			expect(await poll()).toEqual([]);
		}
		expect(bench.logged()).toContain(`page ${number} holds what looks like a failure`);
		state.list = TEN.slice(0, 3);
		bench.service.response = (query) => pageOf(state.list, query);
		expect([...(await poll()), ...(await poll())]).toHaveLength(7);
	});

	test.each([1, 2, 3])(
		'an empty list in place of page %i deletes nothing, however often',
		async (number) => {
			const { state, poll } = await begin(type);
			for (let times = 0; times < 6; times++) {
				// With a cursor, nothing tells an empty first page from an empty list.
				const isOnce = type === 'cursor' && number === 1;
				if (!isOnce || times === 0) fault(state, number, () => ({ contacts: [] }));
				expect(await poll()).toEqual([]);
			}
			if (type !== 'cursor') {
				expect(bench.logged()).toContain(`page ${number} had no records, although more followed`);
			}
			expect([await poll(), await poll()]).toEqual([[], []]);
			state.list = TEN.slice(0, 3);
			expect(await poll()).toEqual([]);
			expect(await poll()).toHaveLength(7);
		},
	);

	test('a contact that is deleted behind a page neither takes another one along nor stays', async () => {
		for (const number of [1, 2, 3, 4]) {
			const { state, poll } = await begin(type);
			const before = bench.service.queries.length;
			bench.service.response = (query) => {
				const response = pageOf(state.list, query);
				if (bench.service.queries.length - before === number) state.list = TEN.slice(1);
				return response;
			};
			const reported = [await poll(), await poll(), await poll()];
			expect(reported.flat()).toEqual(['contactDeleted 1']);
		}
	});

	test('a contact that comes in front behind a page is told once, and no other one', async () => {
		for (const number of [1, 2, 3, 4]) {
			const { state, poll } = await begin(type);
			const before = bench.service.queries.length;
			bench.service.response = (query) => {
				const response = pageOf(state.list, query);
				if (bench.service.queries.length - before === number) state.list = [{ id: 0 }, ...TEN];
				return response;
			};
			const reported = [await poll(), await poll(), await poll()];
			expect(reported.flat()).toEqual(['contactCreated 0']);
		}
	});

	test('deletions are told after two reads, also when others follow each time', async () => {
		const { state, poll } = await begin(type);
		for (let id = 1; id < 8; id++) {
			state.list = TEN.slice(id);
			expect(await poll()).toEqual(id === 1 ? [] : [`contactDeleted ${id - 1}`]);
		}
	});
});

test.each([
	['pageNumber', contacts(4), 'a page before page 3 was shorter'],
	['cursor', contacts(4), 'a page before page 3 was shorter'],
	['pageNumber', contacts(4, 5, 8, 9), 'page 2 was longer'],
])(
	'by %s, page %j, where the first one had three, makes the read incomplete',
	async (type, page, words) => {
		const { state, poll } = await begin(type);
		for (let times = 0; times < 6; times++) {
			fault(state, 2, () => ({ contacts: page, nextCursor: '6' }));
			expect(await poll()).toEqual([]);
		}
		expect(bench.logged()).toContain(`${words} than the first one`);
	},
);

test('where cursor pages were never even, all is told', async () => {
	const all = contacts(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	const starts = [0, 3, 4, 8];
	bench.service.response = ({ cursor }) => {
		const [index, list] = [Number(cursor ?? 0), all];
		const next = index + 1 < starts.length ? { nextCursor: String(index + 1) } : {};
		return { contacts: list.slice(starts[index], starts[index + 1]), ...next };
	};
	const { poll } = bench.trigger({ options: { pagination: { values: { type: 'cursor' } } } });
	await poll();
	all.push({ id: 11 });
	expect(inWords(await poll())).toEqual(['contactCreated 11']);
	all.pop();
	expect([await poll(), inWords(await poll())]).toEqual([[], ['contactDeleted 11']]);
});

const ENDS: Array<[string, (response: ServerResponse) => unknown]> = [
	['nothing at all', (response) => void response.writeHead(204).end()],
	['what looks like a failure', () => ({ contacts: [], error: 'There is no such page' })],
];

test.each(KINDS.flatMap((type) => ENDS.map(([what, end]) => [type, what, end] as const)))(
	'by %s, a list that always ends with %s is complete',
	async (type, _, end) => {
		const state = { list: TEN };
		bench.service.response = (query, response) => {
			const { contacts: page, nextCursor } = pageOf(state.list, query);
			if (page.length === 0) return end(response);
			const isLast = nextCursor === undefined && page.at(-1) === state.list.at(-1);
			return { contacts: page, nextCursor: isLast ? '99' : nextCursor };
		};
		const options = { pagination: { values: { type, pageSize: 3 } } };
		const { poll } = bench.trigger({ options });
		expect([await poll(), await poll()]).toEqual([[], []]);
		state.list = TEN.slice(1);
		expect([await poll(), inWords(await poll())]).toEqual([[], ['contactDeleted 1']]);
	},
);

test('by offset, nothing is passed over behind a page that ends early', async () => {
	const { state, poll } = await begin('offset');
	fault(state, 2, () => ({ contacts: contacts(4) }));
	state.list = TEN.slice(0, 9);
	expect([await poll(), await poll()]).toEqual([[], ['contactDeleted 10']]);
});

test('a page that was announced and has nothing makes the read incomplete', async () => {
	const { state, poll } = await begin('cursor');
	fault(state, 2, () => ({ contacts: [] }));
	expect(await poll()).toEqual([]);
	expect(bench.logged()).toContain(
		'page 2 had no records, although the page before had announced it',
	);
});

test('where lists always end with such a page, deletions are told all the same', async () => {
	const state = { list: TEN };
	bench.service.response = ({ cursor }) => {
		const page = state.list.slice(Number(cursor ?? 0), Number(cursor ?? 0) + 3);
		const nextCursor = String(Number(cursor ?? 0) + page.length);
		return { contacts: page, ...(page.length > 0 ? { nextCursor } : {}) };
	};
	const { poll } = bench.trigger({ options: { pagination: { values: { type: 'cursor' } } } });
	await poll();
	state.list = TEN.slice(1);
	expect(await poll()).toEqual([]);
	expect(inWords(await poll())).toEqual(['contactDeleted 1']);
});

describe('a total in the responses', () => {
	const responses = async (total: (length: number) => number) => {
		const state = { list: TEN, lost: 0 };
		bench.service.response = (query) => ({
			...pageOf(state.list.slice(0, state.list.length - state.lost), query),
			meta: { total: total(state.list.length) },
		});
		const pagination = { values: { type: 'pageNumber', pageSize: 3 } };
		const options = { pagination, maxDeletionPercent: 100 };
		const { poll } = bench.trigger({ options });
		await poll();
		return { state, poll: async () => inWords(await poll()) };
	};

	test('that is larger than what came makes the read incomplete', async () => {
		const { state, poll } = await responses((length) => length);
		state.lost = 4;
		for (let times = 0; times < 6; times++) expect(await poll()).toEqual([]);
		expect(bench.logged()).toContain('6 of 10 records came');
		state.lost = 0;
		expect([await poll(), await poll()]).toEqual([[], []]);
		state.list = TEN.slice(1);
		expect([await poll(), await poll()]).toEqual([[], ['contactDeleted 1']]);
	});

	test('that counts records which are marked as deleted is their number', async () => {
		const state = { list: contacts(1, 2, 3, 4) };
		bench.service.response = () => ({
			contacts: [...state.list, { id: 9, name: 'gone' }],
			total: state.list.length + 1,
		});
		const deletedWhen = { values: { field: 'name', value: 'gone' } };
		const { poll } = bench.trigger({ options: { deletedWhen } });
		await poll();
		state.list = contacts(1, 2, 3);
		expect([await poll(), inWords(await poll())]).toEqual([[], ['contactDeleted 4']]);
		bench.service.response = () => ({ contacts: contacts(1, 2), total: 4 });
		expect([await poll(), await poll()]).toEqual([[], []]);
		expect(bench.logged()).toContain('2 of 4 records came');
	});

	test.each([
		['count', true],
		['Total', true],
		['totalCount', true],
		['total_results', true],
		['subtotal', false],
		['totals', false],
		['totalAmount', false],
		['countries', false],
	])('may be called %s: %s', async (name, isTotal) => {
		const state = { list: TEN };
		bench.service.response = () => ({ contacts: state.list, [name]: 10 });
		const { poll } = bench.trigger();
		await poll();
		state.list = TEN.slice(1);
		expect([await poll(), await poll()]).toEqual([[], isTotal ? [] : [DELETED_1]]);
	});

	test.each<[string, (length: number) => object, Record<string, string>]>([
		['a text', () => ({ total: '3' }), {}],
		['MetaInformation.@TotalResources', () => ({ MetaInformation: { '@TotalResources': 3 } }), {}],
		['response.result.total', () => ({ response: { result: { total: 3 } } }), {}],
		['beside the length', (numberOfElements) => ({ numberOfElements, totalElements: 3 }), {}],
		['a header', () => ({}), { 'x-total-count': '3' }],
	])('may stand elsewhere: %s', async (_, body, headers) => {
		const state = { list: contacts(1, 2, 3) };
		bench.service.response = (__, response) => {
			for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
			return { contacts: state.list, pages: 1, ...body(state.list.length) };
		};
		const values = { type: 'pageNumber', endOfList: 'totalPages', totalPagesField: 'pages' };
		const { poll } = bench.trigger({ options: { pagination: { values } } });
		await poll();
		state.list = contacts(1, 2);
		for (let times = 0; times < 6; times++) expect(await poll()).toEqual([]);
	});

	test('that has never been their number means nothing', async () => {
		const { state, poll } = await responses(() => 12_000);
		state.list = TEN.slice(1);
		expect([await poll(), await poll()]).toEqual([[], ['contactDeleted 1']]);
	});
});

test('a comma behind the last mark of a deletion makes no mark of an empty value', async () => {
	let name = 'one';
	bench.service.response = () => [{ id: 1, name }];
	const deletedWhen = { values: { field: 'name', value: 'gone, ' } };
	const { poll } = bench.trigger({ options: { deletedWhen } });
	await poll();
	name = '';
	expect(inWords(await poll())).toEqual(['contactUpdated 1']);
});

test('a contact that came twice with different content is told once, and deletions wait', async () => {
	const { state, poll } = await begin('offset');
	const before = bench.service.queries.length;
	bench.service.response = (query) => {
		const response = pageOf(state.list, query);
		// Contact 1 is changed, and moves behind the others.
		if (bench.service.queries.length - before === 2) {
			state.list = [...TEN.slice(1), { id: 1, name: 'new' }];
		}
		return response;
	};
	expect(await poll()).toEqual([]);
	expect(bench.logged()).toContain('a record came twice with different content');
	expect([await poll(), await poll()]).toEqual([['contactUpdated 1'], []]);
});

test('a contact that comes twice on a page has not moved, so that deletions wait no longer', async () => {
	const { state, poll } = await begin('pageNumber', contacts(1, 1, 2, 3, 4, 5));
	state.list = contacts(1, 1, 2, 3, 4);
	expect([await poll(), await poll()]).toEqual([[], ['contactDeleted 5']]);
});

test.each([
	['a next cursor', { nextCursor: 'b' }, 'nextCursor'],
	['a flag', { hasMore: true }, 'hasMore'],
	['a total', { total: '40' }, 'total'],
	['a number of pages', { meta: { total_pages: 4 } }, 'meta.total_pages'],
])('%s that no Pagination follows makes the read incomplete', async (_, more, field) => {
	bench.service.response = () => ({ contacts: TEN, ...more });
	const { poll } = bench.trigger();
	await poll();
	bench.service.response = () => ({ contacts: TEN.slice(1), ...more });
	expect([await poll(), await poll()]).toEqual([[], []]);
	expect(bench.logged()).toContain(
		`Deletions wait, because the list was not read in full: the service says that there is more (${field})`,
	);
});

describe('an ID that comes twice with different content', () => {
	const one = { id: 1, name: 'one' };
	const other = { id: 1, name: 'other' };
	const service = (...pages: Contact[][]) => {
		const state = { pages };
		bench.service.response = ({ page }) => state.pages[Number(page) - 1] ?? [];
		return { state, options: { pagination: { values: { type: 'pageNumber' } } } };
	};

	test.each<[string, ...Contact[][]]>([
		['on one page', [one, other]],
		['on two pages', [one], [other]],
		['in another order each time', [other], [one]],
	])('%s is told once, with a line in the log', async (_, ...pages) => {
		const { state, options } = service(contacts(2));
		const { poll } = bench.trigger({ options });
		await poll();
		state.pages = pages;
		expect(inWords(await poll())).toEqual(['contactCreated 1']);
		for (let times = 0; times < 4; times++) {
			state.pages.reverse();
			expect(await poll()).toEqual([]);
		}
		expect(bench.logged()).toContain('came twice with different content (ID 1)');
	});

	test('still tells a change of the first one, and when only the other one is left', async () => {
		const { state, options } = service([one], [other]);
		const { poll } = bench.trigger({ options });
		await poll();
		state.pages = [[{ ...one, name: 'third' }], [other]];
		expect(inWords(await poll())).toEqual(['contactUpdated 1']);
		expect(await poll()).toEqual([]);
		state.pages = [[other]];
		expect([await poll(), await poll()]).toEqual([
			[{ event: 'contactUpdated', contact: other }],
			[],
		]);
	});
});

test('a contact that slips past two reads in the same way was not deleted', async () => {
	const { state, poll } = await begin('offset');
	for (const pollNumber of [1, 2, 3]) {
		state.list = TEN;
		const before = bench.service.queries.length;
		bench.service.response = (query) => {
			const response = pageOf(state.list, query);
			// From the unread part of the list to the part that was read; page 2 shows contact 3 again, page 3 nothing
			// new.
			const isFirstPage = bench.service.queries.length - before === 1;
			if (isFirstPage) state.list = [{ id: 10 }, ...TEN.slice(0, 9)];
			return response;
		};
		expect([pollNumber, await poll()]).toEqual([pollNumber, []]);
	}
});

describe.each(['pageNumber', 'offset'])('by %s, behind the page after the last one', (type) => {
	test.each([
		[404, true],
		[400, true],
		[416, true],
		[500, false],
		[403, false],
	])('a %i: deletions are reported: %p', async (status, isReported) => {
		const { state, poll } = await begin(type);
		state.list = [{ id: 1, name: 'new' }, ...contacts(2, 3, 4, 5, 6)];
		const { response: list } = bench.service;
		bench.service.response = (query, response) => {
			if (Number(query.page ?? 0) < 4 && Number(query.offset ?? 0) < 9)
				return list(query, response);
			response.statusCode = status;
			return {};
		};
		expect(await poll()).toEqual(['contactUpdated 1']);
		expect(await poll()).toHaveLength(isReported ? 4 : 0);
		expect(bench.logged().includes('page 4 could not be read')).toBe(!isReported);
	});
});

test('a first poll that is cut short does not take the rest for new', async () => {
	const state = { list: TEN };
	const { poll } = bench.trigger({
		options: { pagination: { values: { type: 'offset', pageSize: 3 } } },
	});
	fault(state, 2, emptyBody);
	expect([await poll(), await poll()]).toEqual([[], []]);
	state.list = [...TEN, { id: 11 }];
	expect(inWords(await poll())).toEqual(['contactCreated 11']);
});

test('a service that ignores the page is an error', async () => {
	bench.service.response = () => contacts(1, 2);
	const { poll } = bench.trigger({ options: { pagination: { values: { type: 'pageNumber' } } } });
	await expect(poll()).rejects.toThrow('holds the same items as an earlier one');
});

test.each([2, 3])(
	'when page %i cannot be read, the poll fails and nothing is changed',
	async (number) => {
		const { state, staticData, poll } = await begin('cursor');
		const before = JSON.stringify(staticData);
		state.list = TEN.slice(1);
		fault(state, number, (response) => {
			response.statusCode = 403;
			return { message: 'Not for you' };
		});
		await expect(poll()).rejects.toThrow('403');
		expect(JSON.stringify(staticData)).toBe(before);
		expect([await poll(), await poll()]).toEqual([[], ['contactDeleted 1']]);
	},
);
