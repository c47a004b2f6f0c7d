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

const paged = (type: string, more: object = {}) => ({
	...{ pagination: { values: { type, pageSize: 3 } }, maxDeletionPercent: 100 },
	...more,
});

/** A trigger for a list that is split in this way, which has been read once. */
async function begin(type: string, list: Contact[] = TEN) {
	const state = { list };
	bench.service.response = (query) => pageOf(state.list, query);
	const { poll, staticData } = bench.trigger({ options: paged(type) });
	expect(await poll()).toEqual([]);
	return { state, staticData, poll: async () => inWords(await poll()) };
}

type State = Awaited<ReturnType<typeof begin>>['state'];

/** Responds to the n-th request (from 1) of the next poll in another way. */
function fault(state: State, number: number, body: (response: ServerResponse) => unknown) {
	const before = bench.service.queries.length;
	bench.service.response = (query, response) => {
		const isHit = bench.service.queries.length - before === number;
		return isHit ? body(response) : pageOf(state.list, query);
	};
}

/** Changes the list behind the n-th response (from 1) of the next poll. */
function changeBehind(state: State, number: number, list: Contact[]) {
	const before = bench.service.queries.length;
	bench.service.response = (query) => {
		const response = pageOf(state.list, query);
		if (bench.service.queries.length - before === number) state.list = list;
		return response;
	};
}

const emptyBody = (response: ServerResponse) => void response.end();
const FAILURE = { contacts: [], success: false, message: 'Try again' };

type Row = [what: string, page: number, body: (response: ServerResponse) => unknown, words: string];
const rows = (what: string, pages: number[], body: Row[2], words: string) =>
	pages.map((page): Row => [what, page, body, words]);

