// A value gives the IDs that a person would read in it, or an error. The expected IDs come from how the value was
// written, or from a reader that shares no code with the node.

import * as fc from 'fast-check';

import { readIds } from '../../../nodes/BusinessData/parameters/ids';
import { processorSeconds } from '../../support/processorTime';

/** The IDs, or undefined if the value is refused. */
function tryToRead(value: unknown): unknown[] | undefined {
	try {
		return readIds(value);
	} catch (error) {
		expect(String(error)).toContain('IDs: ');
		return undefined;
	}
}

test.each<[value: unknown, ids: unknown[]]>([
	['a', ['a']],
	[5, [5]],
	[-1.5, [-1.5]],
	['007', ['007']],
	["O'Brien", ["O'Brien"]],
	['INV(2024)', ['INV(2024)']],
	['INV-null-7', ['INV-null-7']],
	['undefined-1,nullable,Nancy', ['undefined-1', 'nullable', 'Nancy']],
	['RE 2024 7', ['RE 2024 7']],
	['\uff11\uff10\uff10\uff11', ['\uff11\uff10\uff10\uff11']],
	['a, b ,c', ['a', 'b', 'c']],
	['1001;1002', ['1001', '1002']],
	['1001\n1002\r\n1003\u20281004', ['1001', '1002', '1003', '1004']],
	['1001,\n1002 ;\n\n 1003', ['1001', '1002', '1003']],
	['\n1001\n\n1002\n', ['1001', '1002']],
	['\ufeff1001,\u200b1002\u00a0', ['1001', '1002']],
	['[7, "9007199254740993", "a"]', [7, '9007199254740993', 'a']],
	['[7, 9007199254740993]', [7, '9007199254740993']],
	[' ["a"]\n', ['a']],
	[
		['a', 5, ' b '],
		['a', 5, 'b'],
	],
	[['a,b'], ['a,b']],
])('%j is read as %j', (value, ids) => {
	expect(readIds(value)).toEqual(ids);
});

const EMPTY = 'an ID is empty';
const SUSPECT = 'an ID looks like a fragment of a list, or has an invisible character';
const JSON_TEXT = 'the text begins like JSON but is not a JSON list';
const inexact = (number: string) => `JavaScript cannot hold the number ${number} exactly`;

test.each<[problem: string, ...values: unknown[]]>([
	[EMPTY, undefined, null, '', ' \n', '\u200b', 'a,,b', 'a,', ',a', 'a;', 'a,\n,b', ['a', null]],
	['the list is empty', [], '[]'],
	[JSON_TEXT, '[1001, 1002, 100', '[1001,]', "['1001']", '[1001][1002]', '"1001", "1002"'],
	[JSON_TEXT, '"1001"', '{"id": 1001}', '[object Object]'],
	[SUSPECT, '1001, 1002]', 'a,{b}', ['[1001]'], '["1\\"2"]', '\u201c1001\u201d', "'1001','1002'"],
	[SUSPECT, '(1001, 1002)', '1001\uff0c1002', '10\u200b01', '1001\t1002', '1001\u00a01002'],
	[SUSPECT, ['1001\n1002']],
	...['undefined', 'Null', 'NaN', 'nan', 'Invalid DateTime', 'invalid date'].map(
		(word): [string, ...unknown[]] => [
			...([`"${word}" stands for no value`, word, `1001, ${word}`, [1001, ` ${word}`]] as const),
		],
	),
	[inexact('9007199254740992'), 2 ** 53],
	[inexact('1e+21'), 1e21, '[7, 1e21]'],
	['an ID is not a text or a number', NaN, Infinity, true, { id: 5 }, [['a']], new Date(0), 5n],
])('a value is refused with "%s": %p', (problem, ...values) => {
	for (const value of values) expect(() => readIds(value)).toThrow(`IDs: ${problem}`);
});

