/** Finds the list anywhere in a response; `test/engine/conventions` covers the usual forms. */
import { findList, findListAgain } from '../../../nodes/BusinessData/lists/findList';
import { RequestError } from '../../../nodes/BusinessData/transport/requestError';
import { errorOf } from '../transport/examples';

const ONE = { id: 1 };

describe('the list in a response', () => {
	test.each<[string, unknown, string, unknown[]]>([
		['an empty response', [], '', []],
		['the response itself', [ONE], '', [ONE]],
		['an empty list of entries', [], '*.customer', []],
		['an empty map of entries', {}, '*', []],
		['null next to page numbers', { rows: null, page: 1, links: { next: null, pages: 0 } }, '', []],
		['an empty object without the named field', { data: {}, more: 1 }, 'data.items', []],
		['null next to a success flag', { ok: true, data: null, more: { start: 0, next: '' } }, '', []],
		['a response with only a null next page', { next: null }, '', []],
		['null in place of the entries', { list: null, page: 1 }, 'list.*.customer', []],
		['the named field', { a: [1], b: [2] }, 'b', [2]],
		['the list of objects among others', { sort: [{ a: 1 }], tags: ['x'], rows: [ONE] }, '', [ONE]],
		['an empty list next to a sort order', { sort: [{ a: 1 }], rows: [] }, '', []],
		['a single record', { client: { a: 1 } }, 'client', [{ a: 1 }]],
		['a record that has lists', { client: { id: 1, a: [ONE] } }, 'client', [{ id: 1, a: [ONE] }]],
		['an empty named object', { client: {} }, 'client', []],
		['an empty object', {}, '', []],
		['an empty object with a time', { QueryResponse: {}, time: '2026-11-26', errors: {} }, '', []],
		['a missing list whose total is 0', { clients: { '@total': '0' } }, 'clients.client', []],
		['the lists of all entries', { data: [{ b: [1] }, { b: [2] }] }, 'data.*.b', [1, 2]],
		['a map of records by ID', { 17: { a: 1 } }, '*', [{ id: '17', a: 1 }]],
		['lists next to links', { _links: { curies: [{ a: 1 }] }, _embedded: { a: [ONE] } }, '', [ONE]],
		['a field with dots in its name', { 'a.b': { 'c.d': [1] } }, 'a.b.c.d', [1]],
		['a field in a list', { pages: [{ items: [1] }] }, 'pages.0.items', [1]],
	])('is found in %s', (_, body, itemsField, list) => {
		expect(findList(body, itemsField).records).toEqual(list);
	});

	const NONE = 'the response contains no list';
	const SEVERAL = 'the response contains several lists';
	test.each<[string, unknown, string, string]>([
		['a record with an empty field', { id: 1, tags: {} }, '', NONE],
		['a null next page of page 1', { page: 1, next: null }, '', NONE],
		['null next to a next page', { rows: null, next: 'b' }, '', NONE],
		['null next to a possible error code', { rows: null, page: 1, code: 17 }, '', NONE],
		['null next to a text', { rows: null, page: 1, limit: 'exceeded' }, '', NONE],
		['a record without lists', { id: 1 }, '', NONE],
		['a success flag alone', { success: true }, '', NONE],
		['several lists', { a: [1], b: [2] }, '', SEVERAL],
		['a text', 'text', '', NONE],
		['null next to errors', { data: null, errors: [{ code: 1 }] }, '', NONE],
		['an empty object next to a message', { data: {}, message: 'Down' }, '', NONE],
		['an empty object next to a failure', { data: {}, success: false }, '', NONE],
		['a message', { message: 'x', errors: {} }, '', NONE],
		['a record with an empty object', { id: 1, tags: {}, of: ONE }, '', NONE],
		['a list of warnings', { a: { Warning: [{ b: 1 }] } }, '', NONE],
		['a list of validation errors', { success: false, validationErrors: [ONE] }, '', NONE],
		['the messages of a failure', { status: 'error', messages: [ONE] }, '', NONE],
		['an empty list next to texts', { a: [], deletedIds: ['17'] }, '', SEVERAL],
		['nested lists', { data: { a: [{}], b: [] } }, 'data', '"data" is an object with lists in it'],
		['a named map', { data: { 0: ONE, 2: ONE } }, 'data', '"data" is an object with objects in it'],
		['a response without the named field', { a: [1] }, 'b', 'there is no list at "b"'],
		['a named field that is no list', { a: { b: 1 } }, 'a.b', 'there is no list at "a.b"'],
		['an inherited field', { a: 1 }, 'constructor', 'there is no list at "constructor"'],
		['a response that is a list itself', [1], 'items', 'there is no list at "items"'],
	])('is not found in %s', (_, body, itemsField, problem) => {
		const error = errorOf(() => findList(body, itemsField));
		expect(error).toBeInstanceOf(RequestError);
		expect(error).toMatchObject({
			message: `Items Field: ${problem}`,
			details: { outcome: 'unknown' },
		});
	});

	test.each([{ list: [{ a: 1 }] }, { status: 'failed' }])('is not found in page 2: %j', (body) => {
		const itemsField = 'list.*.customer';
		const error = errorOf(() => findListAgain(body, itemsField, { itemsField, page: 2 }, ''));
		expect(error).toHaveProperty('message', `Items Field: there is no list at "${itemsField}"`);
	});

	const many = (value: unknown) =>
		Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, value]));
	test.each<[string, unknown, string, RegExp]>([
		['may be entries', { customers: { 17: { a: 1 } } }, '', /Perhaps it is customers\.\*\./],
		['may be the entries of the response', { 17: { a: 1 }, 19: {} }, '', /Perhaps it is \*\./],
		['is the response itself', [ONE], 'data', /leave the option Items Field empty/],
		['has no name yet', { a: 'secret', b: [{}], c: [{}] }, '', /has the fields a, b, c\./],
		['is not among the first of many fields', many(1), '', /f19\.$/],
		['is one of many lists', many([ONE]), '', /or f19\. .*f19\.$/],
	])('is not found, and the error helps if it %s', (_, body, itemsField, help) => {
		const error = errorOf(() => findList(body, itemsField)) as RequestError;
		expect(error.details.description).toMatch(help);
		expect(error.details.description).not.toContain('secret');
	});
});
