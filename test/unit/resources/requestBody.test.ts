/** What a request sends: the item itself, fields one by one, or JSON. */
import type { IDataObject } from 'n8n-workflow';

import { readBody } from '../../../nodes/BusinessData/resources/requestBody';
import { inRun } from './fakeContext';

const item = { id: 7, lines: [{ total: 1.5 }], note: null };
const bodyOf = async (parameters: IDataObject) =>
	await inRun({ items: [{ other: true }, item], parameters }, (run) => readBody(run, 1));
const ofFields = async (...values: unknown[]) =>
	await bodyOf({ dataMode: 'defineBelow', fields: { values } });
const ofJson = async (jsonBody: unknown) =>
	await bodyOf({ dataMode: 'json', jsonBody: jsonBody as IDataObject });

test("with Auto-Map Input Data it is the item's own JSON", async () => {
	expect(await bodyOf({ dataMode: 'autoMapInputData', jsonBody: 'not used' })).toEqual(item);
});

describe('with Define Below it', () => {
	test('has the fields, with values of any type', async () => {
		expect(
			await ofFields(
				{ name: 'contactId', value: '42' },
				{ name: ' total ', value: 1.5 },
				{ name: 'lines', value: [{ a: 1 }] },
				{ name: 'note', value: null },
				{ name: 'empty', value: '' },
			),
		).toEqual({ contactId: '42', total: 1.5, lines: [{ a: 1 }], note: null, empty: '' });
	});

	test('is the way that is chosen at first, and empty without fields', async () => {
		expect(await bodyOf({})).toEqual({});
		expect(await ofFields()).toEqual({});
	});

	test('takes every name as a name', async () => {
		const body = await ofFields({ name: '__proto__', value: 1 }, { name: 'a.b', value: 2 });
		expect(JSON.stringify(body)).toBe('{"__proto__":1,"a.b":2}');
	});

	test.each(['', '  ', undefined, null, 5])('must not have the name %j', async (name) => {
		await expect(ofFields({ name: 'a', value: 1 }, { name, value: 2 })).rejects.toMatchObject({
			message: 'Fields: a name is empty',
			description: 'Enter the name of the field, or remove the entry.',
		});
	});

	test('must not have a name twice', async () => {
		await expect(
			ofFields({ name: 'a', value: 1 }, { name: 'b' }, { name: ' a', value: 2 }),
		).rejects.toThrow('Fields: "a" is there twice');
		expect(await ofFields({ name: 'a', value: 1 }, { name: 'A', value: 2 })).toEqual({
			a: 1,
			A: 2,
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
