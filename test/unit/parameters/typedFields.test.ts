/** Data to Send → Define Below: a value goes out as the type that was chosen for its field, or not at all. */
import type { IDataObject } from 'n8n-workflow';

import { readJsonBody } from '../../../nodes/BusinessData/parameters/requestBody';
import { requiredFields } from '../transport/examples';
import { inRun } from '../run/fakeContext';

const bodyOf = async (parameters: IDataObject) =>
	await inRun({ parameters }, (run) => readJsonBody(run, 0));
const ofFields = async (...assignments: unknown[]) =>
	await bodyOf({ assignments: { assignments } });
const field = (name: unknown, type?: unknown, value?: unknown) => ({ id: 'a', name, type, value });

describe('a value of a field', () => {
	const valueOf = async (type: unknown, value: unknown) =>
		((await ofFields(field('x', type, value))) as { x: unknown }).x;

	test.each<[type: string, value: unknown, sent: unknown]>([
		['string', 'a', 'a'],
		['string', 5, '5'],
		['string', true, 'true'],
		['string', new Date(0), '1970-01-01T00:00:00.000Z'],
		['number', 0, 0],
		['number', -1.5, -1.5],
		['number', '80.50', 80.5],
		['number', ' 7 ', 7],
		['number', '0.30', 0.3],
		['number', 9007199254740991, 9007199254740991],
		['boolean', true, true],
		['boolean', 'FALSE', false],
		['boolean', 1, true],
		['boolean', '0', false],
		['array', [1, 'a', null], [1, 'a', null]],
		['array', '[1, "a"]', [1, 'a']],
		['array', [], []],
		['object', { a: { b: 1 } }, { a: { b: 1 } }],
		['object', '{"a": 1}', { a: 1 }],
		['object', {}, {}],
	])('of type %s: %p is sent as %p', async (type, value, sent) => {
		expect(await valueOf(type, value)).toStrictEqual(sent);
	});

	test.each(['string', 'number', 'boolean', 'array', 'object', undefined])(
		'of type %s may be null, and must not be missing',
		async (type) => {
			expect(await valueOf(type, null)).toBeNull();
			await expect(valueOf(type, undefined)).rejects.toThrow(
				'Fields: "x" has no value (undefined)',
			);
		},
	);

	test.each([{ a: [1] }, ['a']])('of type string must not be %j', async (value) => {
		await expect(valueOf('string', value)).rejects.toThrow('Fields: "x" is not a text');
	});

	test.each([5, 'a', false, [1], { a: 1 }])('without a type is itself: %p', async (value) => {
		expect(await valueOf(undefined, value)).toStrictEqual(value);
	});

	test.each<[type: string, label: string, value: unknown, shown: string]>([
		['number', 'Number', '12 EUR', 'the text "12 EUR"'],
		['number', 'Number', '12,50', 'the text "12,50"'],
		['number', 'Number', '0x10', 'the text "0x10"'],
		['number', 'Number', '1e3', 'the text "1e3"'],
		['number', 'Number', true, 'true'],
		['number', 'Number', '', 'the text ""'],
		['number', 'Number', '  ', 'the text "  "'],
		['number', 'Number', [], 'a list'],
		['number', 'Number', [5], 'a list'],
		['number', 'Number', {}, 'an object'],
		['number', 'Number', 'x'.repeat(100), `the text "${'x'.repeat(60)}…"`],
		['boolean', 'Boolean', 'yes', 'the text "yes"'],
		['boolean', 'Boolean', 2, '2'],
		['boolean', 'Boolean', [], 'a list'],
		['boolean', 'Boolean', '', 'the text ""'],
		['array', 'Array', 'a, b', 'the text "a, b"'],
		['array', 'Array', { 0: 'a' }, 'an object'],
		['array', 'Array', 5, '5'],
		['object', 'Object', [1], 'a list'],
		['object', 'Object', 'a', 'the text "a"'],
		['object', 'Object', true, 'true'],
	])('of type %s must be a %s, not %p', async (type, label, value, shown) => {
		await expect(valueOf(type, value)).rejects.toMatchObject({
			message: `Fields: "x" expects ${label}, but the value is ${shown}`,
			context: { outcome: 'notSent' },
		});
	});

	test('does not show the key in an error', async () => {
		const { apiKey } = requiredFields;
		const error = await valueOf('number', `Key ${apiKey.toUpperCase()}`).catch(String);
		expect(error).toContain('"Key ****');
		expect(String(error).toLowerCase()).not.toContain(apiKey.slice(0, 8));
	});

	test.each(['binary', 'dateTime', 'constructor', '', 5, null])(
		'must have a type of JSON, not %p',
		async (type) => {
			await expect(valueOf(type, 'a')).rejects.toMatchObject({
				message: 'Fields: the type of "x" cannot be sent as JSON',
				description: 'Choose one of String, Number, Boolean, Array, Object.',
			});
		},
	);

	test.each([null, 'a', [{}], { assignments: 'a' }, { assignments: [null] }])(
		'must be one of a list of fields, not %j',
		async (assignments) => {
			const sent = bodyOf({ assignments: assignments });
			await expect(sent).rejects.toThrow(/^Fields: is not a (group|list)/);
		},
	);
});
