// What the trigger remembers belongs to its poll settings, survives a restart, and is changed by one poll at a time.

import type { IDataObject, INode } from 'n8n-workflow';

import { after } from '../support/logicalTime';
import { headers, incremental, pages, query } from '../support/parameters';
import { inWords, MEMORY, remembered, useTriggerBench } from '../support/triggerBench';

const bench = useTriggerBench();

const list = (count: number, from = 1) =>
	Array.from({ length: count }, (_, index) => ({
		id: index + from,
		data: { number: `N${index + from}` },
	}));
const copyOf = (data: IDataObject) => JSON.parse(JSON.stringify(data)) as IDataObject;

/** The saved state of a trigger after its first poll. */
async function memoryOf(parameters: Record<string, unknown> = {}): Promise<IDataObject> {
	const { poll, staticData } = bench.trigger(parameters);
	await poll();
	return copyOf(staticData);
}

beforeEach(() => {
	bench.service.response = () => ({ contacts: list(3) });
});

const TENANT = { name: 'X-Tenant', value: 'acme' };

describe('changed poll settings', () => {
	const OTHER_KEY = 'fedcba9876543210'.repeat(4);

	const OTHER_CREDENTIAL = { businessDataApi: { id: 'other', name: 'key' } };
	const BUSINESS = 'the credential or its base URL';
	const ofService = () => bench.service.baseUrl;

	test.each<[string, string, Record<string, unknown>, () => object]>([
		['another credential', BUSINESS, {}, () => ({ settings: { credentials: OTHER_CREDENTIAL } })],
		['another base URL', BUSINESS, {}, () => ({ credential: { baseUrl: `${ofService()}/v2` } })],
		['another ID field', 'the ID field', { idField: 'data.number' }, () => ({})],
		['another items field', 'the items field', { options: { itemsField: 'contacts' } }, () => ({})],
		['another constant query', 'the query', { options: query('status', 'open') }, () => ({})],
		['another constant header', 'the headers', { options: headers(TENANT) }, () => ({})],
		[
			'another source',
			'the source',
			{ source: 'endpoint', path: '/list', events: ['recordCreated', 'recordDeleted'] },
			() => ({}),
		],
	])('make a first poll and a log line: %s', async (_, word, parameters, more) => {
		const staticData = await memoryOf();
		expect(bench.logged()).not.toContain('changed');
		const other = bench.trigger(parameters, { ...more(), staticData });
		expect(await other.pollList({ contacts: list(3, 11) })).toEqual([]);
		const records = parameters.source === undefined ? 'contacts' : 'records';
		expect(bench.logged()).toContain(
			`This is a first poll, because ${word} changed: the ${records} are remembered, and nothing is emitted`,
		);

		expect(inWords(await other.pollList({ contacts: list(4, 11) }))).toEqual([
			expect.stringMatching(/Created 14$/),
		]);
		const { poll } = bench.trigger({}, { staticData: copyOf(other.staticData) });
		expect(await poll()).toEqual([]);
	});

	test('emit everything with Emit Existing', async () => {
		const staticData = await memoryOf();
		const options = { emitExisting: true, ...query('status', 'open') };
		expect(await bench.trigger({ options }, { staticData }).poll()).toHaveLength(3);
		expect(bench.logged()).toContain('because the query changed: the contacts are all new');
	});

	test('do not include an expression with another value in each poll', async () => {
		const parameters = { options: query('since', '={{ $now.toMillis() }}') };
		const staticData = await memoryOf(parameters);
		await after(1);
		const { pollList } = bench.trigger(parameters, { staticData });
		expect(inWords(await pollList({ contacts: list(4) }))).toEqual(['contactCreated 4']);
		expect(bench.service.queries[0]).not.toEqual(bench.service.queries[1]);
	});

	test.each([
		['header', { value: 'other' }, true],
		['header', {}, false],
		['query', { value: 'other' }, true],
		['query', { name: 'x-tenant' }, true],
		['query', {}, false],
	])('start over for one %s of two changed by %j: %s', async (part, changed, isOther) => {
		const LANGUAGE = { name: 'Accept-Language', value: 'de' };
		const withEntries = (...parameters: Array<typeof TENANT>) => ({
			options: { [`${part}Parameters`]: { parameters } },
		});
		const staticData = await memoryOf(withEntries(TENANT, LANGUAGE));
		// In reverse order, which makes no difference.
		const parameters = withEntries(LANGUAGE, { ...TENANT, ...changed });
		const events = await bench.trigger(parameters, { staticData }).pollList({ contacts: list(4) });
		expect(inWords(events)).toEqual(isOther ? [] : ['contactCreated 4']);
		expect(bench.logged().includes('changed')).toBe(isOther);
	});

	const EDITED = { ...pages('offset', { pageSize: 50 }), timeout: 5, ...incremental() };
	test.each([
		['key for the same business', {}, { credential: { apiKey: OTHER_KEY } }],
		[
			'page size, timeout, Incremental or choice of events',
			{ events: ['contactCreated'], options: EDITED },
			{},
		],
	])('do not start over for another %s', async (_, parameters, more) => {
		const staticData = await memoryOf();
		bench.service.response = ({ offset = '0' }) => ({ contacts: offset === '0' ? list(4) : [] });
		const { poll } = bench.trigger(parameters, { ...more, staticData });
		expect(inWords(await poll())).toEqual(['contactCreated 4']);
	});

	test('do not emit the records on later pages once Pagination is set up', async () => {
		let count = 8;
		bench.service.response = ({ page = '1' }) => list(count).slice(3 * +page - 3, 3 * +page);
		const staticData = await memoryOf();
		const { poll } = bench.trigger({ options: pages('pageNumber') }, { staticData });
		expect(await poll()).toEqual([]);
		count = 9;
		expect(inWords(await poll())).toEqual(['contactCreated 9']);
	});

	test('emit new records on a second page as created after an edit of Incremental', async () => {
		let count = 3;
		bench.service.response = ({ page = '1' }) => ({
			contacts: list(count).slice(3 * +page - 3, 3 * +page),
			has_more: count > 3 * +page,
		});
		const staticData = {};
		const paginated = pages('pageNumber', { endOfList: 'hasMoreField' });
		const options = { ...incremental(), ...paginated };
		expect(await bench.trigger({ options }, { staticData }).poll()).toEqual([]);
		count = 4;
		const { poll } = bench.trigger({ options: paginated }, { staticData });
		expect(inWords(await poll())).toEqual(['contactCreated 4']);
	});

	test('emit older records as updated, not created, once Pagination joins Incremental', async () => {
		let edited = 0;
		bench.service.response = ({ page = '1', since }) => {
			const all = list(8).map((one, index) =>
				index + 1 === edited ? { ...one, name: 'new' } : one,
			);
			const asked = since === undefined ? all : all.filter(({ id }) => Number(id) === edited);
			return asked.slice(3 * +page - 3, 3 * +page);
		};
		const staticData = {};
		expect(await bench.trigger({ options: incremental() }, { staticData }).poll()).toEqual([]);
		const options = { ...incremental(), ...pages('pageNumber') };
		const { poll } = bench.trigger({ options }, { staticData });
		expect(await poll()).toEqual([]);
		edited = 8;
		expect(inWords(await poll())).toEqual(['contactUpdated 8']);
	});

	test('emit created records after three polls with Pagination, even if no read is complete', async () => {
		let count = 8;
		const contacts = (page = '1') => list(count).slice(3 * +page - 3, 3 * +page);
		bench.service.response = ({ page }) => ({ contacts: contacts(page) });
		const staticData = await memoryOf();
		bench.service.response = ({ page }) => ({ contacts: contacts(page), has_more: true });
		const { poll } = bench.trigger({ options: pages('pageNumber') }, { staticData });
		for (let times = 0; times < 3; times++) expect(await poll()).toEqual([]);
		count = 9;
		expect(inWords(await poll())).toEqual(['contactCreated 9']);
	});
});

