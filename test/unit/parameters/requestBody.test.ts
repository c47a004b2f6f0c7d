/** The body of a request: the item itself, JSON, or single fields, with each value sent as meant or refused. */
import type { IDataObject } from 'n8n-workflow';

import { readJsonBody } from '../../../nodes/BusinessData/parameters/requestBody';
import { inRun, type Setup } from '../run/fakeContext';
import { requiredFields } from '../transport/examples';

const bodyOf = async (setup: Setup, isDocument = false) =>
	await inRun(setup, (run) => readJsonBody(run, 0, { isDocument }));
const ofItem = async (json: unknown, isDocument = false) => {
	const setup = { items: [json as IDataObject], parameters: { dataMode: 'autoMapInputData' } };
	return await bodyOf(setup, isDocument);
};
const ofJson = async (jsonBody: unknown) =>
	await bodyOf({ parameters: { dataMode: 'json', jsonBody: jsonBody as IDataObject } });
const ofFields = async (...assignments: unknown[]) =>
	await bodyOf({ parameters: { assignments: { assignments } as unknown as IDataObject } });
const field = (name: unknown, type?: unknown, value?: unknown) => ({ id: 'a', name, type, value });
const ofValue = async (type: unknown, value: unknown) => await ofFields(field('x', type, value));
const TYPES = ['string', 'number', 'boolean', 'array', 'object', undefined];

test('Auto-Map Input Data sends the JSON of the item, with dates in their own JSON form', async () => {
	const due = { toJSON: () => '2026-01-31', ts: NaN };
	const item = { id: 7, lines: [{ total: 1.5 }], note: null, dates: [due, new Date(0)] };
	expect(JSON.stringify(await ofItem(item))).toBe(
		'{"id":7,"lines":[{"total":1.5}],"note":null,"dates":["2026-01-31","1970-01-01T00:00:00.000Z"]}',
	);
});

test.each<[jsonBody: unknown, body: unknown]>([
	[' {"a":{"b":[1]}} ', { a: { b: [1] } }],
	['[{"a":1}]', [{ a: 1 }]],
	[{ a: 1 }, { a: 1 }],
	[[1, 2], [1, 2]], // prettier-ignore
	...['', '{', "{'a':1}", '{"a":1,}', 'undefined', '{"a":[object Object]}'].map(
		(text): [unknown, string] => [text, 'JSON Body: is not valid JSON ('],
	),
	...['null', '5', '"text"', 'true', null, 5, true].map((value): [unknown, string] => [
		...([value, 'JSON Body: must be an object or a list'] as const),
	]),
])('the JSON Body %j gives %j', async (jsonBody, body) => {
	if (typeof body === 'string') await expect(ofJson(jsonBody)).rejects.toThrow(body);
	else expect(await ofJson(jsonBody)).toEqual(body);
});

test('Define Below is the default, and an unknown Data to Send is refused', async () => {
	for (const parameters of [{}, { assignments: {} }, { assignments: { assignments: [] } }]) {
		expect(await bodyOf({ parameters })).toEqual({});
	}
	const unknown = bodyOf({ parameters: { dataMode: 'xml' } });
	await expect(unknown).rejects.toThrow('Data to Send: is not known');
});

test.each<[field: string, parameters: IDataObject]>([
	['Fields', {}],
	['JSON Body', { dataMode: 'json' }],
	['JSON Body', { dataMode: 'json', jsonBody: [] }],
	['Data to Send', { dataMode: 'autoMapInputData' }],
])('an empty document is refused, naming the field %s: %j', async (name, parameters) => {
	const read = bodyOf({ parameters }, true);
	await expect(read).rejects.toThrow(`${name}: there is nothing to send`);
	expect(await bodyOf({ parameters })).toEqual(parameters.jsonBody ?? {});
	expect(await ofItem({ note: null }, true)).toEqual({ note: null });
});

