/** What a request sends: the item itself, fields one by one, or JSON. */
import type { IDataObject } from 'n8n-workflow';

import { readJsonBody } from '../../../nodes/BusinessData/parameters/requestBody';
import { inRun } from '../run/fakeContext';

const item = { id: 7, lines: [{ total: 1.5 }], note: null };
const bodyOf = async (parameters: IDataObject) =>
	await inRun({ items: [{ other: true }, item], parameters }, (run) => readJsonBody(run, 1));
const ofFields = async (...assignments: unknown[]) =>
	await bodyOf({ dataMode: 'defineBelow', assignments: { assignments } });
const field = (name: unknown, type?: unknown, value?: unknown) => ({ id: 'a', name, type, value });
const ofJson = async (jsonBody: unknown) =>
	await bodyOf({ dataMode: 'json', jsonBody: jsonBody as IDataObject });
const ofItem = async (x: unknown) => {
	const setup = { items: [{ x: x as string }], parameters: { dataMode: 'autoMapInputData' } };
	return await inRun(setup, (run) => readJsonBody(run, 0));
};
const TYPES = ['string', 'number', 'boolean', 'array', 'object', undefined];

test("with Auto-Map Input Data it is the item's own JSON, with dates as they write themselves", async () => {
	expect(await bodyOf({ dataMode: 'autoMapInputData', jsonBody: 'not used' })).toEqual(item);
	const due = { toJSON: () => '2026-01-31', ts: NaN };
	expect(JSON.stringify(await ofItem([due, new Date(0)]))).toBe(
		'{"x":["2026-01-31","1970-01-01T00:00:00.000Z"]}',
	);
});

describe('with Define Below it', () => {
	test('has the fields, each with a value of its type', async () => {
		const body = await ofFields(
			field('contactId', 'string', '42'),
			field(' total ', 'number', 1.5),
			field('isUrgent', 'boolean', false),
			field('lines', 'array', [{ a: 1 }]),
			field('customer', 'object', { id: 7 }),
			field('note', 'string', ''),
			field('A', 'number', 1),
			field('a', 'number', 2),
		);
		expect(JSON.stringify(body)).toBe(
			'{"contactId":"42","total":1.5,"isUrgent":false,"lines":[{"a":1}],"customer":{"id":7},"note":"","A":1,"a":2}',
		);
	});

	test('is the way that is chosen at first, and empty without fields', async () => {
		expect(await bodyOf({})).toEqual({});
		expect(await bodyOf({ assignments: {} })).toEqual({});
		expect(await ofFields()).toEqual({});
	});

	test('is nested where names have dots', async () => {
		const names = ['customer.id', 'customer.address.city', 'constructor.name', 'lines.0'];
		const fields = [...names, 'customer.name'].map((name) => field(name, 'string', 'x'));
		expect(JSON.stringify(await ofFields(...fields))).toBe(
			'{"customer":{"id":"x","address":{"city":"x"},"name":"x"},"constructor":{"name":"x"},"lines":{"0":"x"}}',
		);
	});

	test.each(['', '  ', undefined, null, {}])('must not have the name %j', async (name) => {
		await expect(ofFields(field('a', 'number', 1), field(name, 'number', 1))).rejects.toThrow(
			/^Fields: (a name is empty|"name" has no value \(null\)|"name" is not a text)$/,
		);
	});

	test.each([
		...['a..b', '.a', 'a.', '.', 'a. .b'].map((name) => [name, 'has an empty part']),
		...['a[0]', 'a[b.c]', '__proto__', 'a.__proto__.b'].map((name) => [name, 'cannot be a name']),
	])('must not have the name %s, which only JSON can have', async (name, problem) => {
		await expect(ofFields(field(name, 'string', 'x'))).rejects.toMatchObject({
			message: `Fields: "${name}" ${problem}`,
			description: expect.stringContaining('Data to Send: JSON') as string,
		});
		expect(({} as Record<string, unknown>).b).toBeUndefined();
	});

	const BOTH = 'is both a field and an object with fields of its own';
	test.each([
		[['a.b', 'c', ' a.b'], '"a.b" is there twice'],
		[['a', 'a.b'], `"a" ${BOTH}`],
		[['a.b', 'a'], `"a" ${BOTH}`],
		[['x.a.b.c', 'x.a.b', 'y'], `"x.a.b" ${BOTH}`],
		[['x.a.b', 'x.a.b.c.d'], `"x.a.b" ${BOTH}`],
	])('must not have the names %j: %s', async (names, problem) => {
		// An object could take the other's field in, but then one of them would be overwritten unseen.
		for (const value of [{ b: 1 }, null]) {
			const fields = names.map((name) => field(name, 'object', value));
			await expect(ofFields(...fields)).rejects.toThrow(`Fields: ${problem}`);
		}
	});
});

const holdsItself: Record<string, unknown> = {};
holdsItself.a = { b: holdsItself };

