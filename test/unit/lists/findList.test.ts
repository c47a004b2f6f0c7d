/** The list in a response, wherever in it the list is; `test/engine/conventions` reads the usual ones. */
import { findList, findListAgain } from '../../../nodes/BusinessData/lists/findList';
import { RequestError } from '../../../nodes/BusinessData/transport/requestError';
import { valueAt } from '../../../nodes/BusinessData/values/dotPath';
import { errorOf } from '../transport/examples';

const ONE = { id: 1 };

/** What is said of a list that is not found. */
const refusalOf = (body: unknown, itemsField = '') =>
	(errorOf(() => findList(body, itemsField)) as RequestError).details;

describe('the list in a response', () => {
	test.each<[string, unknown, string, unknown[]]>([
		['an empty response', [], '', []],
		['no entries at all', [], '*.customer', []],
		['no entries by their IDs', {}, '*', []],
		['null beside the page', { rows: null, page: 1, links: { next: null, pages: 0 } }, '', []],
		['nothing around the field that is named', { data: {}, more: 1 }, 'data.items', []],
		['null beside success', { ok: true, data: null, more: { start: 0, next: '' } }, '', []],
		['nothing but no next page', { next: null }, '', []],
		['null in place of the entries', { list: null, page: 1 }, 'list.*.customer', []],
		['the field that is named', { a: [1], b: [2] }, 'b', [2]],
		['the list of objects', { sort: [{ a: 1 }], tags: ['x'], rows: [ONE] }, '', [ONE]],
		['an empty list beside a sort order', { sort: [{ a: 1 }], rows: [] }, '', []],
		['a single record', { client: { a: 1 } }, 'client', [{ a: 1 }]],
		['one with lists', { client: { id: 1, a: [ONE] } }, 'client', [{ id: 1, a: [ONE] }]],
		['nothing', { client: {} }, 'client', []],
		['nothing at all', {}, '', []],
		['nothing beside a time', { QueryResponse: {}, time: '2026-11-26', errors: {} }, '', []],
		['none by the total', { clients: { '@total': '0' } }, 'clients.client', []],
		['the lists of every entry', { data: [{ b: [1] }, { b: [2] }] }, 'data.*.b', [1, 2]],
		['the entries by their keys', { 17: { a: 1 } }, '*', [{ id: '17', a: 1 }]],
		['beside the links', { _links: { curies: [{ a: 1 }] }, _embedded: { a: [ONE] } }, '', [ONE]],
		['a field with dots in its name', { 'a.b': { 'c.d': [1] } }, 'a.b.c.d', [1]],
		['a field in a list', { pages: [{ items: [1] }] }, 'pages.0.items', [1]],
	])('is %s', (_, body, itemsField, list) => {
		expect(findList(body, itemsField).records).toEqual(list);
	});

	const NONE = 'the response contains no list';
	const SEVERAL = 'the response contains several lists';
	test.each<[string, unknown, string, string]>([
		['a record with an empty field', { id: 1, tags: {} }, '', NONE],
		['no next page of page 1', { page: 1, next: null }, '', NONE],
		['null beside the next page', { rows: null, next: 'b' }, '', NONE],
		['null beside what may be a failure', { rows: null, page: 1, code: 17 }, '', NONE],
		['null beside a word', { rows: null, page: 1, limit: 'exceeded' }, '', NONE],
		['no list', { id: 1 }, '', NONE],
		['success alone', { success: true }, '', NONE],
		['several lists', { a: [1], b: [2] }, '', SEVERAL],
		['a text', 'text', '', NONE],
		['errors beside null', { data: null, errors: [{ code: 1 }] }, '', NONE],
		['a message beside nothing', { data: {}, message: 'Down' }, '', NONE],
		['a failure beside nothing', { data: {}, success: false }, '', NONE],
		['a message', { message: 'x', errors: {} }, '', NONE],
		['a record with nothing in a field', { id: 1, tags: {}, of: ONE }, '', NONE],
		['errors in an object', { a: { Warning: [{ b: 1 }] } }, '', NONE],
		['what is invalid', { success: false, validationErrors: [ONE] }, '', NONE],
		['what was said of a failure', { status: 'error', messages: [ONE] }, '', NONE],
		['an empty list beside texts', { a: [], deletedIds: ['17'] }, '', SEVERAL],
		['lists', { data: { a: [{}], b: [] } }, 'data', '"data" is an object with lists in it'],
		['a map', { data: { 0: ONE, 2: ONE } }, 'data', '"data" is an object with objects in it'],
		['another field', { a: [1] }, 'b', 'there is no list at "b"'],
		['a field that is no list', { a: { b: 1 } }, 'a.b', 'there is no list at "a.b"'],
		['an inherited field', { a: 1 }, 'constructor', 'there is no list at "constructor"'],
		['the response itself', [1], 'items', 'there is no list at "items"'],
	])('is not found in %s', (_, body, itemsField, problem) => {
		const error = errorOf(() => findList(body, itemsField));
		expect(error).toBeInstanceOf(RequestError);
		expect(error).toMatchObject({
			message: `Items Field: ${problem}`,
			details: { outcome: 'unknown' },
		});
	});

	test.each([{ list: [{ a: 1 }] }, { status: 'failed' }])('is not found again in %j', (body) => {
		const itemsField = 'list.*.customer';
		const error = errorOf(() => findListAgain(body, itemsField, { itemsField, page: 2 }, ''));
		expect(error).toHaveProperty('message', `Items Field: there is no list at "${itemsField}"`);
	});

	test.each([
		[{ customers: { 17: { a: 1 } } }, 'customers.*'],
		[{ 17: { a: 1 }, 19: { a: 2 } }, '*'],
	])('that may be the entries of %j is named', (body, name) => {
		expect(refusalOf(body).description).toContain(`Perhaps it is ${name}.`);
	});

	test('that is the response itself needs no field', () => {
		expect(refusalOf([ONE], 'data').description).toContain('leave the option Items Field empty');
		expect(findList([ONE], '').records).toEqual([ONE]);
	});

	test('that is not found is looked for among the fields that are there', () => {
		const { description } = refusalOf({ a: 'secret', b: [{}], c: [{}] });
		expect(description).toContain('The response has the fields a, b, c.');
		expect(description).not.toContain('secret');
	});

	test.each([
		['fields', 1, /f19\.$/],
		['lists', [ONE], /or f19\. .*f19\.$/],
	])('of many %s only the first are named', (_, value, named) => {
		const many = Object.fromEntries(Array.from({ length: 50 }, (__, i) => [`f${i}`, value]));
		expect(refusalOf(many).description).toMatch(named);
	});
});

describe('the value at a path', () => {
	const body = { a: { b: [{ c: 0 }], '': 1 }, n: null };

	test.each([
		['a.b.0.c', 0],
		['n', null],
		['a.', 1],
		['a.b.1.c', undefined],
		['n.x', undefined],
		['toString', undefined],
		['a.b.0.c.toFixed', undefined],
		['__proto__.x', undefined],
	])('%s is %j', (path, value) => {
		expect(valueAt(body, path)).toBe(value);
	});

	test.each([undefined, null, 5, 'text'])('of %j is undefined', (value) => {
		expect(valueAt(value, 'length')).toBeUndefined();
	});
});
