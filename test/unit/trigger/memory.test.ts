/** What a poll saves itself, what it leaves to n8n, and what becomes of the other triggers of a workflow. */
import { type IDataObject, type INode, type IPollFunctions, Workflow } from 'n8n-workflow';

import * as services from '../../../nodes/BusinessData/n8nInternals/services';
import { Memory } from '../../../nodes/BusinessData/trigger/memory';
import type { PollSettings } from '../../../nodes/BusinessData/trigger/pollSettings';
import { newState, saveState, type State } from '../../../nodes/BusinessData/trigger/state';

const LIST = {
	...{ source: 'contacts', business: 'b', idField: 'id', itemsField: '', query: 'q', headers: '' },
};
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** By the ID of a trigger, what is kept of it. */
type Kept = Record<string, { records?: { revision: number }; deletedAt?: number }>;

const keyOf = (id: string) => `node:businessDataTrigger:${id}`;
const toStaticData = (kept: Kept): IDataObject =>
	Object.fromEntries(Object.entries(kept).map(([id, data]) => [keyOf(id), structuredClone(data)]));
const copyOf = (data: IDataObject) => JSON.parse(JSON.stringify(data)) as IDataObject;
const keptIn = (staticData: IDataObject) =>
	Object.fromEntries(
		Object.entries(copyOf(staticData)).map(([key, data]) => [key.slice(keyOf('').length), data]),
	) as Kept;
const ofRevision = (revision: number, more: Partial<State> = {}) => {
	const state = { ...newState(LIST), firstReads: 0, revision, ...more };
	return { records: copyOf({ ...saveState(state) }) as { revision: number } };
};

let workflows = 0;

/** n8n with its database, and a workflow that was activated when this had been saved. */
function begin(saved: Kept, held: Kept = saved) {
	const database = { staticData: toStaticData(saved), saves: 0 };
	const log: string[] = [];
	const service = {
		getStaticDataById: async () => await Promise.resolve(copyOf(database.staticData)),
		saveStaticDataById: async (_: string, staticData: IDataObject) => {
			database.saves++;
			database.staticData = copyOf(staticData);
			await Promise.resolve();
		},
	};
	jest
		.spyOn(services, 'findService')
		.mockImplementation((_: string, name: string) =>
			name === 'WorkflowStaticDataService' ? service : undefined,
		);
	const nodes = ['own', 'other'].map((id) => ({ id, name: `Name of ${id}` }) as INode);
	const workflow = new Workflow({
		...{ id: `${++workflows}`, connections: {}, active: true },
		nodes,
		nodeTypes: { getByNameAndVersion: () => undefined } as never,
		staticData: toStaticData(held),
	});
	const [node] = nodes as [INode];
	const context = {
		workflow,
		getNode: () => node,
		getWorkflow: () => ({ id: workflow.id }),
		getWorkflowStaticData: () => workflow.getStaticData('node', node),
	} as unknown as IPollFunctions;
	const settings = { watchedList: LIST, recordName: 'contact', emitsExisting: false };
	const poll = async ({
		isActivation = false,
		hasItems = false,
		change = (_: State): void => undefined,
		meanwhile = (): void => undefined,
	} = {}) => {
		const memory = new Memory(context, settings as PollSettings, isActivation, (sentence) => {
			log.push(sentence);
		});
		const state = await memory.recall();
		change(state);
		meanwhile();
		const isKept = await memory.keep(state, hasItems);
		if (hasItems && isKept) {
			// n8n saves all that it holds.
			database.staticData = copyOf(workflow.staticData);
			workflow.staticData.__dataChanged = false;
		}
		return { isKept, state };
	};
	return { database, kept: () => keptIn(database.staticData), poll, log };
}

afterEach(() => void jest.restoreAllMocks());

const [FIVE, SIX] = [ofRevision(5), ofRevision(6)];
const grow = (state: State) => void (state.pages = 7);

test.each<[string, Kept[string] | undefined, Kept[string], Kept[string]]>([
	['is newer in the database', FIVE, SIX, SIX],
	['is not there in n8n', undefined, SIX, SIX],
	['is newer in n8n', SIX, FIVE, SIX],
	[
		'was marked as deleted by another process',
		FIVE,
		{ ...FIVE, deletedAt: 1 },
		{ ...FIVE, deletedAt: 1 },
	],
])(
	'with items, n8n saves another trigger as it should be: it %s',
	async (_, held, saved, expected) => {
		const { kept, poll } = begin(
			{ own: FIVE, other: saved },
			{ own: FIVE, ...(held === undefined ? {} : { other: held }) },
		);
		expect(await poll({ hasItems: true, change: grow })).toMatchObject({ isKept: true });
		expect(kept().other).toEqual(expected);
		expect(kept().own?.records).toMatchObject({ revision: 6, pages: 7 });
	},
);

