/** What a request sends: the item itself, fields one by one, or JSON. */
import type { IDataObject } from 'n8n-workflow';

import { readBody } from '../../../nodes/BusinessData/resources/requestBody';
import { inRun } from './fakeContext';

const item = { id: 7, lines: [{ total: 1.5 }], note: null };
const bodyOf = async (parameters: IDataObject) =>
	await inRun({ items: [{ other: true }, item], parameters }, (run) => readBody(run, 1));
const ofFields = async (...assignments: unknown[]) =>
	await bodyOf({ dataMode: 'defineBelow', assignments: { assignments } });
const field = (name: unknown, type?: unknown, value?: unknown) => ({ id: 'a', name, type, value });
const ofJson = async (jsonBody: unknown) =>
	await bodyOf({ dataMode: 'json', jsonBody: jsonBody as IDataObject });

test('with Auto-Map Input Data, dates are what they write themselves as', async () => {
	const due = { toJSON: () => '2026-01-31', ts: NaN };
	const setup = {
		items: [{ due, at: new Date(0) } as unknown as IDataObject],
		parameters: { dataMode: 'autoMapInputData' },
	};
	const body = await inRun(setup, (run) => JSON.stringify(readBody(run, 0)));
	expect(body).toBe('{"due":"2026-01-31","at":"1970-01-01T00:00:00.000Z"}');
});

test("with Auto-Map Input Data it is the item's own JSON", async () => {
	expect(await bodyOf({ dataMode: 'autoMapInputData', jsonBody: 'not used' })).toEqual(item);
});

describe('with Define Below it', () => {
	test('has the fields, each with a value of its type', async () => {
		expect(
			await ofFields(
				field('contactId', 'string', '42'),
				field(' total ', 'number', 1.5),
				field('isUrgent', 'boolean', false),
				field('lines', 'array', [{ a: 1 }]),
				field('customer', 'object', { id: 7 }),
				field('note', 'string', ''),
			),
		).toEqual({
			contactId: '42',
			total: 1.5,
			isUrgent: false,
			lines: [{ a: 1 }],
			customer: { id: 7 },
			note: '',
		});
	});

	test('is the way that is chosen at first, and empty without fields', async () => {
		expect(await bodyOf({})).toEqual({});
		expect(await bodyOf({ assignments: {} })).toEqual({});
		expect(await ofFields()).toEqual({});
	});

	test('is nested where names have dots', async () => {
		const body = await ofFields(
			field('customer.id', 'number', 1),
			field('customer.address.city', 'string', 'Ghent'),
			field('constructor.name', 'string', 'b'),
			field('lines.0', 'string', 'c'),
			field('customer.name', 'string', 'd'),
		);
		expect(JSON.stringify(body)).toBe(
			'{"customer":{"id":1,"address":{"city":"Ghent"},"name":"d"},"constructor":{"name":"b"},"lines":{"0":"c"}}',
		);
	});

	test.each(['', '  ', undefined, null, 5])('must not have the name %j', async (name) => {
		await expect(ofFields(field('a', 'number', 1), field(name))).rejects.toMatchObject({
			message: 'Fields: a name is empty',
			description: 'Enter the name of the field, or remove the entry.',
		});
	});

	test.each([
		['a..b', 'has an empty part'],
		['.a', 'has an empty part'],
		['a.', 'has an empty part'],
		['.', 'has an empty part'],
		['a. .b', 'has an empty part'],
		['a[0]', 'cannot be a name'],
		['a[b.c]', 'cannot be a name'],
		['__proto__', 'cannot be a name'],
		['a.__proto__.b', 'cannot be a name'],
	])('must not have the name %s, which only JSON can have', async (name, problem) => {
		await expect(ofFields(field(name, 'string', 'x'))).rejects.toMatchObject({
			message: `Fields: "${name}" ${problem}`,
			description: expect.stringContaining('Data to Send: JSON') as string,
		});
		expect(({} as Record<string, unknown>).b).toBeUndefined();
	});

	test('must not have a name twice', async () => {
		const twice = [field('a.b', 'number', 1), field('c'), field(' a.b', 'number', 2)];
		await expect(ofFields(...twice)).rejects.toThrow('Fields: "a.b" is there twice');
		const different = [field('a', 'number', 1), field('A', 'number', 2)];
		expect(await ofFields(...different)).toEqual({ a: 1, A: 2 });
	});

	test.each([
		[['a', 'a.b'], 'a'],
		[['a.b', 'a'], 'a'],
		[['x.a.b.c', 'x.a.b', 'y'], 'x.a.b'],
		[['x.a.b', 'x.a.b.c.d'], 'x.a.b'],
	])('must not have %j, of which one is inside of another', async (names, path) => {
		// An object could take the other's field in, but then one of them would be overwritten unseen.
		for (const value of [{ b: 1 }, null]) {
			const fields = names.map((name) => field(name, 'object', value));
			await expect(ofFields(...fields)).rejects.toThrow(
				`Fields: "${path}" is both a field and an object with fields of its own`,
			);
		}
	});
});