describe('the saved state', () => {
	test.each<[string, IDataObject, string]>([
		['a later version', { records: { version: 4, ids: [1, 9] } }, 'another version of this node'],
		['a broken manual edit', { records: { version: 4, ids: [1], hashes: 'a' } }, 'another version'],
		['no earlier poll, as after an import', {}, 'nothing was known: the contacts are remembered'],
	])('from %s starts over with a log line', async (_, data, reason) => {
		const { poll, pollList, staticData } = bench.trigger({}, { staticData: { [MEMORY]: data } });
		expect(await poll()).toEqual([]);
		expect(bench.logged()).toContain(`This is a first poll, because ${reason}`);
		const saved = staticData[MEMORY] as IDataObject;
		expect(Object.keys(saved)).toEqual(['records']);
		expect(inWords(await pollList({ contacts: list(4) }))).toEqual(['contactCreated 4']);
	});

	test('is there once a poll has succeeded, and only then the log calls it a first poll', async () => {
		const { poll, pollList } = bench.trigger();
		await expect(pollList('no list')).rejects.toThrow();
		expect(bench.logged()).not.toContain('first poll');
		await pollList({ contacts: list(3) });
		await poll();
		expect(bench.logged().split('This is a first poll')).toHaveLength(2);
	});

	test('holds neither key nor address, and is not rewritten without a change', async () => {
		const { poll, staticData } = bench.trigger();
		await poll();
		expect(JSON.stringify(staticData)).not.toMatch(/127\.0\.0\.1|[0-9a-f]{20}/);
		const before = (staticData[MEMORY] as IDataObject).records;
		await poll();
		expect((staticData[MEMORY] as IDataObject).records).toBe(before);
	});
});

