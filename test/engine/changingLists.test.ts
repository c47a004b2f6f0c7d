// Lists whose shape changes between responses: no record is lost, and no false event is emitted.

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

describe('Get Many', () => {
	const withIds = (name: string, ...ids: number[]) => ids.map((id) => ({ [name]: id, at: now() }));
	let responses = 0;
	const now = () => new Date(Date.now() + ++responses).toISOString();

	const TWO = records(1, 2);
	const LINED = { id: 3, lines: records(8, 9) };
	const INVOICES = { itemsField: 'invoices', ...NUMBERED };
	const FEED = { itemsField: 'CDCResponse.*.QueryResponse.*.Customer' };
	const NO_CHANGES = { CDCResponse: [{ QueryResponse: [{}] }], time: '2026-03-13T10:24:05-07:00' };
	const COUNTRIES = { countries: [{ code: 'DE' }] };
	/** These pages, and empty ones after them. */
	const paged =
		(...bodies: unknown[]): Page =>
		(page) =>
			bodies[page - 1] ?? {};

	test.each<[string, INodeParameters, Page, number]>([
		['a bare last record with a list', INVOICES, paged({ invoices: TWO }, { invoices: LINED }), 3],
		[
			'a last page that keys its records by number',
			NUMBERED,
			paged({ customers: TWO }, { customers: { 2: { id: 3 }, 3: { id: 4 } } }),
			4,
		],
		['a bare record in place of a bare list', NUMBERED, paged(TWO, LINED, []), 3],
		['no records beside a sort order', {}, paged({ total: 0, sort: [{ property: 'name' }] }), 0],
		['no records beside a message', {}, paged({ count: 0, messages: [{ text: 'none' }] }), 0],
		['a change feed without changes', FEED, paged(NO_CHANGES), 0],
		['no records, but countries', {}, paged({ contacts: [], ...COUNTRIES }), 0],
		['an empty list beside totals', {}, paged({ rows: [], totals: [{ amount: 0 }] }), 0],
		['one of two lists', {}, paged({ ...COUNTRIES, contacts: TWO }), 2],
		[
			'a bare record that holds a list',
			{},
			paged({ contact: { id: 1, emails: records(8, 9) } }),
			1,
		],
		...['ContactID', 'hash_id', 'customerNumber', '$key'].map(
			(name): [string, INodeParameters, Page, number] => [
				`a last page that repeats, with the ID field ${name}`,
				REPEATED,
				(page) => ({ contacts: withIds(name, ...(page === 1 ? [1, 2] : [3, 4])) }),
				4,
			],
		),
	])('reads %s', async (_, options, page, count) => {
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
	])('hints at more items if the response has %s: %s', async (name, value) => {
		bench.service.response = (_, response) => {
			response.setHeader(name, value);
			return records(1, 2, 3);
		};
		expect(hintsOf(await readAll({})).join()).toMatch(/3 items( of 5)?.* were read/);
	});
});

describe('the trigger', () => {
	const OPTIONS = { options: NUMBERED };

	/** The events of each poll in words, or its error. */
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
			'a list of one that turns into the bare record',
			[both, both, one, one, both],
			[[], [], [], ['contactDeleted 2'], ['contactCreated 2']],
		],
		[
			'an emptied list beside suggestions',
			[{ rows: records(1, 2) }, { rows: [], suggestions }, { rows: [], suggestions }],
			deleted,
		],
		[
			'a list named like the path that fills up beside suggestions',
			[
				{ contacts: [], suggestions },
				{ contacts: records(1), suggestions },
			],
			[[], ['contactCreated 1']],
		],
		[
			'a first record that is bare and holds a list',
			[{ contact: client(1) }, { contact: [client(1), client(2)] }],
			[[], ['contactCreated 2']],
		],
		['a missing list beside links', [some, unlisted, unlisted], deleted],
		['null in place of the list', [some, noPage, noPage], deleted],
		[
			// The last body does not say that the list is empty.
			'a list that appears where only links were',
			[{ links }, { contacts: records(1, 2), links }, { links }],
			[[], ['contactCreated 1', 'contactCreated 2'], fails('there is no list at "contacts"')],
		],
		[
			'a second list beside the first, which is an error',
			[
				{ rows: [], suggestions },
				{ rows: records(2), suggestions },
			],
			[[], fails('several lists')],
		],
	])('recognizes %s', async (_, bodies, reported) => {
		const responses = bodies.map((body) => () => body);
		expect(await pollEach(bench.trigger(), responses)).toEqual(reported);
	});

	const all = Array.from({ length: 30 }, (_, index) => index + 1);
	const pageOf = (page: number) => records(...all.slice(10 * page - 10, 10 * page));
	test.each<[string, unknown]>([
		['null', null],
		['a failure', { success: false, message: 'There is no page 4' }],
		['no list', { status: 'end' }],
	])('reports no deletion if a page fails with 200 and lists end with %s', async (_, end) => {
		const whole: Page = (page) => (page > 3 ? end : { data: pageOf(page) });
		const failing: Page = (page) =>
			page === 3 ? { success: false, message: 'Shard 3 is away' } : whole(page);
		const polls = [whole, whole, failing, failing, failing, whole];
		expect((await pollEach(bench.trigger(OPTIONS), polls)).flat()).toEqual([]);
		expect(bench.logged()).toContain('page 3 holds what looks like a failure');
	});

	test.each([[{ has_more: true }], [{ total: 4 }], [{ pages: 3 }]])(
		'emits nothing if a page repeats although it says %j',
		async (more) => {
			const trigger = bench.trigger({ options: REPEATED });
			// The service ignores the page parameter, and the newest records come first.
			const served = [[2, 1], [3, 2], ...Array.from({ length: 6 }, () => [4, 3])];
			const responses = served.map((ids) => () => ({ data: records(...ids), ...more }));
			expect((await pollEach(trigger, responses)).flat()).toEqual([]);
		},
	);

	test('reports no deletion while a record comes twice in place of another', async () => {
		const served = (...parts: number[][]): Page => {
			return (page) => ({ total: 4, data: records(...(parts[page - 1] ?? [])) });
		};
		const overlapping = Array.from({ length: 8 }, () => served([1, 2], [2, 3]));
		const polls = [served([1, 2], [3, 4]), ...overlapping];
		expect((await pollEach(bench.trigger(OPTIONS), polls)).flat()).toEqual([]);
		expect(bench.logged()).toContain('3 of 4 records came');
	});

	test('recognizes a repeated last page by the configured ID field', async () => {
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