test('what n8n has not saved is newer than the database, and the other way round', async () => {
	for (const [saved, held] of [
		[FIVE, SIX],
		[SIX, FIVE],
	] as const) {
		const { kept, poll } = begin({ own: saved, other: FIVE }, { own: held, other: SIX });
		expect((await poll({ change: grow })).state.revision).toBe(6);
		// Without items, only its own is saved.
		expect(kept()).toMatchObject({ own: { records: { revision: 7 } }, other: FIVE });
	}
});

test.each<[string, Kept, Kept | undefined, boolean, number]>([
	['nothing has changed', { own: FIVE }, undefined, false, 0],
	['another process has set it back', { own: FIVE }, { own: SIX }, false, 1],
	['it is not in the database', {}, { own: FIVE }, false, 1],
	['it was marked as deleted', { own: { ...FIVE, deletedAt: 1 } }, undefined, false, 1],
	['a trigger was deleted', { own: FIVE, gone: FIVE }, undefined, true, 1],
	[
		'that was marked before',
		{ own: FIVE, gone: { ...FIVE, deletedAt: Date.now() } },
		undefined,
		true,
		0,
	],
	['outside an activation', { own: FIVE, gone: FIVE }, undefined, false, 0],
])(
	'a poll saves without items only where it has to: %s',
	async (_, saved, held, isActivation, saves) => {
		const { database, kept, poll } = begin(saved, held);
		expect(await poll({ isActivation })).toMatchObject({ isKept: true });
		expect(database.saves).toBe(saves);
		expect(kept().own ?? {}).not.toHaveProperty('deletedAt');
		await poll({ isActivation });
		expect(database.saves).toBe(saves);
	},
);

test('another poll that was faster leaves nothing to keep', async () => {
	const { database, poll } = begin({ own: FIVE });
	const meanwhile = () => void (database.staticData = toStaticData({ own: SIX }));
	expect(await poll({ change: grow, meanwhile })).toMatchObject({ isKept: false });
	expect(keptIn(database.staticData)).toEqual({ own: SIX });
	expect(database.saves).toBe(0);
});

test('what deleted triggers remembered is kept for 30 days, and of three at most', async () => {
	const now = Date.now();
	jest.spyOn(Date, 'now').mockReturnValue(now);
	const daysAgo = (days: number) => ({ ...FIVE, deletedAt: now - days * DAY });
	const { kept, poll, database } = begin({
		...{
			own: FIVE,
			other: FIVE,
			a: daysAgo(2),
			b: daysAgo(30),
			c: { ...FIVE, deletedAt: now - 30 * DAY - 1 },
		},
	});
	await poll({ isActivation: true });
	expect(kept()).toEqual({ own: FIVE, other: FIVE, a: daysAgo(2), b: daysAgo(30) });
	database.staticData = toStaticData({ ...kept(), d: daysAgo(3), e: FIVE });
	await poll({ isActivation: true });
	expect(Object.keys(kept()).sort()).toEqual(['a', 'd', 'e', 'other', 'own']);
	expect(kept().e?.deletedAt).toBe(now);
});

test.each<[number, number, string]>([
	[HOUR - 1, 0, 'moves on without a save'],
	[HOUR, 1, 'is saved after an hour'],
	[0, 0, 'stays'],
	[-1, 1, 'is saved when the clock of the service was set back'],
])('a cursor %i ms later, %i saves: it %s', async (movedMs, saves) => {
	const CURSOR = 1_800_000_000_000;
	const { database, kept, poll } = begin({ own: ofRevision(5, { cursor: CURSOR }) });
	await poll({ change: (state) => void (state.cursor = CURSOR + movedMs) });
	expect(database.saves).toBe(saves);
	expect(kept().own?.records).toMatchObject({
		...(saves > 0 ? { revision: 6, cursor: CURSOR + movedMs } : { revision: 5, cursor: CURSOR }),
	});
	// The process knows it all the same, unless another one has saved since.
	expect((await poll()).state.cursor).toBe(CURSOR + movedMs);
	database.staticData = toStaticData({ own: ofRevision(9, { cursor: 1 }) });
	expect((await poll()).state.cursor).toBe(1);
});

test('a state from before headers counted belongs to a list without headers', async () => {
	const { headers: _, ...watchedList } = LIST;
	const { log, poll } = begin({ own: ofRevision(5, { watchedList } as State) });
	await poll();
	expect(log).toEqual([]);
});

test('what cannot be read has a revision all the same, so that it is not saved over a newer one', async () => {
	const { kept, log, poll } = begin({
		own: ofRevision(5, { watchedList: { ...LIST, query: 'other', source: 'endpoint /' } }),
	});
	await poll();
	expect(log).toEqual([
		'This is a first poll, because the source and the query changed: the contacts are remembered, and nothing is emitted',
	]);
	expect(kept().own?.records?.revision).toBe(6);
});
