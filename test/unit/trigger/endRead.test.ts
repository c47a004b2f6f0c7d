/** The end of a full read: which missing records are deleted, and when the next full read is due. */
import {
	emitDeletions,
	endFullRead,
	isFullReadDue,
} from '../../../nodes/BusinessData/trigger/endRead';
import { Events } from '../../../nodes/BusinessData/trigger/events';
import { readIncremental } from '../../../nodes/BusinessData/trigger/incremental';
import type { PollSettings } from '../../../nodes/BusinessData/trigger/pollSettings';
import type { ListRead, State } from '../../../nodes/BusinessData/trigger/state';
import { HOUR, listOf, NOW, readAt, SETTINGS, stateOf } from './examples';

const incremental = readIncremental({ values: { parameter: 'since', fullReadHours: 1 } });
const ONLY_FIRST = readIncremental({ values: { parameter: 'since', fullReadHours: 0 } });
const readOf = (more: Partial<ListRead>) =>
	readAt(2, { pageState: { page: 2, count: 3, firstLength: 3 }, beganAt: NOW, ...more });

type Observed = Partial<State['observed']>;
type Reads = Partial<State['reads']>;

const MOVED = { hasMoved: true };
const CHECK = { isCheck: true };
const CUT = { problem: 'x' };
test.each<[string, number[], string, Observed, Partial<ListRead>, number[], string[], boolean?]>([
	['once', [0, -1], 'none', {}, {}, [1, 0], []],
	['twice', [1, -1], 'none', {}, {}, [5, 0], ['0']],
	['twice, page by page', [1, -1], 'pageNumber', {}, {}, [5, 0], ['0']],
	['twice, with longer pages', [1, -1], 'pageNumber', { firstLength: 2 }, {}, [2, 0], [], true],
	['twice, with longer pages by offset', [1], 'offset', { firstLength: 2 }, {}, [5], ['0']],
	['twice, after others had moved', [1], 'offset', MOVED, {}, [2], [], true],
	['twice, with another that came back', [1], 'offset', {}, { hasReturned: true }, [2], [], true],
	['twice, after others in one page had moved', [1], 'none', MOVED, {}, [5], ['0']],
	['twice, with another missing for the first time', [1, 0], 'offset', {}, {}, [2, 1], [], true],
	['five times', [4, 0], 'offset', MOVED, {}, [5, 1], ['0']],
	['five times, with another missing twice', [4, 1], 'offset', MOVED, {}, [5, 2], ['0'], true],
	['whose deletion is withheld', [5], 'offset', {}, {}, [5], ['0']],
	['once, in a check', [1, 0], 'offset', {}, CHECK, [1, 1], []],
	['twice, in a check', [2], 'offset', {}, CHECK, [5], ['0']],
	['twice, in a check after others had moved', [2], 'offset', MOVED, CHECK, [2], []],
	['in a read that was cut off', [1], 'none', {}, CUT, [1], []],
	['in a read with an ambiguous ID', [1], 'none', {}, { ambiguousId: '9' }, [1], []],
])('counts a record missing %s', (_, before, type, more, read, missed, ids, needsCheck = false) => {
	const observed = { firstLength: 3, ...more };
	const state = stateOf(before, { observed, read: readOf({}) });
	const events = new Events();
	const settings = { ...SETTINGS, list: listOf({ type }) };
	expect(endFullRead(state, readOf(read), settings, events)).toBe(needsCheck);
	const records = [...state.known.values()];
	expect(records.map((record) => record.missed)).toEqual(missed);
	expect([...events.gone.keys()]).toEqual(ids);
	expect(records.some(({ isSeen }) => isSeen)).toBe(false);
	expect(state.read).toBeUndefined();
});

const ONE_PAGE = { pageState: { page: 1, count: 0, firstLength: 4 } };
test.each<[string, Observed & Reads, Partial<ListRead>, Observed & Reads]>([
	['of several pages', { cursor: 7 }, { moved: 1 }, { ...MOVED, pages: 2, cursor: 7 }],
	[
		'that went on after an empty page',
		{},
		{ pageState: { page: 3, count: 3, firstLength: 3, empty: 1 } },
		{ pages: 2, cursor: NOW },
	],
	['of one page', { cursor: 7, pages: 3, ...MOVED }, ONE_PAGE, { pages: 1, cursor: NOW }],
	['that is the first', { firstReads: 3 }, {}, { firstReads: 0, pages: 2, cursor: NOW }],
	['that was cut off', { cursor: 7, pages: 3, ...MOVED }, CUT, { ...MOVED, pages: 3, cursor: 7 }],
	[
		'that is the first and was cut off',
		{ firstReads: 3 },
		{ ...CUT, ...ONE_PAGE },
		{ firstReads: 2, pages: 0 },
	],
	['that was a check', { cursor: 7, firstReads: 2 }, CHECK, { firstReads: 2, pages: 2, cursor: 7 }],
])('the state is updated after a full read %s', (_, before, read, expected) => {
	const settings = { deletedWhenBefore: { field: 'state', values: ['x'] } };
	const state = stateOf([], { settings, observed: before, reads: before });
	endFullRead(state, readOf(read), SETTINGS, new Events());
	const { hasMoved, pages } = state.observed;
	const { firstReads, cursor } = state.reads;
	const usual = { firstReads: 0, hasMoved: false, pages: 1, cursor: undefined };
	expect({ firstReads, hasMoved, pages, cursor }).toEqual({ ...usual, ...expected });
	const { firstLength } = { ...readOf({}).pageState, ...read.pageState };
	expect(state.observed.firstLength).toBe('problem' in read ? undefined : firstLength);
	expect('deletedWhenBefore' in state.settings).toBe('problem' in read || 'isCheck' in read);
});

