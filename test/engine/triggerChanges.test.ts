// What counts as a change, which fields have changed, and the guard against deletions that look like mistakes.

import type { IDataObject } from 'n8n-workflow';

import { after } from '../support/logicalTime';
import { deletedWhen, incremental, pages } from '../support/parameters';
import { inWords, reasonOf, useTriggerBench } from '../support/triggerBench';

const bench = useTriggerBench();

const DAY = 86_400_000;
const invoice = {
	id: 1,
	name: 'a',
	tags: ['x'],
	address: { city: 'Bonn', zip: '1' },
	lines: [
		{ amount: 1, text: 'x' },
		{ amount: 2, text: 'y' },
	],
	empty: [],
};

/** A trigger after its first poll, and what makes its poll with other options. A poll takes the list, if it is new. */
async function begin(options: Record<string, unknown>, list: object[]) {
	const staticData: IDataObject = {};
	const pollWith = (others: object = {}) =>
		bench.trigger({ options: others }, { staticData }).pollList;
	const poll = pollWith(options);
	expect(await poll(list)).toEqual([]);
	return { poll, pollWith, staticData };
}

describe('an update', () => {
	const lines = (...amounts: number[]) => amounts.map((amount) => ({ amount, text: 'x' }));
	const address = { city: 'Köln', zip: '1' };
	const [first] = invoice.lines;
	const several = { name: 'b', tags: [], address: null };
	const updated = (contact: object) => ({ event: 'contactUpdated', contact });

	// The options, the change, and the expected Changed Fields.
	test.each<[Record<string, unknown>, object, string]>([
		[{}, { name: 'b' }, 'name'],
		[{}, { address }, 'address.city'],
		[{}, { lines: [first, { amount: 3, text: 'y' }] }, 'lines.amount'],
		[{}, { tags: ['x', 'y'] }, 'tags'],
		[{}, { note: null }, 'note'],
		[{}, { name: undefined }, 'name'],
		[{}, { empty: [{ a: 1 }] }, 'empty,empty.a'],
		[{}, { lines: [...invoice.lines].reverse() }, 'lines.amount,lines.text'],
		[{}, several, 'address,address.city,address.zip,name,tags'],
		[{}, { address: { zip: '1', city: 'Bonn' } }, ''],
		[{ ignoreFields: 'name, tags' }, { name: 'b', tags: [] }, ''],
		[{ ignoreFields: 'address' }, { address: { city: 'Köln' } }, ''],
		[{ ignoreFields: 'lines.text' }, { lines: lines(1, 2) }, ''],
		[{ ignoreFields: 'lines.text' }, { lines: lines(1, 3) }, 'lines.amount'],
		[{ ignoreFields: 'na' }, { name: 'b' }, 'name'],
		[{ watchFields: 'lines.amount' }, { lines: lines(1, 3) }, 'lines.amount'],
		[{ watchFields: 'address, x' }, { address }, 'address.city'],
		[{ watchFields: 'lines.amount, id' }, { lines: lines(1, 2), name: 'b' }, ''],
		[{ watchFields: 'address', ignoreFields: 'address.zip' }, { address: { city: 'Bonn' } }, ''],
		[{ watchFields: 'x.y' }, { x: { y: 1 } }, 'x.y'],
		[{ watchFields: 'name' }, { name: undefined }, 'name'],
		[{ watchFields: 'x.y' }, { name: 'b' }, ''],
	])('with %j after %j has the changed fields: %s', async (options, change, fields) => {
		const { poll } = await begin({ changedFields: true, ...options }, [invoice]);
		const contact = JSON.parse(JSON.stringify({ ...invoice, ...change })) as object;
		const [event] = await poll([contact]);
		expect(((event?.changedFields ?? []) as string[]).sort().join()).toBe(fields);
		if (fields !== '') expect(event).toMatchObject(updated(contact));
		expect(await poll()).toEqual([]);
	});

	test.each([{}, [], null])('is not emitted for an ignored field in %j', async (nothing) => {
		const { poll } = await begin({ ignoreFields: 'stats.viewedAt' }, [{ id: 1, stats: nothing }]);
		expect(await poll([{ id: 1, stats: { viewedAt: 5 } }])).toEqual([]);
		expect(inWords(await poll([{ id: 1, stats: { viewedAt: 5, orders: 1 } }]))).toEqual([
			'contactUpdated 1',
		]);
	});

	test('has no changed fields without the option or before the fields are remembered', async () => {
		const { poll, pollWith, staticData } = await begin({}, [invoice, { id: 2 }]);
		expect(await poll([{ ...invoice, name: 'b' }, { id: 2 }])).toStrictEqual([
			updated({ ...invoice, name: 'b' }),
		]);
		const pollFields = pollWith({ changedFields: true });
		expect(await pollFields([{ ...invoice, name: 'c' }, { id: 2 }])).toEqual([
			updated({ ...invoice, name: 'c' }),
		]);
		expect(
			await pollFields([
				{ ...invoice, name: 'd' },
				{ id: 2, tags: [] },
			]),
		).toMatchObject([{ changedFields: ['name'] }, { changedFields: ['tags'] }]);
		const size = () => JSON.stringify(staticData).length;
		const withFields = size();
		await poll();
		expect(size()).toBeLessThan(withFields);
	});

	test('has changed fields from the first one on, even with incremental reads', async () => {
		const { pollWith } = await begin(incremental(), [invoice, { id: 2 }]);
		const poll = pollWith({ ...incremental(), changedFields: true });
		bench.service.response = ({ since }) => (since === undefined ? [invoice, { id: 2 }] : []);
		expect(await poll()).toEqual([]);
		expect(await poll([{ ...invoice, name: 'b' }])).toMatchObject([{ changedFields: ['name'] }]);
	});

	const LINE = 'Changed Fields: left out, because the records have too many fields to remember';

	test('has no changed fields if there are too many to remember, which is logged once', async () => {
		const many = { id: 1, ['x'.repeat(7_000_000)]: 'a' };
		const { poll, pollWith, staticData } = await begin({ changedFields: true }, [many]);
		const lines = () => bench.logged().split(LINE).length - 1;
		expect(lines()).toBe(1);
		expect(JSON.stringify(staticData).length).toBeLessThan(1_000);
		for (const name of ['b', 'c']) {
			expect(await poll([{ id: 1, name }])).toStrictEqual([updated({ id: 1, name })]);
		}
		expect(lines()).toBe(1);
		// Turning the option off and on again tries once more.
		expect(await pollWith()()).toEqual([]);
		const pollAgain = pollWith({ changedFields: true });
		expect(await pollAgain()).toEqual([]);
		expect(await pollAgain([{ id: 1, name: 'd' }])).toMatchObject([{ changedFields: ['name'] }]);
	});

	test.each([
		['other', { watchFields: 'name' }],
		['all', {}],
	])('is not emitted by the first full read once %s fields are watched', async (_, options) => {
		const { pollWith } = await begin({ ignoreFields: 'name' }, [invoice, { id: 2 }]);
		const poll = pollWith(options);
		expect(inWords(await poll([{ ...invoice, name: 'b' }, { id: 3 }]))).toEqual([
			'contactCreated 3',
		]);
		expect(inWords(await poll([{ ...invoice, name: 'c' }, { id: 3 }]))).toEqual([
			'contactUpdated 1',
			'contactDeleted 2',
		]);
		expect(await poll()).toEqual([]);
	});

	test('is emitted if an edit only puts the watched fields in another order', async () => {
		const { pollWith } = await begin({ watchFields: 'name, id' }, [invoice]);
		const poll = pollWith({ watchFields: 'id,name' });
		expect(inWords(await poll([{ ...invoice, name: 'b' }]))).toEqual(['contactUpdated 1']);
	});
});