describe('numbers', () => {
	const holdsItself: IDataObject = {};
	holdsItself.a = { b: holdsItself };

	test.each<[value: unknown, problem: string]>([
		[NaN, '"x" is not a number that JSON can hold (NaN)'],
		[-Infinity, '"x" is not a number that JSON can hold (-Infinity)'],
		[
			{ lines: [{ total: 1 / 0 }] },
			'"x.lines.0.total" is not a number that JSON can hold (Infinity)',
		],
		[2 ** 53, '"x" is a number that JavaScript cannot hold exactly (9007199254740992)'],
		[[1, 1e21], '"x.1" is a number that JavaScript cannot hold exactly (1e+21)'],
		[2n ** 64n, '"x" is not a number that JSON can hold (18446744073709551616)'],
		[holdsItself, 'cannot be written as JSON (it holds itself, or is nested too deeply)'],
	])('%p is refused, wherever it comes from', async (value, problem) => {
		for (const type of ['string', 'number', 'boolean', 'array', 'object', undefined]) {
			await expect(ofFields(field('x', type, value))).rejects.toThrow(`Fields: ${problem}`);
		}
		await expect(ofJson({ x: value })).rejects.toThrow(`JSON Body: ${problem}`);
		const setup = { items: [{ x: value as string }], parameters: { dataMode: 'autoMapInputData' } };
		await expect(inRun(setup, (run) => readBody(run, 0))).rejects.toThrow(
			`Data to Send: ${problem}`,
		);
	});

	test('in a text are refused too, before they become others', async () => {
		const exact = 'is a number that JavaScript cannot hold exactly (9007199254740992)';
		await expect(ofFields(field('x', 'number', '9007199254740993'))).rejects.toThrow(
			`Fields: "x" ${exact}`,
		);
		await expect(ofFields(field('x', 'number', '1e400'))).rejects.toThrow('(Infinity)');
		await expect(ofFields(field('x', 'array', '[9007199254740993]'))).rejects.toThrow(
			`Fields: "x.0" ${exact}`,
		);
		await expect(ofJson('{"x":{"y":9007199254740993}}')).rejects.toThrow(
			`JSON Body: "x.y" ${exact}`,
		);
		expect(await ofFields(field('x', 'string', '9007199254740993'))).toEqual({
			x: '9007199254740993',
		});
	});
});

describe('with JSON it', () => {
	test.each([
		['a text with an object', ' {"a":{"b":[1]}} ', { a: { b: [1] } }],
		['a text with a list', '[{"a":1}]', [{ a: 1 }]],
		['an object of an expression', { a: 1 }, { a: 1 }],
		['a list of an expression', [1, 2], [1, 2]],
	])('is %s', async (_, jsonBody, body) => {
		expect(await ofJson(jsonBody)).toEqual(body);
	});

	test('is empty where nothing is written', async () => {
		expect(await bodyOf({ dataMode: 'json' })).toEqual({});
	});

	test.each(['', '{', "{'a':1}", '{"a":1,}', 'undefined', '{"a":[object Object]}'])(
		'must be JSON, not %j',
		async (jsonBody) => {
			await expect(ofJson(jsonBody)).rejects.toThrow('JSON Body: is not valid JSON (');
		},
	);

	test.each(['null', '5', '"text"', 'true', null, 5, true])(
		'must be an object or a list, not %j',
		async (jsonBody) => {
			await expect(ofJson(jsonBody)).rejects.toMatchObject({
				message: 'JSON Body: must be an object or a list',
				description: 'For example {"contactId": "42"}.',
			});
		},
	);
});

test('a way that is not known is refused', async () => {
	await expect(bodyOf({ dataMode: 'xml' })).rejects.toThrow('Data to Send: is not known');
});
