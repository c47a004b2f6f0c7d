/** What a poll saves itself, what it leaves to n8n, and how it treats the other triggers of a workflow. */
import { type IDataObject, type INode, type IPollFunctions, Workflow } from 'n8n-workflow';

import * as services from '../../../nodes/BusinessData/n8nInternals/services';
import { Memory } from '../../../nodes/BusinessData/trigger/memory';
import { saveState, type State } from '../../../nodes/BusinessData/trigger/state';
import { HOUR, LIST, SETTINGS, stateOf } from './examples';

/** The saved states, by the IDs of their triggers. */
type Kept = Record<string, { records: { revision: number; reads: object } }>;

const keyOf = (id: string) => `node:businessDataTrigger:${id}`;
const toStaticData = (kept: Kept): IDataObject =>
	Object.fromEntries(Object.entries(kept).map(([id, data]) => [keyOf(id), structuredClone(data)]));
const copyOf = (data: IDataObject) => JSON.parse(JSON.stringify(data)) as IDataObject;
const keptIn = (staticData: IDataObject) => {
	const own = Object.entries(copyOf(staticData)).filter(([key]) => key.startsWith(keyOf('')));
	return Object.fromEntries(own.map(([key, data]) => [key.slice(keyOf('').length), data])) as Kept;
};
const ofRevision = (revision: number, more: Partial<State> = {}) => {
	const state = { ...stateOf([]), revision, ...more };
	return { records: copyOf({ ...saveState(state) }) as Kept[string]['records'] };
};

let workflows = 0;

