/** What is saved of a trigger: its names stay, and what cannot be understood is not guessed. */
import {
	boundFieldHashes,
	forgetHashes,
	newState,
	readState,
	type SavedState,
	saveState,
	type State,
	TAKEN_NEXT,
} from '../../../nodes/BusinessData/trigger/state';

const LIST = {
	...{ source: 'contacts', business: 'b', idField: 'id', itemsField: '', query: 'q', headers: '' },
};
const [A, B] = ['aaaaaaaa', 'bbbbbbbb'];

const STATE: State = {
	watchedList: LIST,
	revision: 4,
	known: new Map([
		['1', { id: 1, hash: A, fields: 'xyz', missed: 0, isSeen: true }],
		['b', { id: 'b', hash: B, fields: 'abcdef', missed: 5, isSeen: false }],
		['c', { id: 'c', hash: A, missed: 2, isSeen: true }],
	]),
	firstReads: 2,
	hasMoved: true,
	firstLength: 3,
	habits: ['noLastPage'],
	pages: 2,
	totalField: 'meta.total',
	idNames: ['a.b', 'c'],
	variants: new Map([['1', [A, B]]]),
	newVariants: new Map([['b', [B]]]),
	watched: 'w',
	fieldNames: new Map([
		['name', 0],
		['tags', 1],
	]),
	hasTooManyFields: true,
	cursor: 5,
	fullReadAt: 6,
	cutOffReads: 1,
	withheldSaidAt: 7,
	read: { place: { page: 2, count: 3 }, pagination: 'p', beganAt: 8 },
};

const SAVED: SavedState = {
	version: 2,
	asked: LIST,
	revision: 4,
	ids: [1, 'b', 'c'],
	hashes: A + B + A,
	marks: '658',
	firstReadings: 2,
	hasMoved: true,
	firstLength: 3,
	habits: ['noLastPage'],
	pages: 2,
	totalField: 'meta.total',
	idNames: ['a.b', 'c'],
	variants: [['1', [A, B]]],
	newVariants: [['b', [B]]],
	watched: 'w',
	fieldNames: ['name', 'tags'],
	fields: 'xyz   abcdef      ',
	hasTooManyFields: true,
	cursor: 5,
	fullReadAt: 6,
	cutOffReads: 1,
	withheldSaidAt: 7,
	reading: { place: { page: 2, count: 3 }, pagination: 'p', beganAt: 8 },
};

const inJson = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown;

test('is saved by names that stay, and read again', () => {
	expect(inJson(saveState(STATE))).toEqual(SAVED);
	expect(readState(inJson(SAVED))).toEqual(STATE);
});

test('is little where there is little to remember', () => {
	const none = { version: 2, asked: LIST, revision: 0, ids: [], hashes: '' };
	expect(inJson(saveState(newState(LIST)))).toEqual({ ...none, firstReadings: 3 });
	expect(inJson(saveState({ ...newState(LIST), firstReads: 0 }))).toEqual(none);
	expect(readState(none)).toEqual({ ...newState(LIST), firstReads: 0 });
});

test.each<[string, unknown]>([
	['nothing', undefined],
	['another version', { ...SAVED, version: 3 }],
	['no IDs', { ...SAVED, ids: 'abc' }],
	['no hashes', { ...SAVED, hashes: undefined }],
	['hashes of other records', { ...SAVED, hashes: A + B }],
	['marks of other records', { ...SAVED, marks: '65' }],
	['no watched list', { ...SAVED, asked: undefined }],
])('with %s it is not understood', (_, saved) => {
	expect(readState(saved)).toBeUndefined();
});

test.each<[string, number, string[], boolean]>([
	['little', 1, ['a'], false],
	['as much as there may be', 2, ['x'.repeat(3_499_988), 'y'.repeat(3_499_999)], false],
	['more', 2, ['x'.repeat(3_499_988), 'y'.repeat(3_500_000)], true],
	['more for all records than for one', 2_000, ['x'.repeat(6_995_000)], true],
])('fields that take %s are kept or not', (_, count, names, isTooMuch) => {
	const state = newState(LIST);
	for (let id = 1; id <= count; id++) {
		state.known.set(`${id}`, { id, hash: A, fields: 'xyz', missed: 0, isSeen: false });
	}
	const fieldNames = new Map(names.map((name, index) => [name, index]));
	expect(boundFieldHashes({ ...state, fieldNames: undefined })).toBe(false);
	state.fieldNames = fieldNames;
	expect(boundFieldHashes(state)).toBe(isTooMuch);
	expect(state.hasTooManyFields).toBe(isTooMuch);
	expect([state.fieldNames, state.known.get('1')?.fields]).toEqual(
		isTooMuch ? [undefined, undefined] : [fieldNames, 'xyz'],
	);
});

test('other watched fields: all is taken anew', () => {
	const state = structuredClone(STATE);
	forgetHashes(state, 'other');
	expect(state).toMatchObject({
		...{ watched: 'other', fieldNames: undefined, hasTooManyFields: false, cursor: undefined },
		variants: new Map(),
	});
	for (const { hash, fields } of state.known.values()) {
		expect([hash, fields]).toEqual([TAKEN_NEXT, undefined]);
	}
});
