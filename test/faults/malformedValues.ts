/** Values for a field that are mostly invalid. */
import * as fc from 'fast-check';
import type { INodeProperties } from 'n8n-workflow';

import { choicesOf } from '../unit/description/properties';

const ODD_VALUES = [
	...['', '   ', '\u0000', 'a\r\nx-api-key: b', '\ud800', '🙂'.repeat(50), 'x'.repeat(5_000)],
	...['__proto__', 'constructor', 'toString', 'apiKey', 'null', 'NaN', 'true'],
	...['-1', '1e400', '0.5'],
	...['../../admin', '%2e%2e/', '%zz', 'https://elsewhere.example/', '//elsewhere.example'],
	...['{"broken":', '[1,2', null, true, false],
	...[-1, 0, 0.5, NaN, Infinity, -Infinity, 2 ** 53, 1e308, -0],
	...[{}, { a: 1 }, { values: null }, { parameters: 'a' }, { assignments: [{}] }],
	{ values: [null] },
	...[[], [null], [[]], [{}], ['a', 1]],
];
const odd = fc.constantFrom<unknown>(...ODD_VALUES);
const any = fc.oneof(
	fc.string({ unit: 'binary', maxLength: 40 }),
	fc.double(),
	fc.integer(),
	fc.json(),
	fc.dictionary(fc.constantFrom('values', 'parameters', 'a'), fc.jsonValue(), { maxKeys: 3 }),
	fc.array(fc.jsonValue(), { maxLength: 4 }),
);

/** Any value, or one that resembles an option of the field. */
export function malformedValueOf(property: INodeProperties): fc.Arbitrary<unknown> {
	const choices = choicesOf(property).flatMap(({ value }) => [[value], `${String(value)} x`]);
	return choices.length === 0
		? fc.oneof(odd, odd, any)
		: fc.oneof(odd, any, fc.constantFrom<unknown>(...choices));
}

/**
 * Whether the value is invalid for the field, so that it must be refused. Always false for groups of fields: n8n
 * itself drops invalid ones.
 */
export function mustBeRefused(property: INodeProperties, value: unknown): boolean {
	if (value === null || value === undefined) return false;
	switch (property.type) {
		case 'number': {
			const isNumber =
				typeof value === 'number' || (typeof value === 'string' && value.trim() !== '');
			const { minValue = -Infinity, maxValue = Infinity } = property.typeOptions ?? {};
			// The editor offers whole seconds, but an expression may return a fraction.
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
			// A field of the body may have any value, and the IDs may be a list.
			const isAny = property.name === 'value' || (property.name === 'ids' && Array.isArray(value));
			return typeof value === 'object' && !isAny;
		}
		default:
			return false;
	}
}
