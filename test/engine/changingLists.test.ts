// Lists whose shape changes from one response to the next: nothing is lost, and nothing is reported that has not happened.

import type { INodeParameters } from 'n8n-workflow';

import { hintsOf, itemsOf, NODE } from '../support/bench';
import { workflowOf } from '../support/engineWorkflow';
import { pages, read } from '../support/parameters';
import { inWords, useTriggerBench } from '../support/triggerBench';

const bench = useTriggerBench();

type Page = (page: number) => unknown;
const respond = (page: Page) =>
	(bench.service.response = ({ page: number }) => page(Number(number ?? 1)));
const records = (...ids: number[]) => ids.map((id) => ({ id }));
const NUMBERED = pages('pageNumber', { pageSizeParameter: '' });
const REPEATED = pages('pageNumber', { pageSizeParameter: '', endOfList: 'repeatedPage' });

async function readAll(options: INodeParameters) {
	const keys = { key: bench.credential() };
	return await bench.engine.run(workflowOf(itemsOf(1), read(options)), keys);
}

describe('by Get Many', () => {
	const withIds = (name: string, ...ids: number[]) => ids.map((id) => ({ [name]: id, at: now() }));
	let responses = 0;
	const now = () => new Date(Date.now() + ++responses).toISOString();

	test.each<[string, INodeParameters, Page, number]>([
		[
			'a record alone on the last page that has a list in it',
			{ itemsField: 'invoices', ...NUMBERED },
			(page) => ({
				invoices: page === 1 ? records(1, 2) : page === 2 ? { id: 3, lines: records(8, 9) } : [],
			}),
			3,
		],
		[
			'records by their numbers on the last page',
			NUMBERED,
			(page) => ({
				customers: page === 1 ? records(1, 2) : page === 2 ? { 2: { id: 3 }, 3: { id: 4 } } : [],
			}),
			4,
		],
		[
			'a record alone where a bare list was',
			NUMBERED,
			(page) => (page === 1 ? records(1, 2) : page === 2 ? { id: 3, lines: records(8, 9) } : []),
			3,
		],
		[
			'no record, and how they are sorted',
			{},
			() => ({ total: 0, sort: [{ property: 'name' }] }),
			0,
		],
		['no record, and a message', {}, () => ({ count: 0, messages: [{ text: 'none found' }] }), 0],
		[
			'no change in a feed of changes',
			{ itemsField: 'CDCResponse.*.QueryResponse.*.Customer' },
			() => ({ CDCResponse: [{ QueryResponse: [{}] }], time: '2026-03-13T10:24:05-07:00' }),
			0,
		],
		['no record, and another list', {}, () => ({ contacts: [], countries: [{ code: 'DE' }] }), 0],
		['no record, and sums', {}, () => ({ rows: [], totals: [{ amount: 0 }] }), 0],
		['two lists', {}, () => ({ countries: [{ code: 'DE' }], contacts: records(1, 2) }), 2],
		[
			'a record alone that has a list in it',
			{},
			() => ({ contact: { id: 1, emails: records(8, 9) } }),
			1,
		],
		...['ContactID', 'hash_id', 'customerNumber', '$key'].map(
			(name): [string, INodeParameters, Page, number] => [
				`the last page again and again, with ${name}`,
				REPEATED,
				(page) => ({ contacts: withIds(name, ...(page === 1 ? [1, 2] : [3, 4])) }),
				4,
			],
		),
	])('%s', async (_, options, page, count) => {
		respond(page);
		const result = await readAll(options);
		expect(result.run.data.resultData.error?.message).toBeUndefined();
		expect(result.items(NODE)).toHaveLength(count);
		expect(hintsOf(result)).toEqual([]);
	});

	test.each<[string, string]>([
		['Fiken-Api-Result-Count', '5'],
		['X-Pages-TotalPages', '2'],
		['X-Pages-HasMore', 'true'],
		['Content-Range', 'items 0-2/5'],
		['X-Pagination', '{"TotalCount":5}'],
	])('the header %s with %s says that there is more', async (name, value) => {
		bench.service.response = (_, response) => {
			response.setHeader(name, value);
			return records(1, 2, 3);
		};
		expect(hintsOf(await readAll({})).join()).toMatch(/3 items( of 5)?.* were read/);
	});
});

