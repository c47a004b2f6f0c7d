// What counts as the same content.

import { contentHash } from '../../../nodes/BusinessData/parameters/contentHash';

const INVOICE = { note: null, lines: [{ price: 1, at: '10:00' }], meta: { at: '10:00' } };
const LATER = { meta: { at: '11:00' }, lines: [{ at: '11:00', price: 1 }], note: null };

test.each<[string, unknown, unknown, string[], boolean]>([
	['fields in another order', { a: 1, b: 2 }, { b: 2, a: 1 }, [], true],
	['entries in another order', [1, 2], [2, 1], [], false],
	['fields that do not count', INVOICE, LATER, ['meta.at', 'lines.at'], true],
	['a field that counts', INVOICE, LATER, ['meta.at'], false],
	['a field beside one that does not', INVOICE, LATER, ['meta.at', 'lines.price'], false],
	['a field below another', INVOICE, LATER, ['at', 'lines'], false],
	['a field with all that is in it', INVOICE, LATER, ['meta', 'lines'], true],
	['a name that holds dots', { a: { 'b.c': 1 } }, { a: { 'b.c': 2 } }, ['a.b.c'], true],
	['another form of Unicode', { é: 'é' }, { 'e\u0301': 'e\u0301' }, [], true],
	['a line that begins with an accent', { a: 'x\n\u0303y' }, { a: 'x\n\u0303y' }, [], true],
	['another such line', { a: 'x\n\u0303y' }, { a: 'x\n\u0303z' }, [], false],
	['a path in another form of Unicode', { é: 1 }, { é: 2 }, ['e\u0301'], true],
	['a date, and what goes out for it', { a: new Date(0) }, { a: new Date(0).toJSON() }, [], true],
	['nothing, and null', undefined, null, [], true],
	['null, and no field', { a: null }, {}, [], false],
	['a list, and its places', ['a'], { 0: 'a' }, [], false],
])('%s', (_, one, other, ignored, isSame) => {
	expect(contentHash(one, ignored) === contentHash(other, ignored)).toBe(isSame);
});
