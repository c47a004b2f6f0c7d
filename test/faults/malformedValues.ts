/** Values that a field may be given and that are, mostly, none of those it is made for. */
import * as fc from 'fast-check';
import type { INodeProperties } from 'n8n-workflow';

import { choicesOf } from '../unit/description/properties';

const ODD_TEXTS = [
	...['', '   ', '\u0000', 'a\r\nx-api-key: b', '\ud800', '🙂'.repeat(50), 'x'.repeat(5_000)],
	...['__proto__', 'constructor', 'toString', '../../admin', '%2e%2e/', '%zz', 'apiKey'],
	...['https://elsewhere.example/', '//elsewhere.example', '{"broken":', '[1,2'],
	...['null', 'NaN', '-1', '1e400', '0.5', 'true'],
];
const ODD_NUMBERS = [-1, 0, 0.5, NaN, Infinity, -Infinity, 2 ** 53, 1e308, -0];

const text = fc.oneof(fc.constantFrom(...ODD_TEXTS), fc.string({ unit: 'binary', maxLength: 40 }));
const number = fc.oneof(fc.constantFrom(...ODD_NUMBERS), fc.double(), fc.integer());
const nothing = fc.constant(null);
const group = fc.oneof(
	fc.constantFrom<unknown>({}, { a: 1 }, { values: null }, { parameters: 'a' }, { values: [null] }),
	fc.dictionary(fc.string({ maxLength: 5 }), fc.jsonValue(), { maxKeys: 3 }),
);
const list = fc.oneof(
	fc.constantFrom<unknown[]>([], [null], [[]], [{}], ['a', 1]),
	fc.array(fc.jsonValue(), { maxLength: 4 }),
);
const flag = fc.boolean();

/** By type of the field: what is likely to be taken for a value of it, and what is of another type. */
export function malformedValueOf(property: INodeProperties): fc.Arbitrary<unknown> {
	switch (property.type) {
		case 'number':
			return fc.oneof(number, number, text, nothing, flag, group, list);
		case 'boolean':
			return fc.oneof(text, number, nothing, group, list);
		case 'options':
		case 'multiOptions':
			return fc.oneof(
				text,
				number,
				nothing,
				group,
				list,
				fc.constantFrom(...choicesOf(property).map(({ value }) => [value])),
				fc.constantFrom(...choicesOf(property).map(({ value }) => `${String(value)} x`)),
			);
		case 'collection':
		case 'fixedCollection':
		case 'assignmentCollection':
			return fc.oneof(
				text,
				number,
				nothing,
				flag,
				group,
				list,
				fc.dictionary(
					fc.constantFrom('values', 'parameters', 'assignments'),
					fc.oneof(text, number, list, group),
				),
			);
		case 'json':
			return fc.oneof(text, fc.json(), number, nothing, flag, group, list);
		default:
			return fc.oneof(text, text, text, number, nothing, flag, group, list);
	}
}

/**
 * Whether the field can do nothing with the value, so that it must be refused. Not of groups of fields: n8n
 * itself empties those that are none.
 */
export function mustBeRefused(property: INodeProperties, value: unknown): boolean {
	if (value === null || value === undefined) return false;
	switch (property.type) {
		case 'number': {
			const isNumber =
				typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
			const { minValue = -Infinity, maxValue = Infinity } = property.typeOptions ?? {};
			// The editor offers whole seconds; an expression may give a part of one.
			const least = property.name === 'timeout' ? Number.MIN_VALUE : minValue;
			return !isNumber || !(Number(value) >= least && Number(value) <= maxValue);
		}
		case 'boolean':
			return typeof value !== 'boolean';
		case 'options':
			return !choicesOf(property).some(({ value: known }) => known === value);
		case 'multiOptions':
			return !Array.isArray(value) || value.length === 0;
		case 'string': {
			// A field of the body may be anything, and the IDs may be a list.
			const isAny = property.name === 'value' || (property.name === 'ids' && Array.isArray(value));
			return typeof value === 'object' && !isAny;
		}
		default:
			return false;
	}
}