/** n8n with `saved` in its database, and an active workflow that holds `held`. */
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
	const access = { isLost: false };
	const checker = {
		check: async (_: string, [node]: INode[]) => {
			await Promise.resolve();
			if (access.isLost) throw new Error(`${node?.name} has no access`);
		},
	};
	const known: Record<string, object> = {
		WorkflowStaticDataService: service,
		CredentialsPermissionChecker: checker,
	};
	jest.spyOn(services, 'findService').mockImplementation((_: string, name: string) => known[name]);
	const nodes = ['own', 'other'].map((id) => ({ id, name: `Name of ${id}` }) as INode);
	const workflow = new Workflow({
		id: `${++workflows}`,
		connections: {},
		active: true,
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
	const poll = async ({
		hasItems = false,
		change = (_: State): void => undefined,
		meanwhile = (): void => undefined,
	} = {}) => {
		const memory = new Memory(context, SETTINGS, (sentence) => {
			log.push(sentence);
		});
		const state = await memory.recall();
		change(state);
		meanwhile();
		const isKept = await memory.keep(state, hasItems);
		if (hasItems && isKept) {
			// n8n saves the static data of the whole workflow.
			database.staticData = copyOf(workflow.staticData);
			workflow.staticData.__dataChanged = false;
		}
		return { isKept, state };
	};
	return { access, database, kept: () => keptIn(database.staticData), poll, log };
}

afterEach(() => void jest.restoreAllMocks());

const FIVE = ofRevision(5);
const SIX = ofRevision(6);
const grow = (state: State) => void (state.observed.pages = 7);

test.each<[string, Kept, Kept[string], Kept[string]]>([
	['is newer in the database', { other: FIVE }, SIX, SIX],
	['is missing in n8n', {}, SIX, SIX],
	['is newer in n8n', { other: SIX }, FIVE, SIX],
])('the newest state of another trigger is saved if it %s', async (_, held, saved, other) => {
	const { kept, poll } = begin({ own: FIVE, other: saved }, { own: FIVE, ...held });
	expect(await poll({ hasItems: true, change: grow })).toMatchObject({ isKept: true });
	expect(kept()).toMatchObject({
		own: { records: { revision: 6, observed: { pages: 7 } } },
		other,
	});
});

test('items that n8n would refuse and lose, because the workflow has moved away from the credential, are not emitted', async () => {
	const { access, kept, poll } = begin({ own: FIVE });
	access.isLost = true;
	await expect(poll({ hasItems: true, change: grow })).rejects.toThrow('Name of own has no access');
	expect(kept()).toEqual({ own: FIVE });
	access.isLost = false;
	expect(await poll({ hasItems: true, change: grow })).toMatchObject({ isKept: true });
});

test('the newer state counts, be it in n8n or in the database', async () => {
	for (const [saved, held] of [
		[FIVE, SIX],
		[SIX, FIVE],
	] as const) {
		const { kept, poll } = begin({ own: saved, other: FIVE }, { own: held, other: SIX });
		expect((await poll({ change: grow })).state.revision).toBe(6);
		// Without items, only the trigger's own state is saved.
		expect(kept()).toMatchObject({ own: { records: { revision: 7 } }, other: FIVE });
	}
});

test.each<[string, Kept, Kept, number, string[]]>([
	['nothing has changed', { own: FIVE }, { own: FIVE }, 0, ['own']],
	['another process has set the state back', { own: FIVE }, { own: SIX }, 1, ['own']],
	['the state is not in the database', {}, { own: FIVE }, 1, ['own']],
])('without items, a poll saves only if it must: %s', async (_, saved, held, saves, ids) => {
	const { database, kept, poll } = begin(saved, held);
	expect(await poll()).toMatchObject({ isKept: true });
	expect([database.saves, Object.keys(kept())]).toEqual([saves, ids]);
	await poll();
	expect(database.saves).toBe(saves);
	await poll({ hasItems: true, change: grow });
	expect(Object.keys(kept())).toEqual(ids);
});

test.each<[number, number, string]>([
	[HOUR - 1, 0, 'moves on without a save'],
	[HOUR, 1, 'is saved after an hour'],
	[0, 0, 'stays'],
	[-1, 1, 'is saved if the clock of the service was set back'],
])('a cursor that moves by %i ms takes %i saves: it %s', async (movedMs, saves) => {
	const CURSOR = 1_800_000_000_000;
	const unconfirmed = { beganAt: 1, firstBeganAt: 1, isStill: true };
	const own = ofRevision(5);
	Object.assign(own.records.reads, { cursor: CURSOR });
	const { database, kept, poll } = begin({ own });
	const moved = { cursor: CURSOR + movedMs, unconfirmed };
	await poll({ change: ({ reads }) => void Object.assign(reads, moved) });
	expect(database.saves).toBe(saves);
	expect(kept().own?.records).toMatchObject(
		saves > 0 ? { revision: 6, reads: moved } : { revision: 5, reads: { cursor: CURSOR } },
	);
	// The process remembers it anyway, unless another one has saved since.
	expect((await poll()).state.reads).toMatchObject(moved);
	database.staticData = toStaticData({ own: ofRevision(9) });
	expect((await poll()).state.reads.cursor).toBeUndefined();
});

test('a state that cannot be read still raises the revision, so that no newer one is lost', async () => {
	const { kept, log, poll } = begin({
		own: ofRevision(5, { watchedList: { ...LIST, query: 'other', source: 'endpoint /' } }),
	});
	await poll();
	expect(log).toEqual([
		'This is a first poll, because the source and the query changed: the contacts are remembered, and nothing is emitted',
	]);
	expect(kept().own?.records?.revision).toBe(6);
});

test('a durable cursor is saved even after the poll of a publication, where n8n does not save it', async () => {
	const cursor: IDataObject = {};
	const saved: IDataObject[] = [];
	const context = {
		getNode: () => ({ id: 'own', name: 'Own' }),
		getWorkflow: () => ({ id: `${++workflows}` }),
		getWorkflowStaticData: () => cursor,
		__commitCursor: async () => await Promise.resolve(void saved.push(copyOf(cursor))),
	} as unknown as IPollFunctions;
	const memory = new Memory(context, SETTINGS, () => undefined);
	const state = await memory.recall();
	grow(state);
	await memory.keep(state, false);
	expect(saved).toMatchObject([{ records: { revision: 1, observed: { pages: 7 } } }]);
});
