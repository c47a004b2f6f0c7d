/** Values at dot paths; nothing is read from what a value inherits. */
import { valueAt } from '../../../nodes/BusinessData/values/dotPath';

const BODY = { a: { b: [{ c: 0 }], '': 1 }, n: null };
test.each<[string, unknown, from?: unknown]>([
	['a.b.0.c', 0],
	['n', null],
	['a.', 1],
	['a.b.1.c', undefined],
	['n.x', undefined],
	['toString', undefined],
	['a.b.0.c.toFixed', undefined],
	['__proto__.x', undefined],
	...[null, 5, 'text'].map((from): [string, undefined, unknown] => ['length', undefined, from]),
])('the value at the path %s is %j', (path, value, from = BODY) => {
	expect(valueAt(from, path)).toBe(value);
});