describe('deletions that look like a mistake', () => {
	const all = Array.from({ length: 57 }, (_, index) => ({ id: index + 1 }));
	const some = all.slice(0, 3);
	const withheld = '54 of 57 known contacts are missing in the list; their deletion is withheld';

	test('are withheld with one error a day, while other events go on', async () => {
		const { poll } = await begin({}, all);
		expect(await poll([...some])).toEqual([]);
		await expect(
			poll([{ id: 1, name: 'new' }, ...some.slice(1), { id: 99 }]),
		).rejects.toMatchObject({
			message: withheld,
			description: expect.stringMatching(/role.*filter.*business.*Max Deletion Percent/) as string,
		});
		expect(inWords(await poll())).toEqual(['contactUpdated 1', 'contactCreated 99']);
		await after(DAY - 60_000);
		expect(await poll()).toEqual([]);
		await after(60_000);
		await expect(poll()).rejects.toThrow('their deletion is withheld');
		expect(await poll()).toEqual([]);
		expect(inWords(await poll([...all, { id: 99 }]))).toEqual(['contactUpdated 1']);
		expect(await poll()).toEqual([]);
		expect(await poll(some)).toEqual([]);
		await expect(poll()).rejects.toThrow('their deletion is withheld');
	});

	test('do not fail two weekly polls in a row, and fail again after the clock was set back', async () => {
		const { poll } = await begin({}, all);
		expect(await poll(some)).toEqual([]);
		await expect(poll()).rejects.toThrow(withheld);
		await after(7 * DAY);
		expect(inWords(await poll([...some, { id: 99 }]))).toEqual(['contactCreated 99']);
		await after(7 * DAY);
		await expect(poll()).rejects.toThrow('their deletion is withheld');
		expect(await poll()).toEqual([]);
		jest.setSystemTime(Date.now() - 7 * DAY);
		await expect(poll()).rejects.toThrow('their deletion is withheld');
	});

	test('are emitted if Max Deletion Percent is 100', async () => {
		const { poll, pollWith } = await begin({}, all);
		expect(inWords(await poll([...some, { id: 99 }]))).toEqual(['contactCreated 99']);
		// In the end, more are missing than were known before.
		await expect(poll([])).rejects.toThrow(withheld);
		expect(await poll()).toEqual([]);
		expect(await pollWith({ maxDeletionPercent: 100 })()).toHaveLength(58);
	});

	test('do not fail the activation, but the next scheduled poll', async () => {
		const { poll, pollWith } = await begin({}, all);
		expect(await poll(some)).toEqual([]);
		const pollAgain = pollWith();
		expect(await pollAgain()).toEqual([]);
		expect(bench.logged()).toContain(withheld);
		await expect(pollAgain()).rejects.toThrow(withheld);
		expect(await pollAgain()).toEqual([]);
		// Another start of n8n only logs it.
		const pollLater = pollWith();
		expect([await pollLater(), await pollLater()]).toEqual([[], []]);
	});

	test('are only logged, once a day, if deletions are not emitted', async () => {
		const { pollList: poll } = bench.trigger({ events: ['contactCreated'] });
		const lines = () => bench.logged().split(withheld).length - 1;
		await poll(all);
		expect([await poll(some), lines(), await poll(), lines()]).toEqual([[], 0, [], 1]);
		await after(DAY - 60_000);
		expect([await poll(), lines()]).toEqual([[], 1]);
		await after(60_000);
		expect([await poll(), lines()]).toEqual([[], 2]);
	});

	test('are withheld by incremental reads, too, if they are marked', async () => {
		const marked = deletedWhen('deleted', 'true');
		const { poll } = await begin({ ...incremental(), ...marked }, all);
		await expect(
			poll(all.slice(3).map((one) => ({ ...one, deleted: true }))),
		).rejects.toMatchObject({
			message: withheld.replace('in the list', 'in the list or marked as deleted'),
			description: expect.stringContaining('a wrong Deleted When') as string,
		});
		expect(await poll()).toEqual([]);
		expect(await poll(all.slice(3))).toEqual([]);
	});
});

