/** The comparison of a page with the known records: what it finds, what it saves, and how long it blocks. */
import { comparePage } from '../../../nodes/BusinessData/trigger/comparePage';
import { Events } from '../../../nodes/BusinessData/trigger/events';
import { forgetRead } from '../../../nodes/BusinessData/trigger/endRead';
import { type ListRead, saveState } from '../../../nodes/BusinessData/trigger/state';
import { readAt, SETTINGS, stateOf } from './examples';

test('comparing many records leaves time for other work', async () => {
	const now = jest.spyOn(performance, 'now');
	let ms = 0;
	// Each record takes 5 ms.
	now.mockImplementation(() => (ms += 5));
	const pauses = jest.spyOn(globalThis, 'setImmediate');
	const records = Array.from({ length: 50 }, (_, id) => ({ id }));
	await comparePage(records, stateOf([]), readAt(1), SETTINGS, new Events());
	now.mockRestore();
	expect(pauses).toHaveBeenCalledTimes(25);
	pauses.mockRestore();
});

test('hashes of fields are dropped if every record has fields of its own', async () => {
	const names = Array.from({ length: 10 }, (_, index) => `price${index}`);
	const records = Array.from({ length: 1000 }, (_, id) => {
		return { id, ...Object.fromEntries(names.map((name) => [`${name}-${id}`, 1])) };
	});
	const state = stateOf([], { fieldNames: new Map() });
	await comparePage(records, state, readAt(1), SETTINGS, new Events());
	expect([state.hasTooManyFields, state.fieldNames]).toEqual([true, undefined]);
	expect([...state.known.values()].filter(({ fields }) => fields !== undefined)).toEqual([]);
	expect(state.known.size).toBe(1000);
});

const ONE = { id: 1 };
const OTHER = { id: 1, a: 1 };
const THIRD = { id: 1, a: 2 };
const TWO = { id: 2 };
const GONE = { id: 1, mark: 'gone' };
const UNKNOWN = { id: 9, mark: 'gone' };

/** Compares the pages of a read, after one that has shown contact 1. */
async function compare(pages: unknown[][]) {
	const state = stateOf([], { fieldNames: new Map() });
	const settings = { ...SETTINGS, deletedWhen: { field: 'mark', values: ['gone'] } };
	await comparePage([ONE], state, readAt(1), settings, new Events());
	forgetRead(state);
	const read = readAt(1);
	const events = new Events();
	for (const page of pages) await comparePage(page, state, read, settings, events);
	const again = async (page: unknown[]) => {
		forgetRead(state);
		const next = readAt(1);
		await comparePage(page, state, next, settings, events);
		return next;
	};
	return { state, events, read, again };
}

const MOVED = { moved: 1 };
const TWICE = { ambiguousId: '1' };
test.each<[string, unknown[][], Partial<ListRead>, unknown[], boolean?]>([
	['shown', [[ONE]], {}, []],
	['shown twice on a page', [[ONE, ONE]], {}, []],
	['shown on two pages', [[ONE], [TWO, ONE]], MOVED, [TWO]],
	['shown on two of three', [[ONE], [ONE], [TWO]], MOVED, [TWO]],
	['shown with other content', [[OTHER]], {}, [OTHER]],
	['shown with other content after its own', [[ONE, OTHER]], TWICE, []],
	['shown with other content before its own', [[OTHER], [ONE]], { ...MOVED, ...TWICE }, []],
	['shown with two other contents', [[OTHER, THIRD]], TWICE, [OTHER]],
	['missing next to one with two contents', [[TWO, { ...TWO, a: 1 }]], { ambiguousId: '2' }, [TWO]],
	['marked as deleted', [[GONE]], {}, [], true],
	['marked as deleted on two pages', [[GONE], [GONE]], MOVED, [], true],
	['marked as deleted, and then no longer', [[GONE], [OTHER]], { ...MOVED, ...TWICE }, [], true],
	['shown next to an unknown marked one', [[UNKNOWN, UNKNOWN, ONE]], {}, []],
])('compares a contact that is %s', async (_, pages, expected, records, isGone = false) => {
	const { read, state, events, again } = await compare(pages);
	expect(read).toEqual({ ...readAt(1), ...expected });
	expect(events.list.map(({ record }) => record)).toEqual(records);
	expect([...events.gone]).toEqual(isGone ? [['1', GONE]] : []);
	expect(state.known.get('1')?.missed).toBe(isGone ? 5 : 0);
	expect(state.known.has('9')).toBe(false);
	// Another read of the poll shows the contact without a mark.
	const { hasReturned = false } = await again([ONE]);
	expect(hasReturned).toBe(isGone);
	expect([...events.gone]).toEqual([]);
});

test('the saved form of a contact does not change between versions', async () => {
	const { state } = await compare([
		[
			{
				id: 1,
				name: 'Ä',
				tags: ['x', 'y'],
				address: { city: 'Bonn', zip: null },
				lines: [{ amount: 1 }, { amount: 2, text: 't' }],
				empty: [],
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