/** IDs as people and programs make them. */
const id = fc.oneof(
	fc.stringMatching(/^[A-Za-z0-9]{1,8}$/),
	fc.stringMatching(/^[A-Z]{2,3}-[a-z0-9]{1,6}$/),
	fc.stringMatching(/^[A-Z][a-z]{1,6} [0-9]{1,4}$/),
	fc.constantFrom("O'Brien", 'INV(2024)', 'INV-null-7', 'Müller#7', 'a@b.example', '0', '00', 'né'),
);
const isWord = (text: string) => /^(undefined|null|nan)$/i.test(text);
const ids = fc.array(
	id.filter((text) => !isWord(text)),
	{ minLength: 1, maxLength: 8 },
);

/** Unambiguous ways to write a list. */
const WAYS: Array<(list: string[]) => unknown> = [
	(list) => list,
	(list) => list.join(','),
	(list) => list.join(' , '),
	(list) => list.join(';'),
	(list) => list.join('\n'),
	(list) => `${list.join(',\r\n')}\n`,
	(list) => JSON.stringify(list),
	(list) => ` ${JSON.stringify(list, null, 2)}`,
];

test('a list that is written unambiguously is read back', () => {
	fc.assert(
		fc.property(ids, fc.constantFrom(...WAYS), (list, write) => {
			expect(readIds(write(list))).toEqual(list);
		}),
		{ numRuns: 2_000 },
	);
});

/** What damages a text: brackets, separators and invisible characters in the wrong place, and missing values. */
const PIECES = [
	...'[ ] { } " \' ( ) , ,, ; undefined null NaN "1001" 1001 a'.split(' '),
	...['\n', ' ', '\t', '\u00a0', '\u200b', '\uff0c', '[object Object]', 'Invalid DateTime'],
];
const damaged = fc
	.tuple(
		ids,
		fc.constantFrom(...WAYS),
		fc.array(fc.tuple(fc.nat(), fc.constantFrom(...PIECES)), { maxLength: 3 }),
		fc.nat(),
	)
	.map(([list, write, insertions, cut]) => {
		const written = write(list);
		let text = typeof written === 'string' ? written : list.join(', ');
		if (cut % 2 === 0) text = text.slice(0, cut % (text.length + 1));
		for (const [at, piece] of insertions) {
			const place = at % (text.length + 1);
			text = text.slice(0, place) + piece + text.slice(place);
		}
		return text;
	});

/** Without invisible characters at its edges. */
const seen = (text: string) => text.replace(/^[\s\p{Cc}\p{Cf}]+|[\s\p{Cc}\p{Cf}]+$/gu, '');

/** What a person reads in a text, by the rules of the contract alone; undefined if it is not clearly a list. */
function asAPersonReads(text: string): string[] | undefined {
	if (/[[\]{}"]/.test(text)) {
		// Brackets, braces and quotes are valid only in a complete JSON list.
		try {
			const list = JSON.parse(seen(text)) as unknown[];
			const areIds = list.every((one) => typeof one === 'number' || typeof one === 'string');
			return areIds ? list.map((one) => seen(String(one))) : undefined;
		} catch {
			return undefined;
		}
	}
	// A line break next to a comma adds no separator; several line breaks are one.
	const line = seen(text).replace(/[\s\p{Cc}\p{Cf}]*[,;][\s\p{Cc}\p{Cf}]*/gu, ',');
	return line
		.replace(/[\s\p{Cc}\p{Cf}]*[\r\n\v\f\u0085\u2028\u2029][\s\p{Cc}\p{Cf}]*/gu, ',')
		.split(',')
		.map(seen);
}

test.each([' ', '\n', '\u200b'])('a text with 100,000 times %j is read within seconds', (gap) => {
	const text = `1001${gap.repeat(100_000)}1002`;
	expect(processorSeconds(() => void tryToRead(text))).toBeLessThan(5);
});

test('any text gives the IDs that a person would read, or is refused', () => {
	let read = 0;
	fc.assert(
		fc.property(fc.oneof(damaged, fc.string({ unit: 'grapheme' })), (text) => {
			const found = tryToRead(text);
			if (found === undefined) return;
			read++;
			expect(found.map(String)).toEqual(asAPersonReads(text));
			for (const one of found.map(String)) {
				expect(one).not.toMatch(/[[\]{}"]|^$|^(undefined|null|nan|invalid datetime)$/i);
			}
		}),
		{ numRuns: 4_000 },
	);
	expect(read).toBeGreaterThan(300);
});
