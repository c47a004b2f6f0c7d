/** The saved state of a trigger: its names are stable, and what cannot be understood is not guessed. */
import {
	boundFieldHashes,
	newState,
	readState,
	type SavedState,
	saveState,
	type State,
} from '../../../nodes/BusinessData/trigger/state';
import { HASH as A, LIST, readAt, recordOf, stateOf } from './examples';

const B = 'bbbbbbbb';

const STATE: State = {
	watchedList: LIST,
	revision: 4,
	settings: { pagination: 'p', watched: 'w' },
	observed: {
		pages: 2,
		firstLength: 3,
		hasMoved: true,
		habits: ['end by an empty page'],
		totalField: 'meta.total',
	},
	reads: {
		firstReads: 2,
		repagedReads: 1,
		cursor: 5,
		unconfirmed: { beganAt: 8, firstBeganAt: 9, isStill: true },
		fullReadAt: 6,
		incompleteReads: 2,
	},
	guard: { knownBefore: 10, reportedAt: 7 },
	hasTooManyFields: true,
	read: readAt(2),
	known: new Map([
		['1', { ...recordOf(1, -1), fields: 'xyz', wasSeen: true }],
		['b', { ...recordOf(0, 5), id: 'b', hash: B, fields: 'abcdef' }],
		['c', { ...recordOf(0, 2), id: 'c', isSeen: true }],
		['d', { ...recordOf(0, 5), id: 'd', wasSeen: true }],
	]),
	fieldNames: new Map([
		['name', 0],
		['tags', 1],
	]),
};

const { known: _, fieldNames: __, ...SAME } = STATE;
const SAVED: SavedState = {
	...SAME,
	version: 4,
	ids: [1, 'b', 'c', 'd'],
	hashes: A + B + A + A,
	marks: 'i58h',
	fieldNames: ['name', 'tags'],
	fields: 'xyz   abcdef            ',
};

const inJson = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

test('a state is saved under stable names, and read back', () => {
	expect(inJson(saveState(STATE))).toEqual(SAVED);
	expect(readState(inJson(SAVED))).toEqual(STATE);
	expect(readState(inJson(saveState(newState(LIST))))).toEqual(newState(LIST));
	// Saved by a version without these parts.
	const { settings, observed, reads, guard } = newState(LIST);
	const empty = { settings: {}, observed: {}, reads: {}, guard: {} };
	expect(readState(inJson({ ...SAVED, ...empty }))).toMatchObject({
		settings,
		observed,
		reads,
		guard,
	});
});

test.each<[string, unknown]>([
	['nothing', undefined],
	['another version', { ...SAVED, version: 3 }],
	['no IDs', { ...SAVED, ids: undefined }],
	['no hashes', { ...SAVED, hashes: undefined }],
	['hashes of other records', { ...SAVED, hashes: A + B }],
	['marks of other records', { ...SAVED, marks: '65' }],
	['no watched list', { ...SAVED, watchedList: undefined }],
])('a state with %s is refused', (____, saved) => {
	expect(readState(saved)).toBeUndefined();
});

test.each<[string, number, string[], boolean]>([
	['little space', 1, ['a'], false],
	['as much space as allowed', 2, ['x'.repeat(3_499_988), 'y'.repeat(3_499_999)], false],
	['more space than allowed', 2, ['x'.repeat(3_499_988), 'y'.repeat(3_500_000)], true],
	['too much space for all records together', 2_000, ['x'.repeat(6_995_000)], true],
])('fields are kept or dropped if they take %s', (___, count, names, isTooMuch) => {
	const state = stateOf(new Array<number>(count).fill(0));
	const fields = 'xyz'.repeat(names.length);
	for (const record of state.known.values()) record.fields = fields;
	boundFieldHashes(state);
	expect(state.hasTooManyFields).toBe(false);
	const fieldNames = new Map(names.map((name, index) => [name, index]));
	state.fieldNames = fieldNames;
	boundFieldHashes(state);
	expect(state.hasTooManyFields).toBe(isTooMuch);
	expect([state.fieldNames, state.known.get('0')?.fields]).toEqual(
		isTooMuch ? [undefined, undefined] : [fieldNames, fields],
	);
});

test('fields that no record has any more are dropped to make room', () => {
	const state = stateOf([0, 0]);
	const records = [...state.known.values()];
	for (const record of records) record.fields = record === records[0] ? 'aaa   ccc' : '      ddd';
	const names = ['a', 'x'.repeat(7_000_000), 'c'];
	state.fieldNames = new Map(names.map((name, index) => [name, index]));
	boundFieldHashes(state);
	expect([...(state.fieldNames ?? [])]).toEqual([
		['a', 0],
		['c', 1],
	]);
	expect(records.map(({ fields }) => fields)).toEqual(['aaaccc', '   ddd']);
	expect(state.hasTooManyFields).toBe(false);
});