describe('a value that no one can have meant', () => {
	const exact = 'is a number that JavaScript cannot hold exactly';
	test.each<[value: unknown, path: string, problem: string]>([
		[NaN, '', 'is not a number that JSON can hold (NaN)'],
		[-Infinity, '', 'is not a number that JSON can hold (-Infinity)'],
		[{ lines: [{ total: 1 / 0 }] }, '.lines.0.total', 'is not a number that JSON can hold'],
		[2 ** 53, '', `${exact} (9007199254740992)`],
		[[1, 1e21], '.1', `${exact} (1e+21)`],
		[2n ** 64n, '', 'is not a number that JSON can hold (18446744073709551616)'],
		[undefined, '', 'has no value (undefined)'],
		[[1, undefined], '.1', 'has no value (undefined)'],
		[{ due: new Date(NaN) }, '.due', 'is an invalid date'],
		[[{ due: { toJSON: () => null } }], '.0.due', 'is an invalid date'],
		[{ a: () => 1 }, '.a', 'is a function'],
		[Symbol('a'), '', 'is a symbol'],
		[new Map([['a', 1]]), '', 'is an object that JSON cannot hold (Map)'],
		[/a/, '', 'is an object that JSON cannot hold (RegExp)'],
		[new Error('a'), '', 'is an object that JSON cannot hold (Error)'],
	])('%p is refused, wherever it comes from', async (value, path, problem) => {
		await expect(ofItem(value)).rejects.toThrow(`Data to Send: "x${path}" ${problem}`);
		await expect(ofJson({ x: value })).rejects.toThrow(`JSON Body: "x${path}" ${problem}`);
		for (const type of TYPES) {
			await expect(ofFields(field('x', type, value))).rejects.toThrow(
				`Fields: "x${path}" ${problem}`,
			);
		}
	});

	test('is one that holds itself', async () => {
		const problem = 'cannot be written as JSON (it holds itself, or is nested too deeply)';
		await expect(ofItem(holdsItself)).rejects.toThrow(`Data to Send: ${problem}`);
		await expect(ofFields(field('x', 'object', holdsItself))).rejects.toThrow(
			`Fields: "x" ${problem}`,
		);
	});

	test('in a text is refused too, before it becomes another', async () => {
		const rounded = `${exact} (9007199254740992)`;
		for (const [type, text, problem] of [
			['number', '9007199254740993', `"x" ${rounded}`],
			['number', '9'.repeat(400), '"x" is not a number that JSON can hold (Infinity)'],
			['array', '[9007199254740993]', `"x.0" ${rounded}`],
		]) {
			await expect(ofFields(field('x', type, text))).rejects.toThrow(`Fields: ${problem}`);
		}
		const json = '{"x":{"y":9007199254740993}}';
		await expect(ofJson(json)).rejects.toThrow(`JSON Body: "x.y" ${rounded}`);
		const text = { x: '9007199254740993' };
		expect(await ofFields(field('x', 'string', text.x))).toEqual(text);
	});

	const TEXTS = ['undefined', ' null ', 'NaN', 'Invalid Date', 'Due: Invalid DateTime'];
	const OBJECT = 'a [object Object]';

	test.each([...TEXTS, OBJECT, 'function () { return 1; }', '(a) => a'])(
		'is the text %j of another node or an expression',
		async (text) => {
			await expect(ofItem([text])).rejects.toThrow('Data to Send: "x.0" is the ');
			await expect(ofItem({ [text]: 1 })).rejects.toThrow('has a name that is the ');
			await expect(ofJson({ x: text })).rejects.toThrow('JSON Body: "x" is the ');
		},
	);

	test.each([
		...['null and void', 'Nan', 'Nullarbor', 'undefined term', 'invalid date of birth'],
		...['A => B', '(see above) => paid', 'The function (f) maps {a} to {b}'],
	])('is not %j', async (text) => {
		expect(await ofItem(text)).toEqual({ x: text });
	});

	test.each([...TEXTS, OBJECT])('is not %j where a person has written it', async (text) => {
		const written = { dataMode: 'json', jsonBody: JSON.stringify({ x: text }) };
		const setup = { parameters: written, written };
		expect(await inRun(setup, (run) => readJsonBody(run, 0))).toEqual({ x: text });
	});
});

test.each<[field: string, parameters: IDataObject]>([
	['Fields', {}],
	['Fields', { assignments: { assignments: [] } }],
	['JSON Body', { dataMode: 'json' }],
	['JSON Body', { dataMode: 'json', jsonBody: ' {} ' }],
	['JSON Body', { dataMode: 'json', jsonBody: [] }],
	['Data to Send', { dataMode: 'autoMapInputData' }],
])('an empty document is refused by the field to fill, %s: %j', async (name, parameters) => {
	const read = async (json: IDataObject) =>
		await inRun({ items: [json], parameters }, (run) => readJsonBody(run, 0, true));
	await expect(read({})).rejects.toThrow(`${name}: there is nothing to send`);
	if (name === 'Data to Send') expect(await read({ note: null })).toEqual({ note: null });
});

describe('with JSON it', () => {
	test.each([
		[' {"a":{"b":[1]}} ', { a: { b: [1] } }],
		['[{"a":1}]', [{ a: 1 }]],
		[{ a: 1 }, { a: 1 }],
		[
			[1, 2],
			[1, 2],
		],
	])('is %j', async (jsonBody, body) => {
		expect(await ofJson(jsonBody)).toEqual(body);
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
			await expect(ofJson(jsonBody)).rejects.toThrow('JSON Body: must be an object or a list');
		},
	);
});

test('a way that is not known is refused', async () => {
	await expect(bodyOf({ dataMode: 'xml' })).rejects.toThrow('Data to Send: is not known');
});