describe.each(KINDS)('by %s', (type) => {
	const isCursor = type === 'cursor';
	const EMPTY = isCursor ? 'had no records, although' : 'had no records, although more followed';
	test.each([
		...rows('an empty body', [2, 3, 4], emptyBody, 'was empty'),
		...rows('no list', [2, 3], () => ({ a: 1 }), 'was no list'),
		...rows('a failure', [1, 2], () => FAILURE, 'holds what looks like a failure'),
		// With a cursor, nothing tells an empty first page from an empty list.
		...rows('an empty list', isCursor ? [2, 3] : [1, 2, 3], () => ({ contacts: [] }), EMPTY),
	])('%s as page %i deletes nothing, however often', async (_, page, body, words) => {
		const { state, poll } = await begin(type);
		for (let times = 0; times < 6; times++) {
			fault(state, page, body);
			expect(await poll()).toEqual([]);
		}
		expect(bench.logged()).toContain(`page ${page} ${words}`);
		state.list = TEN.slice(0, 3);
		expect(await poll()).toEqual([]);
		expect(await poll()).toHaveLength(7);
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

	test.each<[string, Contact[]]>([
		['contactDeleted 1', TEN.slice(1)],
		['contactCreated 0', [{ id: 0 }, ...TEN]],
	])(
		'%s, whichever page it happens behind, is told once and takes no other along',
		async (event, list) => {
			for (const number of [1, 2, 3, 4]) {
				const { state, poll } = await begin(type);
				changeBehind(state, number, list);
				expect([await poll(), await poll(), await poll()].flat()).toEqual([event]);
			}
		},
	);

	test('deletions are told after two reads, also when others follow each time', async () => {
		const { state, poll } = await begin(type);
		for (let id = 1; id < 8; id++) {
			state.list = TEN.slice(id);
			expect(await poll()).toEqual(id === 1 ? [] : [`contactDeleted ${id - 1}`]);
		}
	});
});

const SHORTER = 'a page before page 3 was shorter than the first one';
test.each([
	['pageNumber', contacts(4), SHORTER],
	['cursor', contacts(4), SHORTER],
	['pageNumber', contacts(4, 5, 8, 9), 'page 2 was longer than the first one'],
])(
	'by %s, page %j, where the first one had three: the read is not complete',
	async (type, page, words) => {
		const { state, poll } = await begin(type);
		for (let times = 0; times < 6; times++) {
			fault(state, 2, () => ({ contacts: page, nextCursor: '6' }));
			expect(await poll()).toEqual([]);
		}
		expect(bench.logged()).toContain(words);
	},
);

test('where cursor pages were never even, all is told', async () => {
	const all = [...TEN];
	const starts = [0, 3, 4, 8];
	bench.service.response = ({ cursor }) => {
		const index = Number(cursor ?? 0);
		const next = index + 1 < starts.length ? { nextCursor: String(index + 1) } : {};
		return { contacts: all.slice(starts[index], starts[index + 1]), ...next };
	};
	const { poll } = bench.trigger({ options: paged('cursor') });
	await poll();
	all.push({ id: 11 });
	expect(inWords(await poll())).toEqual(['contactCreated 11']);
	all.pop();
	expect([await poll(), inWords(await poll())]).toEqual([[], ['contactDeleted 11']]);
});

const ENDS: Array<[string, (response: ServerResponse) => unknown]> = [
	['nothing at all', (response) => void response.writeHead(204).end()],
	['what looks like a failure', () => ({ contacts: [], error: 'There is no such page' })],
	['a page that was announced and has nothing', () => ({ contacts: [] })],
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
		const { poll } = bench.trigger({ options: paged(type) });
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

describe('a total in the responses', () => {
	/** A trigger that has read ten contacts. Whatever is lost by then, the service goes on to count. */
	const responses = async (
		more: (length: number) => object,
		headers: Record<string, string> = {},
	) => {
		const state = { list: TEN, lost: 0 };
		bench.service.response = (query, response) => {
			for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
			const { length } = state.list;
			return { ...pageOf(state.list.slice(0, length - state.lost), query), ...more(length) };
		};
		const { poll } = bench.trigger({ options: paged('pageNumber') });
		await poll();
		return { state, poll: async () => inWords(await poll()) };
	};

	test('that is larger than what came makes the read incomplete', async () => {
		const { state, poll } = await responses((total) => ({ meta: { total } }));
		state.lost = 4;
		for (let times = 0; times < 6; times++) expect(await poll()).toEqual([]);
		expect(bench.logged()).toContain('6 of 10 records came');
		state.lost = 0;
		expect([await poll(), await poll()]).toEqual([[], []]);
		state.list = TEN.slice(1);
		expect([await poll(), await poll()]).toEqual([[], ['contactDeleted 1']]);
	});

	test.each<[(length: number) => object, boolean, Record<string, string>?]>([
		[() => ({ count: 10 }), true],
		[() => ({ subtotal: 10, totalAmount: 10, countries: 10 }), false],
		[() => ({ total: '10' }), true],
		[() => ({ response: { '@TotalResources': 10 } }), true],
		[(numberOfElements) => ({ numberOfElements, totalElements: 10 }), true],
		[() => ({}), true, { 'x-total-count': '10' }],
		// It has never been their number.
		[() => ({ total: 12_000 }), false],
	])('stands in %p: %s', async (more, isTotal, headers = {}) => {
		const { state, poll } = await responses(more, headers);
		state.list = TEN.slice(1);
		expect([await poll(), await poll()]).toEqual([[], isTotal ? [] : ['contactDeleted 1']]);
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
	// Contact 1 is changed, and moves behind the others.
	changeBehind(state, 2, [...TEN.slice(1), { id: 1, name: 'new' }]);
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
		// From the unread part of the list to the part that was read; page 2 shows contact 3 again, page 3 nothing new.
		changeBehind(state, 1, [{ id: 10 }, ...TEN.slice(0, 9)]);
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
	const { poll } = bench.trigger({ options: paged('offset') });
	fault(state, 2, emptyBody);
	expect([await poll(), await poll()]).toEqual([[], []]);
	state.list = [...TEN, { id: 11 }];
	expect(inWords(await poll())).toEqual(['contactCreated 11']);
});

test('a service that ignores the page is an error', async () => {
	bench.service.response = () => contacts(1, 2);
	const { poll } = bench.trigger({ options: paged('pageNumber') });
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
