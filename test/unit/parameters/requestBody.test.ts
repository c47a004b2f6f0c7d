/** What a request sends: the item itself, fields one by one, or JSON. */
import type { IDataObject } from 'n8n-workflow';

import { readJsonBody, readDocument } from '../../../nodes/BusinessData/parameters/requestBody';
import { inRun } from '../run/fakeContext';

const item = { id: 7, lines: [{ total: 1.5 }], note: null };
const bodyOf = async (parameters: IDataObject) =>
	await inRun({ items: [{ other: true }, item], parameters }, (run) => readJsonBody(run, 1));
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
	const body = await inRun(setup, (run) => JSON.stringify(readJsonBody(run, 0)));
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

	test.each(['', '  ', undefined, null, {}])('must not have the name %j', async (name) => {
		await expect(ofFields(field('a', 'number', 1), field(name, 'number', 1))).rejects.toThrow(
			/^Fields: (a name is empty|"name" has no value \(null\)|"name" is not a text)$/,
		);
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
		const twice = [field('a.b', 'number', 1), field('c', 'string', ''), field(' a.b', 'number', 2)];
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
	])('%p is refused, wherever it comes from', async (value, problem) => {
		for (const type of ['string', 'number', 'boolean', 'array', 'object', undefined]) {
			await expect(ofFields(field('x', type, value))).rejects.toThrow(`Fields: ${problem}`);
		}
		await expect(ofJson({ x: value })).rejects.toThrow(`JSON Body: ${problem}`);
		const setup = { items: [{ x: value as string }], parameters: { dataMode: 'autoMapInputData' } };
		await expect(inRun(setup, (run) => readJsonBody(run, 0))).rejects.toThrow(
			`Data to Send: ${problem}`,
		);
	});

	test('in a text are refused too, before they become others', async () => {
		const exact = 'is a number that JavaScript cannot hold exactly (9007199254740992)';
		await expect(ofFields(field('x', 'number', '9007199254740993'))).rejects.toThrow(
			`Fields: "x" ${exact}`,
		);
		await expect(ofFields(field('x', 'number', '9'.repeat(400)))).rejects.toThrow('(Infinity)');
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

describe('a value that no one can have meant', () => {
	const ofItem = async (x: unknown) => {
		const setup = { items: [{ x: x as string }], parameters: { dataMode: 'autoMapInputData' } };
		return await inRun(setup, (run) => readJsonBody(run, 0));
	};
	const invalid = new Date(NaN);
	const holdsItself: Record<string, unknown> = {};
	holdsItself.a = { b: holdsItself };

	test.each<[value: unknown, path: string, problem: string]>([
		[undefined, '', 'has no value (undefined)'],
		[[1, undefined], '.1', 'has no value (undefined)'],
		[{ due: invalid }, '.due', 'is an invalid date'],
		[[{ due: { toJSON: () => null } }], '.0.due', 'is an invalid date'],
		[{ a: () => 1 }, '.a', 'is a function'],
		[Symbol('a'), '', 'is a symbol'],
		[new Map([['a', 1]]), '', 'is an object that JSON cannot hold (Map)'],
		[/a/, '', 'is an object that JSON cannot hold (RegExp)'],
		[new Error('a'), '', 'is an object that JSON cannot hold (Error)'],
		[holdsItself, '', 'cannot be written as JSON (it holds itself, or is nested too deeply)'],
	])('%p is refused, wherever it comes from', async (value, path, problem) => {
		await expect(ofItem(value)).rejects.toThrow(
			path === '' && value === holdsItself ? problem : `Data to Send: "x${path}" ${problem}`,
		);
		await expect(ofJson({ x: value })).rejects.toThrow(`JSON Body: `);
		for (const type of ['string', 'number', 'array', 'object', undefined]) {
			await expect(ofFields(field('x', type, value))).rejects.toThrow(
				`Fields: "x${path}" ${problem}`,
			);
		}
	});

	const TEXTS = [
		'undefined',
		' null ',
		'NaN',
		'Invalid Date',
		'Due: Invalid DateTime',
		'a [object Object]',
	];

	test.each([...TEXTS, 'function () { return 1; }', '(a) => a'])(
		'%j of another node or an expression is refused',
		async (text) => {
			await expect(ofItem([text])).rejects.toThrow('Data to Send: "x.0" is the ');
			await expect(ofItem({ [text]: 1 })).rejects.toThrow('has a name that is the ');
			await expect(ofJson({ x: text })).rejects.toThrow('JSON Body: "x" is the ');
		},
	);

	test.each([
		...['null and void', 'Nan', 'Nullarbor', 'undefined term', 'invalid date of birth'],
		...['A => B', '(see above) => paid', 'The function (f) maps {a} to {b}'],
	])('%j is a text like any other', async (text) => {
		expect(await ofItem(text)).toEqual({ x: text });
	});

	test.each(TEXTS)('%j is sent where a person has written it', async (text) => {
		const written = { dataMode: 'json', jsonBody: JSON.stringify({ x: text }) };
		const setup = { parameters: written, written };
		expect(await inRun(setup, (run) => readJsonBody(run, 0))).toEqual({ x: text });
	});
});

describe('of a document', () => {
	test.each<[field: string, parameters: IDataObject]>([
		['Fields', {}],
		['Fields', { assignments: { assignments: [] } }],
		['JSON Body', { dataMode: 'json' }],
		['JSON Body', { dataMode: 'json', jsonBody: ' {} ' }],
		['JSON Body', { dataMode: 'json', jsonBody: [] }],
		['Data to Send', { dataMode: 'autoMapInputData' }],
	])(
		'an empty one is refused by the name of the field to fill, %s: %j',
		async (field, parameters) => {
			await expect(inRun({ parameters }, (run) => readDocument(run, 0))).rejects.toThrow(
				`${field}: there is nothing to send`,
			);
		},
	);

	test('one with a field is not', async () => {
		const setup = { items: [{ note: null }], parameters: { dataMode: 'autoMapInputData' } };
		expect(await inRun(setup, (run) => readDocument(run, 0))).toEqual({ note: null });
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