test.each<[string, number[], Partial<State['guard']>, number | undefined, Partial<ListRead>?]>([
	['nothing is missing', [-1, -1], {}, undefined],
	['nothing is missing any more', [-1, -1], { knownBefore: 7 }, undefined],
	['one is missing', [0, -1], {}, 1],
	['one is missing again', [1], {}, undefined],
	['one was missing before', [0, 1], { knownBefore: 7 }, 7],
	['one was missing before, and has come back', [0, -1], { knownBefore: 7 }, 1],
	['one was missing before, and the read is incomplete', [1], { knownBefore: 7 }, 7, CUT],
])(
	'the number of records before deletions is kept or dropped if %s',
	(_, missed, guard, expected, read = {}) => {
		const state = stateOf(missed, { guard });
		const events = new Events();
		endFullRead(state, readOf({ known: 1, ...read }), SETTINGS, events);
		emitDeletions(state, SETTINGS, events);
		expect(state.guard.knownBefore).toBe(expected);
	},
);

const READ_NOW = { cursor: NOW, fullReadAt: NOW };
const READ_3_MIN_AGO = { cursor: NOW, fullReadAt: NOW - 180_000 };
const READ_AN_HOUR_AGO = { cursor: NOW, fullReadAt: NOW - HOUR };
const FIRST_READ = { cursor: NOW, incremental: ONLY_FIRST };
const many = (missed: number, of: number) =>
	Array.from({ length: of }, (_, id) => (id < missed ? 5 : 0));
test.each<[string, boolean, number[], Reads & Partial<State['guard'] & PollSettings>]>([
	['nothing is missing', false, [0], READ_NOW],
	['there is no Incremental', true, [0], { ...READ_NOW, incremental: undefined }],
	['only changes are read', false, [0], { incremental: undefined, readsChangesOnly: true }],
	['no read has ended', true, [0], { fullReadAt: NOW }],
	['the interval is almost over', false, [0], { ...READ_NOW, fullReadAt: NOW - HOUR + 10_000 }],
	['the interval ends in seconds', true, [0], { ...READ_NOW, fullReadAt: NOW - HOUR + 1_000 }],
	['the interval is over', true, [0], READ_AN_HOUR_AGO],
	['the clock was set back', true, [0], { ...READ_NOW, fullReadAt: NOW + HOUR }],
	['an incomplete read has just ended', true, [0], { ...READ_NOW, incompleteReads: 1 }],
	['a second incomplete read has just ended', false, [0], { ...READ_NOW, incompleteReads: 2 }],
	['two reads are incomplete, a record missing', false, [1], { ...READ_NOW, incompleteReads: 2 }],
	['a third incomplete read was long ago', true, [0], { ...READ_3_MIN_AGO, incompleteReads: 3 }],
	['a fourth incomplete read is recent', false, [0], { ...READ_3_MIN_AGO, incompleteReads: 4 }],
	['many incomplete reads have ended', true, [0], { ...READ_AN_HOUR_AGO, incompleteReads: 99 }],
	['only the first read is full but incomplete', false, [0], { ...FIRST_READ, incompleteReads: 1 }],
	['only the first read is full', false, [0], FIRST_READ],
	['a record is missing', true, [0, 1], READ_NOW],
	['a record is missing next to withheld ones', true, [...many(6, 10), 4], READ_NOW],
	['deletions are withheld', false, many(6, 10), READ_NOW],
	['few records are withheld', true, many(5, 10), READ_NOW],
	['few records are known', true, many(9, 9), READ_NOW],
	['as many have come since the deletions', false, many(6, 20), { ...READ_NOW, knownBefore: 10 }],
	['withheld deletions are allowed', true, many(6, 10), { ...READ_NOW, maxDeletionPercent: 60 }],
	[
		'all deletions are let through, and records have come since',
		...([true, many(12, 12)] as const),
		{ ...READ_NOW, knownBefore: 10, maxDeletionPercent: 100 },
	],
])('if %s, a full read is due: %s', (_, isDue, missed, more) => {
	const state = stateOf(missed, { reads: more, guard: more });
	const settings = { ...SETTINGS, incremental, ...more };
	expect(isFullReadDue(state, settings, NOW, new Events())).toBe(isDue);
	// This poll found none of them, so all are withheld.
	expect(emitDeletions(state, settings, new Events())).toBe(missed.filter((n) => n === 5).length);
});