describe('the memory of a trigger', () => {
	const NEW_NAME = { name: 'Contacts' };
	const OTHER_NODE = { id: 'other' };

	/** The events of the first poll after a restart of n8n with the saved state, for so many contacts. */
	async function publish(staticData: IDataObject, count: number, settings: Partial<INode> = {}) {
		const { pollList } = bench.trigger({}, { staticData, settings });
		return inWords(await pollList({ contacts: list(count) }));
	}

	test('misses and repeats nothing after a rename and back', async () => {
		const staticData = await memoryOf();
		expect(await publish(staticData, 4, NEW_NAME)).toEqual(['contactCreated 4']);
		expect(await publish(staticData, 4, NEW_NAME)).toEqual([]);
		expect(await publish(staticData, 5)).toEqual(['contactCreated 5']);
	});

	test('is kept for an older version if another node has taken the name', async () => {
		const staticData = await memoryOf();
		expect(await publish(staticData, 4, OTHER_NODE)).toEqual([]);
		expect(await publish(staticData, 4)).toEqual(['contactCreated 4']);
		expect(await publish(staticData, 4, OTHER_NODE)).toEqual([]);
	});

	test.each<[string, Partial<INode>, string]>([
		['is kept by name if triggers share an ID', {}, 'Trigger'],
		['is kept by ID if another type of node shares it', { type: 'n8n-nodes-base.set' }, 'trigger'],
	])('in n8n 1.x, %s', async (_, other, known) => {
		const { poll, workflow, staticData } = bench.trigger();
		workflow.nodes.Other = { ...workflow.getNode('Trigger'), name: 'Other', ...other } as INode;
		await poll();
		expect(remembered(staticData)).toEqual([known]);
	});

	test('is not dropped for a trigger that was added since', async () => {
		const { poll, workflow, staticData } = bench.trigger();
		await poll();
		const added = bench.trigger({}, { staticData, settings: { id: 'added', name: 'Added' } });
		Object.assign(added.workflow.nodes, workflow.nodes);
		await added.poll();
		await poll();
		expect(remembered(staticData)).toEqual(['trigger', 'added']);
	});
});

describe('overlapping polls', () => {
	/** Lets a trigger that knows three contacts and the others poll before the service responds with a fourth. */
	async function overlap(others: (staticData: IDataObject) => Array<() => Promise<IDataObject[]>>) {
		const { poll, staticData } = bench.trigger();
		await poll();
		const waiting: Array<() => void> = [];
		bench.service.response = (_, response) => {
			response.setHeader('content-type', 'application/json');
			waiting.push(() => void response.end(JSON.stringify({ contacts: list(4) })));
		};
		const polls = [poll, ...others(staticData)].map(async (one) => await one());
		while (waiting.length < polls.length) await new Promise((resolve) => setTimeout(resolve, 5));
		const during = await poll();
		for (const respond of waiting) respond();
		return { events: await Promise.all(polls), during, poll };
	}

	test('of one trigger: the second emits nothing, and the first loses nothing', async () => {
		const { events, during } = await overlap(() => []);
		expect(during).toEqual([]);
		expect(events.map(inWords)).toEqual([['contactCreated 4']]);
	});

	test('emit nothing twice if n8n reads the durable cursor for one before it saves that of the other', async () => {
		const { poll } = bench.trigger();
		const pollWith = async (cursor: IDataObject) =>
			inWords(await poll({ getPollBudgetMs: () => 20_000, getWorkflowStaticData: () => cursor }));
		const saved: IDataObject = {};
		await pollWith(saved);
		await after(60_000);
		bench.service.response = () => ({ contacts: list(4) });
		expect(await pollWith(structuredClone(saved))).toEqual(['contactCreated 4']);
		expect(await pollWith(structuredClone(saved))).toEqual([]);
		// If n8n never saves it, it has discarded the event too.
		await after(60_000);
		expect(await pollWith(structuredClone(saved))).toEqual(['contactCreated 4']);
	});

	test('of a trigger and a manual test run each emit their own events', async () => {
		const { events } = await overlap((staticData) => [
			bench.trigger({}, { mode: 'manual', staticData }).poll,
		]);
		expect(events.map(({ length }) => length)).toEqual([1, 4]);
	});
});
