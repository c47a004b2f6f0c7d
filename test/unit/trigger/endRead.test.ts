/** What the end of a read says of what it has not seen, and when the whole list is read again. */
import { settleVariants } from '../../../nodes/BusinessData/trigger/comparePage';
import { countWithheld, endRead, isFullReadDue } from '../../../nodes/BusinessData/trigger/endRead';
import { readIncremental } from '../../../nodes/BusinessData/trigger/incremental';
import type { PollSettings } from '../../../nodes/BusinessData/trigger/pollSettings';
import {
	type ListRead,
	newState,
	REPORTED_NEXT,
	type State,
} from '../../../nodes/BusinessData/trigger/state';
import { readListSettings } from '../../../nodes/BusinessData/lists/listSettings';
import { LIST } from './examples';

const [A, B] = ['aaaaaaaa', 'bbbbbbbb'];
const NOW = 1_800_000_000_000;
const HOUR = 3_600_000;
const incremental = readIncremental({ values: { parameter: 'since', fullReadHours: 1 } });
const ONLY_FIRST = readIncremental({ values: { parameter: 'since', fullReadHours: 0 } });
const settingsFor = (type: string, more: Partial<PollSettings> = {}) =>
	({
		list: readListSettings({ pagination: { values: { type } } }),
		...{ readsChangesOnly: false, incremental: undefined, maxDeletionPercent: 50 },
		...more,
	}) as PollSettings;
const readOf = (more: Partial<ListRead> = {}): ListRead => ({
	...{ place: { page: 2, count: 3 }, pagination: '', beganAt: NOW, serviceTime: NOW + 5 },
	...{ firstLength: 3 },
	...more,
});
/** A state with a record for each number of times that it was missing; a negative one was seen now. */
function stateOf(missed: number[], more: Partial<State> = {}): State {
	const state = { ...newState(LIST), firstReads: 0, firstLength: 3, ...more };
	for (const [id, times] of missed.entries()) {
		state.known.set(`${id}`, {
			...{ id, hash: A, missed: Math.max(0, times), isSeen: times < 0 },
		});
	}
	return state;
}

test.each<
	[string, number[], string, Partial<State>, Partial<ListRead>, number[], string[], boolean]
>([
	['once', [0, -1], 'none', {}, {}, [1, 0], [], false],
	['twice', [1, -1], 'none', {}, {}, [5, 0], ['0'], false],
	['twice, page by page', [1, -1], 'pageNumber', {}, {}, [5, 0], ['0'], false],
	['twice, with longer pages', [1, -1], 'pageNumber', { firstLength: 2 }, {}, [2, 0], [], true],
	['twice, with longer pages by offset', [1], 'offset', { firstLength: 2 }, {}, [5], ['0'], false],
	['twice, after others had moved', [1], 'offset', { hasMoved: true }, {}, [2], [], true],
	['twice, others in one page had moved', [1], 'none', { hasMoved: true }, {}, [5], ['0'], false],
	['twice, another one for the first time', [1, 0], 'offset', {}, {}, [2, 1], [], true],
	['five times', [4, 0], 'offset', { hasMoved: true }, {}, [5, 1], ['0'], false],
	['five times, another one twice', [4, 1], 'offset', { hasMoved: true }, {}, [5, 2], ['0'], true],
	['and is withheld', [5], 'offset', {}, {}, [5], ['0'], false],
	['once, in a check', [1, 0], 'offset', {}, { isCheck: true }, [1, 1], [], false],
	['twice, in a check', [2], 'offset', {}, { isCheck: true }, [5], ['0'], false],
	[
		'twice, in a check after others had moved',
		[2],
		'offset',
		{ hasMoved: true },
		{ isCheck: true },
		[2],
		[],
		false,
	],
	['in a read that was cut off', [1], 'none', {}, { problem: 'x' }, [1], [], false],
	['in a read with one ID for several', [1], 'none', {}, { ambiguousId: '9' }, [1], [], false],
])('a record that was missing %s', (_, before, type, state, read, missed, ids, needsCheck) => {
	const known = stateOf(before, state);
	const gone = new Set<string>();
	expect(endRead(known, readOf(read), settingsFor(type), gone)).toEqual({ needsCheck });
	expect([...known.known.values()].map((record) => record.missed)).toEqual(missed);
	expect([...gone]).toEqual(ids);
	expect([...known.known.values()].some(({ isSeen }) => isSeen)).toBe(false);
	expect(known.read).toBeUndefined();
});

test('nothing is missing where only changes are read', () => {
	const state = stateOf([1]);
	endRead(state, readOf(), settingsFor('none', { readsChangesOnly: true }), new Set());
	expect(state.known.get('0')?.missed).toBe(1);
	expect(state.pages).toBeUndefined();
});

test.each<[Partial<ListRead>, Partial<State>]>([
	[{ hasMoved: true }, { hasMoved: true, firstLength: 3, pages: 2 }],
	[{ firstLength: 4 }, { hasMoved: false, firstLength: 4, pages: 2 }],
	[
		{ problem: 'x', hasMoved: true, firstLength: 4 },
		{ hasMoved: false, firstLength: 3 },
	],
])('of a read with %j it is remembered: %j', (read, expected) => {
	const state = stateOf([]);
	endRead(state, readOf(read), settingsFor('offset'), new Set());
	expect(state).toMatchObject(expected);
});

