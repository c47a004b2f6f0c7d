// Which contents have the same hash.

import { contentHash } from '../../../nodes/BusinessData/parameters/contentHash';

const INVOICE = { note: null, lines: [{ price: 1, at: '10:00' }], meta: { at: '10:00' } };
const LATER = { meta: { at: '11:00' }, lines: [{ at: '11:00', price: 1 }], note: null };

test.each<[string, unknown, unknown, string[], boolean]>([
	['ignores the order of fields', { a: 1, b: 2 }, { b: 2, a: 1 }, [], true],
	['depends on the order of entries', [1, 2], [2, 1], [], false],
	['ignores excluded fields', INVOICE, LATER, ['meta.at', 'lines.at'], true],
	['depends on a field that is not excluded', INVOICE, LATER, ['meta.at'], false],
	['depends on a field next to an excluded one', INVOICE, LATER, ['meta.at', 'lines.price'], false],
	['depends on a nested field named like an excluded one', INVOICE, LATER, ['at', 'lines'], false],
	['ignores all that is in an excluded field', INVOICE, LATER, ['meta', 'lines'], true],
	['ignores an excluded dotted name', { a: { 'b.c': 1 } }, { a: { 'b.c': 2 } }, ['a.b.c'], true],
	['ignores the Unicode form of names and values', { é: 'é' }, { 'e\u0301': 'e\u0301' }, [], true],
	['is stable if a line begins with an accent', { a: 'x\n\u0303y' }, { a: 'x\n\u0303y' }, [], true],
	['depends on a line with an accent first', { a: 'x\n\u0303y' }, { a: 'x\n\u0303z' }, [], false],
	['ignores the Unicode form of an excluded path', { é: 1 }, { é: 2 }, ['e\u0301'], true],
	['is equal for a date and its JSON', { a: new Date(0) }, { a: new Date(0).toJSON() }, [], true],
	['is equal for undefined and null', undefined, null, [], true],
	['differs between null and a missing field', { a: null }, {}, [], false],
	['differs between a list and an object with its indexes', ['a'], { 0: 'a' }, [], false],
])('the content hash %s', (_, one, other, ignored, isSame) => {
	expect(contentHash(one, ignored) === contentHash(other, ignored)).toBe(isSame);
});
