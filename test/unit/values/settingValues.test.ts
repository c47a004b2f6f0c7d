// Values of parameters and credential fields: whatever an expression gives, the field is named.

import {
	readChoice,
	readEntries,
	readFlag,
	readGroup,
	readPaths,
	readText,
	readWholeNumber,
} from '../../../nodes/BusinessData/values/settingValues';

const bounds = { least: 1, most: 10 };

test.each<[string, () => unknown, unknown]>([
	['a flag', () => readFlag('Field', true), true],
	['no flag', () => readFlag('Field', undefined), false],
	['a text', () => readText('Field', ' a '), ' a '],
	['no text', () => readText('Field', undefined), ''],
	['paths', () => readPaths('Field', '*.at, a.*.b, *, c.*'), ['at', 'a.b', 'c']],
	['a choice', () => readChoice('Field', 'b', ['a', 'b']), 'b'],
	['a group', () => readGroup('Field', { a: 1 }), { a: 1 }],
	['no group', () => readGroup('Field', undefined), {}],
	['entries', () => readEntries('Field', [{ a: 1 }]), [{ a: 1 }]],
	['no entries', () => readEntries('Field', undefined), []],
	['a number', () => readWholeNumber('Field', 10, bounds), 10],
	['the text of a number', () => readWholeNumber('Field', ' 7 ', bounds), 7],
])('%s is read', (_, read, expected) => {
	expect(read()).toEqual(expected);
});

const NO_TEXT = /^Field: (is not a text|has no value \(null\))$/;
test.each<[string, (name: string, value: unknown) => unknown, string | RegExp, ...unknown[]]>([
	['flag', readFlag, 'Field: must be true or false', 'true', 0, null, {}, []],
	['text', readText, NO_TEXT, 5, true, {}, ['a'], null],
	['group', readGroup, 'Field: is not a group of fields', 'a', 5, true, [], null],
	['list', readEntries, 'Field: is not a list of entries', 'a', {}, [null], [[]], ['a'], null],
])('what is no %s is refused', (_, read, message, ...values) => {
	for (const value of values) expect(() => read('Field', value)).toThrow(message);
});

test.each<unknown>([
	...[0, 11, 0.5, NaN, Infinity, true, null, [], [5], {}],
	...['', ' ', 'a', '1e400', '1e0', '0x5', '+5', '5.', '\uff15'],
])('%j is no whole number from 1 to 10', (value) => {
	expect(() => readWholeNumber('Field', value, bounds)).toThrow(
		'Field: must be a whole number from 1 to 10',
	);
	expect(() => readWholeNumber('Field', value === 11 ? 0 : value, { least: 1 })).toThrow(
		'Field: must be a whole number from 1 on',
	);
});