describe('the name of a field', () => {
	test('is trimmed, keeps its case, and makes nested objects if it has dots', async () => {
		const names = [' total ', 'A', 'a', 'c.id', 'c.address.city', 'constructor.name', 'l.0', 'c.n'];
		const fields = names.map((name) => field(name, 'string', 'x'));
		expect(JSON.stringify(await ofFields(...fields))).toBe(
			'{"total":"x","A":"x","a":"x","c":{"id":"x","address":{"city":"x"},"n":"x"},"constructor":{"name":"x"},"l":{"0":"x"}}',
		);
	});

	test.each(['', '  ', undefined, null, {}])('must not be %j', async (name) => {
		await expect(ofFields(field('a', 'number', 1), field(name, 'number', 1))).rejects.toThrow(
			/^Fields: (a name is empty|"name" has no value \(null\)|"name" is not a text)$/,
		);
	});

	test.each([
		...['a..b', '.a', 'a.', '.', 'a. .b', 'a[0]', 'a[b.c]', '__proto__', 'a.__proto__.b'],
	])('must not be %s, which only the JSON mode can send', async (name) => {
		await expect(ofFields(field(name, 'string', 'x'))).rejects.toMatchObject({
			message: `Fields: "${name}" cannot be a name`,
			description: expect.stringContaining('Data to Send: JSON') as string,
		});
		expect(({} as Record<string, unknown>).b).toBeUndefined();
	});

	const BOTH = 'is both a field and an object with fields of its own';
	test.each([
		[['a.b', 'c', ' a.b'], '"a.b" appears twice'],
		[['a', 'a.b'], `"a" ${BOTH}`],
		[['a.b', 'a'], `"a" ${BOTH}`],
		[['x.a.b.c', 'x.a.b', 'y'], `"x.a.b" ${BOTH}`],
		[['x.a.b', 'x.a.b.c.d'], `"x.a.b" ${BOTH}`],
	])('must not conflict with another: %j, %s', async (names, problem) => {
		// To merge the two would silently overwrite one of them.
		for (const value of [{ b: 1 }, null]) {
			const fields = names.map((name) => field(name, 'object', value));
			await expect(ofFields(...fields)).rejects.toThrow(`Fields: ${problem}`);
		}
	});
});

describe('the value of a field', () => {
	test.each<[type: string | undefined, ...values: Array<[value: unknown, sent: unknown]>]>([
		['string', ['a', 'a'], ['', ''], [5, '5'], [true, 'true']],
		['string', [new Date(0), '1970-01-01T00:00:00.000Z'], ['9007199254740993', '9007199254740993']],
		['number', [0, 0], [-1.5, -1.5], ['80.50', 80.5], [' 7 ', 7], [2 ** 53 - 1, 2 ** 53 - 1]],
		['boolean', [true, true], ['FALSE', false], [1, true], ['0', false]],
		['array', [[1, 'a', null], [1, 'a', null]], ['[1, "a"]', [1, 'a']], [[], []]], // prettier-ignore
		['object', [{ a: { b: 1 } }, { a: { b: 1 } }], ['{"a": 1}', { a: 1 }], [{}, {}]],
		[undefined, [5, 5], ['a', 'a'], [false, false], [[1], [1]], [{ a: 1 }, { a: 1 }]],
	])('of type %s is accepted: %j', async (type, ...values) => {
		for (const [value, sent] of [...values, [null, null]]) {
			expect(await ofValue(type, value)).toStrictEqual({ x: sent });
		}
	});

	test.each<[type: string, label: string, ...values: Array<[value: unknown, shown: string]>]>([
		['number', 'Number', ...['12 EUR', '12,50', '0x10', '1e3', '', '  '].map(asText)],
		['number', 'Number', [true, 'true'], [[], 'a list'], [[5], 'a list'], [{}, 'an object']],
		['number', 'Number', ['x'.repeat(100), `the text "${'x'.repeat(60)}…"`]],
		['boolean', 'Boolean', asText('yes'), [2, '2'], [[], 'a list'], asText('')],
		['array', 'Array', asText('a, b'), [{ 0: 'a' }, 'an object'], [5, '5']],
		['object', 'Object', [[1], 'a list'], asText('a'), [true, 'true']],
	])('of type %s is refused if it is no %s: %j', async (type, label, ...values) => {
		for (const [value, shown] of values) {
			await expect(ofValue(type, value)).rejects.toMatchObject({
				message: `Fields: "x" expects ${label}, but the value is ${shown}`,
				context: { outcome: 'notSent' },
			});
		}
	});

	function asText(text: string): [string, string] {
		return [text, `the text "${text}"`];
	}

	test('of type string must be a text, and no error shows the API key', async () => {
		for (const value of [{ a: [1] }, ['a']]) {
			await expect(ofValue('string', value)).rejects.toThrow('Fields: "x" is not a text');
		}
		const { apiKey } = requiredFields;
		const error = await ofValue('number', `Key ${apiKey.toUpperCase()}`).catch(String);
		expect(error).toContain('"Key ****');
		expect(String(error).toLowerCase()).not.toContain(apiKey.slice(0, 8));
	});

	test.each(['binary', 'dateTime', 'constructor', '', 5, null])(
		'is refused with the type %p, which JSON does not have',
		async (type) => {
			await expect(ofValue(type, 'a')).rejects.toMatchObject({
				message: 'Fields: the type of "x" cannot be sent as JSON',
				description: 'Choose one of String, Number, Boolean, Array, Object.',
			});
		},
	);
});

