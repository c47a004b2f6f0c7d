/** The comparison of a page with the known records: what it finds, what it saves, and how long it blocks. */
import {
	type ComparedPage,
	comparePage,
	settleVariants,
} from '../../../nodes/BusinessData/trigger/comparePage';
import { Events } from '../../../nodes/BusinessData/trigger/events';
import type { PollSettings } from '../../../nodes/BusinessData/trigger/pollSettings';
import { newState, saveState } from '../../../nodes/BusinessData/trigger/state';
import { LIST, SETTINGS } from './examples';

test('many records leave time for other work', async () => {
	const now = jest.spyOn(performance, 'now');
	let ms = 0;
	// Each record takes 5 ms.
	now.mockImplementation(() => (ms += 5));
	const pauses = jest.spyOn(globalThis, 'setImmediate');
	const records = Array.from({ length: 50 }, (_, id) => ({ id }));
	await comparePage(records, SETTINGS, newState(LIST), new Events());
	now.mockRestore();
	expect(pauses).toHaveBeenCalledTimes(10);
	pauses.mockRestore();
});

/** Compares pages of one read with a state in which contact 1 is known. */
async function compare(pages: unknown[][], settings: Partial<PollSettings> = {}) {
	const state = { ...newState(LIST), firstReads: 0, fieldNames: new Map<string, number>() };
	const known = { id: 1, hash: '', missed: 3, isSeen: false };
	state.known.set('1', known);
	const events = new Events();
	const compared: ComparedPage[] = [];
	for (const page of pages) {
		compared.push(await comparePage(page, { ...SETTINGS, ...settings }, state, events));
	}
	return { state, events, compared };
}

const marks = { deletedWhen: { field: 'mark', values: ['gone'] } };
test.each<[string, unknown[][], Partial<ComparedPage>]>([
	['shown', [[{ id: 1 }]], { hasMoved: false, marked: 0 }],
	['shown twice on a page', [[{ id: 1 }, { id: 1 }]], { hasMoved: false }],
	['shown on two pages', [[{ id: 1 }], [{ id: 2 }, { id: 1 }]], { hasMoved: true }],
	[
		'shown with two contents',
		[[{ id: 1 }], [{ id: 1, a: 1 }, { id: 2 }, { id: 2, a: 1 }]],
		{ ambiguousId: '1' },
	],
	['marked', [[{ id: 1, mark: 'gone' }]], { hasMoved: false, marked: 0 }],
	[
		'marked on two pages',
		[[{ id: 1, mark: 'gone' }], [{ id: 1, mark: 'gone' }]],
		{ hasMoved: true },
	],
	[
		'not the one that is marked',
		[[{ id: 2, mark: 'gone' }, { id: 3, mark: 'gone' }, { id: 1 }]],
		{ marked: 2 },
	],
])('a page with a contact that is %s', async (_, pages, expected) => {
	const { compared, state } = await compare(pages, marks);
	expect(compared.at(-1)).toMatchObject(expected);
	if (!('ambiguousId' in expected)) expect(compared.at(-1)).not.toHaveProperty('ambiguousId');
	expect(state.known.get('1')).toMatchObject({ isSeen: true });
	expect(state.known.get('1')?.missed).toBe(
		JSON.stringify(pages[0]).includes('"id":1,"mark') ? 5 : 0,
	);
});

test('a page that comes again is known by the IDs and the contents of its records', async () => {
	const [one, other] = [{ id: 1 }, { id: 2 }];
	const { compared } = await compare([
		[one, other],
		[one, other],
		[other, one],
		[one],
		[{ ...one, a: 1 }, other],
	]);
	const [first, ...more] = compared.map(({ hash }) => hash);
	expect(more.map((hash) => hash === first)).toEqual([true, false, false, false]);
});

test('a contact is marked, and then not any more, in one read', async () => {
	const { events } = await compare([[{ id: 1, mark: 'gone' }]], marks);
	expect([...events.gone]).toEqual(['1']);
	const { events: none } = await compare([[{ id: 1, mark: 'gone' }], [{ id: 1 }]], marks);
	expect([...none.gone]).toEqual([]);
});

test('what is saved of a contact stays the same in later versions', async () => {
	const { state } = await compare([
		[
			{
				...{ id: 1, name: 'Ä', tags: ['x', 'y'], address: { city: 'Bonn', zip: null } },
				...{ lines: [{ amount: 1 }, { amount: 2, text: 't' }], empty: [] },
			},
			{ id: 2, name: 'b' },
		],
	]);
	expect(saveState(state)).toMatchObject({
		ids: [1, 2],
		hashes: 'AkFejgmhKdJeJltS',
		fieldNames: [
			...['id', 'name', 'tags', 'address.city', 'address.zip', 'lines.amount', 'lines.text'],
			'empty',
		],
	});
	expect(state.known.get('1')?.fields).toBe('r93+qP2YkNaRsMW+GpTbQ8RX');
});

test.each([
	[1_000, undefined],
	[1_001, 'many different contacts have the same ID, such as "1"'],
])('%i contents of one ID', async (count, message) => {
	const contents = Array.from({ length: count }, (_, a) => ({ id: 1, a }));
	const compared = compare([contents]);
	if (message === undefined) expect((await compared).compared).toHaveLength(1);
	else {
		await expect(compared).rejects.toMatchObject({
			message: `The contacts cannot be compared: ${message}`,
			details: {
				description:
					'Set ID Field to a field that is unique to a contact. Nothing was changed in what the trigger remembers.',
			},
		});
	}
});

test('of an ID with several contents, hash and fields are of the same one', async () => {
	const [one, other] = [
		{ id: 1, name: 'a' },
		{ id: 1, name: 'b' },
	];
	const { state } = await compare([[one, other]]);
	settleVariants(state);
	const { hash, fields } = state.known.get('1') ?? {};
	await comparePage([other, one], SETTINGS, state, new Events());
	expect(state.known.get('1')).toMatchObject({ hash, fields });
});