describe('by the trigger', () => {
	const OPTIONS = { options: NUMBERED };

	/** What each of the polls reports, in words, or why it fails. */
	async function pollEach(trigger: ReturnType<typeof bench.trigger>, responses: Page[]) {
		const all: unknown[] = [];
		for (const page of responses) {
			respond(page);
			all.push(await trigger.poll().then(inWords, (error: Error) => error.message));
		}
		return all;
	}

	const client = (id: number) => ({ id, contacts: records(10 * id, 10 * id + 1) });
	const both = { clients: { client: [client(1), client(2)] } };
	const one = { clients: { client: client(1) } };
	const some = { contacts: records(1, 2), count: 2 };
	const suggestions = records(8, 9);
	const links = [{ id: 'self', rel: 'self' }];
	const unlisted = { count: 0, links };
	const noPage = { contacts: null, page: 1, next: null };
	const deleted = [[], [], ['contactDeleted 1', 'contactDeleted 2']];
	const fails = (words: string) => expect.stringContaining(words) as unknown;
	test.each<[string, bodies: unknown[], reported: unknown[]]>([
		[
			'a list of one that becomes the record itself',
			[both, both, one, one, both],
			[[], [], [], ['contactDeleted 2'], ['contactCreated 2']],
		],
		[
			'an empty list, with suggestions beside it',
			[{ rows: records(1, 2) }, { rows: [], suggestions }, { rows: [], suggestions }],
			deleted,
		],
		[
			'a list that comes where only suggestions were, but has the name of the path',
			[
				{ contacts: [], suggestions },
				{ contacts: records(1), suggestions },
			],
			[[], ['contactCreated 1']],
		],
		[
			'the first record alone, which has a list in it',
			[{ contact: client(1) }, { contact: [client(1), client(2)] }],
			[[], ['contactCreated 2']],
		],
		['no list, with addresses beside it', [some, unlisted, unlisted], deleted],
		['null, beside the page', [some, noPage, noPage], deleted],
		[
			// The last one does not say that there are none.
			'contacts that come where only addresses were',
			[{ links }, { contacts: records(1, 2), links }, { links }],
			[[], ['contactCreated 1', 'contactCreated 2'], fails('there is no list at "contacts"')],
		],
		[
			'a second list beside the first: a person must choose',
			[
				{ rows: [], suggestions },
				{ rows: records(2), suggestions },
			],
			[[], fails('several lists')],
		],
	])('%s', async (_, bodies, reported) => {
		const responses = bodies.map((body) => () => body);
		expect(await pollEach(bench.trigger(), responses)).toEqual(reported);
	});

	const all = Array.from({ length: 30 }, (_, index) => index + 1);
	const pageOf = (page: number) => records(...all.slice(10 * page - 10, 10 * page));
	test.each<[string, unknown]>([
		['null', null],
		['a failure', { success: false, message: 'There is no page 4' }],
		['no list', { status: 'end' }],
	])('a page that fails with 200, where lists end with %s', async (_, end) => {
		const whole: Page = (page) => (page > 3 ? end : { data: pageOf(page) });
		const failing: Page = (page) =>
			page === 3 ? { success: false, message: 'Shard 3 is away' } : whole(page);
		const polls = [whole, whole, failing, failing, failing, whole];
		expect((await pollEach(bench.trigger(OPTIONS), polls)).flat()).toEqual([]);
		expect(bench.logged()).toContain('page 3 holds what looks like a failure');
	});

	test.each([[{ has_more: true }], [{ total: 4 }], [{ pages: 3 }]])(
		'a page that comes again, although it says %j',
		async (more) => {
			const trigger = bench.trigger({ options: REPEATED });
			// The service does not know the parameter. The newest records come first.
			const served = [[2, 1], [3, 2], ...Array.from({ length: 6 }, () => [4, 3])];
			const responses = served.map((ids) => () => ({ data: records(...ids), ...more }));
			expect((await pollEach(trigger, responses)).flat()).toEqual([]);
		},
	);

	test('a record on two pages in place of another one, again and again, of as many as there are', async () => {
		const served = (...parts: number[][]): Page => {
			return (page) => ({ total: 4, data: records(...(parts[page - 1] ?? [])) });
		};
		const overlapping = Array.from({ length: 8 }, () => served([1, 2], [2, 3]));
		const polls = [served([1, 2], [3, 4]), ...overlapping];
		expect((await pollEach(bench.trigger(OPTIONS), polls)).flat()).toEqual([]);
		expect(bench.logged()).toContain('3 of 4 records came');
	});

	test('a last page that comes again, whose records have an ID field of their own', async () => {
		let time = 0;
		const options = { ignoreFields: 'note', ...REPEATED };
		const trigger = bench.trigger({ idField: 'ContactID', options });
		respond((page) => ({
			data: (page === 1 ? [1, 2] : [3]).map((ContactID) => ({ ContactID, note: `n${time++}` })),
		}));
		expect(await trigger.poll()).toEqual([]);
		expect(await trigger.poll()).toEqual([]);
	});
});