describe('a record marked as deleted', () => {
	const mark = (value: string) => deletedWhen('status', value);
	const old = [{ id: 1 }, { id: 2, status: 'archived' }, { id: 3, status: 'deleted' }];

	test.each([
		['removed', {}, {}],
		['removed, with incremental reads', {}, incremental()],
		['narrowed', mark('deleted'), {}],
	])('is not emitted as created once Deleted When is %s', async (_, edited, more) => {
		const { pollWith } = await begin({ ...mark('archived, deleted'), ...more }, old);
		const poll = pollWith({ ...edited, ...more });
		expect(inWords(await poll([...old, { id: 4 }]))).toEqual(['contactCreated 4']);
		expect(inWords(await poll([...old, { id: 4 }, { id: 5, status: 'archived' }]))).toEqual([
			'contactCreated 5',
		]);
	});

	test('is emitted as the service shows it, one that is missing with its ID only', async () => {
		const { poll } = await begin(mark('deleted'), [{ id: 1 }, { id: 2 }]);
		const gone = { id: 1, status: 'deleted', name: 'a' };
		expect(await poll([gone])).toStrictEqual([{ event: 'contactDeleted', contact: gone }]);
		expect(await poll()).toStrictEqual([{ event: 'contactDeleted', contact: { id: 2 } }]);
	});

	test('does not hide that all pages are the same', async () => {
		const { pollList } = bench.trigger({
			options: { ...mark('archived'), ...pages('pageNumber') },
		});
		await expect(reasonOf(pollList(old))).resolves.toMatch(
			/^Pagination: page 2 holds the same items .* does not seem to know the parameter "page"/,
		);
	});
});