describe('an unusable value', () => {
	const exact = 'is a number that JavaScript cannot hold exactly';
	const holdsItself: Record<string, unknown> = {};
	holdsItself.a = { b: holdsItself };

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
		[new Error('a'), '', 'is an object that JSON cannot hold (Error)'],
	])('%p is refused in items, JSON and fields', async (value, path, problem) => {
		await expect(ofItem({ x: value })).rejects.toThrow(`Data to Send: "x${path}" ${problem}`);
		await expect(ofJson({ x: value })).rejects.toThrow(`JSON Body: "x${path}" ${problem}`);
		for (const type of TYPES) {
			await expect(ofValue(type, value)).rejects.toThrow(`Fields: "x${path}" ${problem}`);
		}
	});

	test('is an object that contains itself', async () => {
		const problem = 'cannot be written as JSON (it holds itself, or is nested too deeply)';
		await expect(ofItem(holdsItself)).rejects.toThrow(`Data to Send: ${problem}`);
		await expect(ofValue('object', holdsItself)).rejects.toThrow(`Fields: "x" ${problem}`);
	});

	test.each<[type: string, text: string, problem: string]>([
		['number', '9007199254740993', `Fields: "x" ${exact} (9007199254740992)`],
		['number', '9'.repeat(400), 'Fields: "x" is not a number that JSON can hold (Infinity)'],
		['array', '[9007199254740993]', `Fields: "x.0" ${exact} (9007199254740992)`],
		['JSON', '{"y":9007199254740993}', `JSON Body: "x.y" ${exact} (9007199254740992)`],
	])('in a text of type %s is refused before it is rounded: %s', async (type, text, problem) => {
		const read = type === 'JSON' ? ofJson(`{"x":${text}}`) : ofValue(type, text);
		await expect(read).rejects.toThrow(problem);
	});

	const TEXTS = ['undefined', ' null ', 'NaN', 'Invalid Date', 'Due: Invalid DateTime'];
	const OBJECT = 'a [object Object]';

	test.each([...TEXTS, OBJECT, 'function () { return 1; }', '(a) => a'])(
		'is the text %j, which stands for no value',
		async (text) => {
			await expect(ofItem({ x: [text] })).rejects.toThrow('Data to Send: "x.0" is the ');
			await expect(ofItem({ x: { [text]: 1 } })).rejects.toThrow('has a name that is the ');
			await expect(ofJson({ x: text })).rejects.toThrow('JSON Body: "x" is the ');
		},
	);

	test.each([
		...['null and void', 'Nan', 'Nullarbor', 'undefined term', 'invalid date of birth'],
		...['A => B', '(see above) => paid', 'The function (f) maps {a} to {b}'],
	])('is not the text %j, which only resembles one', async (text) => {
		expect(await ofItem({ x: text })).toEqual({ x: text });
	});

	test.each([...TEXTS, OBJECT])('is not the text %j if a person wrote it', async (text) => {
		const written = { dataMode: 'json', jsonBody: JSON.stringify({ x: text }) };
		expect(await bodyOf({ parameters: written, written })).toEqual({ x: text });
	});
});