const CUT = { problem: 'x' };
const ONE_PAGE = { place: { page: 1, count: 0 } };
test.each<[string, boolean, Partial<State>, Partial<ListRead>, Array<number | undefined>]>([
	['of several pages', true, { cursor: 7, firstReads: 2 }, {}, [0, 0, 7, NOW]],
	['of one page', true, { cursor: 7 }, ONE_PAGE, [0, 0, NOW + 5, NOW]],
	[
		'of one page without a Date',
		true,
		{},
		{ ...ONE_PAGE, serviceTime: undefined },
		[0, 0, NOW, NOW],
	],
	['that is the first one', true, { firstReads: 3 }, {}, [0, 0, NOW + 5, NOW]],
	['after one that was cut off', true, { cursor: 7, cutOffReads: 2 }, {}, [0, 0, 7, NOW]],
	['that was cut off', true, { cursor: 7, fullReadAt: 1 }, { ...CUT, ...ONE_PAGE }, [0, 1, 7, 1]],
	['that was cut off at first', true, { firstReads: 3 }, CUT, [2, 1, undefined, 0]],
	['that was cut off for the third time', true, { cutOffReads: 2 }, CUT, [0, 3, undefined, NOW]],
	['without Incremental', false, { cursor: 7, cutOffReads: 2 }, {}, [0, 0, undefined, 0]],
	['that was cut off, without Incremental', false, { cursor: 7 }, CUT, [0, 0, undefined, 0]],
	['that was a check', true, { cursor: 7, firstReads: 2 }, { isCheck: true }, [2, 0, 7, 0]],
])('after a full read %s', (_, isIncremental, before, read, expected) => {
	const state = stateOf([], before);
	const settings = settingsFor('offset', { incremental: isIncremental ? incremental : undefined });
	endRead(state, readOf(read), settings, new Set());
	const { firstReads, cutOffReads, cursor, fullReadAt } = state;
	expect([firstReads, cutOffReads, cursor, fullReadAt]).toEqual(expected);
});

const READ_NOW = { cursor: NOW, fullReadAt: NOW };
const many = (missed: number, of: number) =>
	Array.from({ length: of }, (_, id) => (id < missed ? 5 : 0));
test.each<[string, boolean, number[], Partial<State & PollSettings>]>([
	['nothing is missing', false, [0], READ_NOW],
	['there is no Incremental', true, [0], { ...READ_NOW, incremental: undefined }],
	['no read has come to its end', true, [0], { fullReadAt: NOW }],
	['the time is almost over', false, [0], { ...READ_NOW, fullReadAt: NOW - HOUR + 1 }],
	['the time is over', true, [0], { ...READ_NOW, fullReadAt: NOW - HOUR }],
	['the clock was set back', true, [0], { ...READ_NOW, fullReadAt: NOW + HOUR }],
	[
		'only the first is a full one',
		false,
		[0],
		{ ...READ_NOW, fullReadAt: 0, incremental: ONLY_FIRST },
	],
	['the last one was cut off', true, [0], { ...READ_NOW, cutOffReads: 1 }],
	['the last three were cut off', false, [0], { ...READ_NOW, cutOffReads: 3 }],
	['the last four were cut off', true, [0], { ...READ_NOW, cutOffReads: 4 }],
	['a record is missing', true, [0, 1], READ_NOW],
	['a record is missing beside withheld ones', true, [...many(6, 10), 4], READ_NOW],
	['deletions are withheld', false, many(6, 10), READ_NOW],
	['few records are withheld', true, many(5, 10), READ_NOW],
	['few records are known', true, many(9, 9), READ_NOW],
	['deletions are let through', true, many(6, 10), { ...READ_NOW, maxDeletionPercent: 60 }],
])('%s: the whole list is read: %s', (_, isDue, missed, more) => {
	const state = stateOf(missed, more);
	expect(isFullReadDue(state, settingsFor('none', { incremental, ...more }), NOW)).toBe(isDue);
	expect(countWithheld(state)).toBe(missed.filter((times) => times === 5).length);
});

type Variants = Array<[key: string, hashes: string[]]>;
test.each<[string, boolean, Variants, Variants, Variants, string | undefined]>([
	['one content is left', false, [['0', [A, B]]], [['0', [A]]], [], undefined],
	['the other content is left', false, [['0', [A, B]]], [['0', [B]]], [], REPORTED_NEXT],
	['two were shown', false, [], [['0', [A, B]]], [['0', [A, B]]], undefined],
	['it was not shown', false, [['0', [A, B]]], [], [], undefined],
	['it was not shown by changes', true, [['0', [A, B]]], [], [['0', [A, B]]], undefined],
	[
		'one content was shown by changes',
		true,
		[['0', [A, B]]],
		[['0', [A]]],
		[['0', [B]]],
		undefined,
	],
	['one content came by changes', true, [], [['0', [A]]], [], undefined],
	['another record is not known', false, [], [['9', [B]]], [], undefined],
])('an ID with several contents, of which %s', (_, keepsOthers, before, during, after, hash) => {
	const state = stateOf([-1], { variants: new Map(before), newVariants: new Map(during) });
	const isReportedNext = keepsOthers ? settleVariants(state, true) : settleVariants(state);
	expect(isReportedNext).toBe(hash !== undefined);
	expect([...state.variants]).toEqual(after);
	expect(state.newVariants.size).toBe(0);
	expect(state.known.get('0')?.hash).toBe(hash ?? A);
});

test('of IDs with several contents, the last thousand are remembered', () => {
	const all = Array.from({ length: 1_001 }, (_, id): Variants[0] => [`${id}`, [A, B]]);
	const state = stateOf([], { newVariants: new Map(all) });
	settleVariants(state);
	expect([...state.variants]).toEqual(all.slice(1));
});
