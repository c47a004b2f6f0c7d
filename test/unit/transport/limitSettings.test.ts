/** The credential's Limits field: the documented table is accepted, and each mistake is named. */
import { DOCUMENTED_LIMITS } from '../../../nodes/BusinessData/transport/endpoints';
import { InvalidSettingError } from '../../../nodes/BusinessData/values/invalidSettingError';
import { parseLimits } from '../../../nodes/BusinessData/transport/limitSettings';
import { inMs } from '../../support/scaledLimits';
import { errorOf } from './examples';

const SECOND = { max: 10, windowSeconds: 1 };

test('the documented table is parsed as it is, as a text and as an object', () => {
	const expected = parseLimits(DOCUMENTED_LIMITS);
	expect(expected.general).toEqual(DOCUMENTED_LIMITS.general.map(inMs));
	const written = Object.entries(expected.endpoints).map(([key, limits]) => [
		...[expected.names?.[key], limits],
	]);
	expect(written).toEqual(
		Object.entries(DOCUMENTED_LIMITS.endpoints).map(([name, limit]) => [name, [inMs(limit)]]),
	);
	expect(parseLimits(JSON.stringify(DOCUMENTED_LIMITS, null, 2))).toEqual(expected);
});

test('an error shows the documented table as an example', () => {
	const { description } = errorOf(() => parseLimits('')) as InvalidSettingError;
	expect(JSON.parse(description.slice(description.indexOf('{')))).toEqual(DOCUMENTED_LIMITS);
});

test.each([
	{ general: [] },
	{ general: [SECOND], endpoints: null },
	{ general: [{ max: 100_000, windowSeconds: 1_000_000 }] },
	{ general: [{ max: 1, windowSeconds: 0.001 }] },
])('%j is accepted as a table', (value) => {
	expect(parseLimits(value).general).toHaveLength(value.general.length);
});

const general = (...limits: unknown[]) => ({ general: limits });
const endpoints = (settings: unknown) => ({ general: [], endpoints: settings });
const MAX = 'general[0].max must be a whole number from 1 to 100000';
const LENGTH = 'general[0].windowSeconds must be a number from 0.001 to 1000000';

test.each<[place: string, ...values: unknown[]]>([
	['is not valid JSON', '', '{"general":[}'],
	['the value must be an object', 'null', null, undefined, [SECOND], '"general"'],
	['general must be a list', {}, { general: SECOND }],
	['Limits: scopes is not known', { general: [], scopes: {} }],
	['__proto__ is not known', '{"general":[],"__proto__":{}}'],
	['general[1] must be an object', general(SECOND, 5), general(SECOND, null)],
	['general[0].unit is not known', general({ ...SECOND, unit: 's' })],
	[MAX, ...[undefined, 0, 1.5, '10', 100_001].map((max) => general({ ...SECOND, max }))],
	[LENGTH, ...[undefined, 0, -1, '1'].map((windowSeconds) => general({ max: 1, windowSeconds }))],
	[LENGTH, '{"general":[{"max":1,"windowSeconds":1e999}]}'],
	['general[1] repeats a window', general(SECOND, { ...SECOND, max: 9 })],
	['endpoints must be an object', endpoints([]), endpoints('POST /a')],
	['endpoints["/a"]: is not a method and a path', endpoints({ '/a': SECOND })],
	['endpoints["SEND /a"]: is not a method', endpoints({ 'SEND /a': SECOND })],
	['endpoints["POST /a?b=1"]: must not have a query', endpoints({ 'POST /a?b=1': SECOND })],
	['contains a character that a path cannot have', endpoints({ 'POST /a\ud800': SECOND })],
	['endpoints["POST /a"] must be an object', endpoints({ 'POST /a': [SECOND] })],
	['endpoints["POST /a"].windowSeconds must be a number', endpoints({ 'POST /a': { max: 1 } })],
	['endpoints["POST /a"].x is not known', endpoints({ 'POST /a': { ...SECOND, x: 1 } })],
	['endpoints["post /A/"] appears twice', endpoints({ 'POST /a': SECOND, 'post /A/': SECOND })],
])('a table is refused with "%s"', (place, ...values) => {
	for (const value of values) {
		const error = errorOf(() => parseLimits(value)) as InvalidSettingError;
		expect(error).toBeInstanceOf(InvalidSettingError);
		expect([value, error.message]).toEqual([value, expect.stringMatching(/^Limits: /)]);
		expect(error.message).toContain(place);
		expect(error.description).not.toBe('');
	}
});
