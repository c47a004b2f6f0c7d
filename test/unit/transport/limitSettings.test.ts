/** The credential's Limits field: the documented table comes through, and each mistake is named. */
import * as fc from 'fast-check';

import {
	DOCUMENTED_LIMITS,
	type LimitSetting,
} from '../../../nodes/BusinessData/transport/endpoints';
import { InvalidSettingError } from '../../../nodes/BusinessData/values/invalidSettingError';
import { parseLimits } from '../../../nodes/BusinessData/transport/limitSettings';
import { errorOf } from './examples';

const SECOND = { max: 10, windowSeconds: 1 };

describe('the documented table', () => {
	const expected = parseLimits(DOCUMENTED_LIMITS);

	test('comes through as it stands', () => {
		const inMs = ({ max, windowSeconds }: LimitSetting) => ({
			max,
			windowMs: windowSeconds * 1000,
		});
		expect(expected.general).toEqual(DOCUMENTED_LIMITS.general.map(inMs));
		const written = Object.entries(expected.endpoints).map(([key, limits]) => [
			...[expected.names?.[key], limits],
		]);
		expect(written).toEqual(
			Object.entries(DOCUMENTED_LIMITS.endpoints).map(([name, limit]) => [name, [inMs(limit)]]),
		);
	});

	test('is the same as a text and as an object', () => {
		expect(parseLimits(JSON.stringify(DOCUMENTED_LIMITS, null, 2))).toEqual(expected);
	});

	test('comes through again after it was written from what was read', () => {
		const { general, endpoints, names } = expected;
		const settingOf = ({ max, windowMs }: { max: number; windowMs: number }) => ({
			max,
			windowSeconds: windowMs / 1000,
		});
		const written = {
			general: general.map(settingOf),
			endpoints: Object.fromEntries(
				Object.entries(endpoints).flatMap(([name, limits]) =>
					limits.map((limit) => [names?.[name] ?? '', settingOf(limit)]),
				),
			),
		};
		expect(written).toEqual(DOCUMENTED_LIMITS);
		expect(parseLimits(written)).toEqual(expected);
	});
});

describe('other tables', () => {
	test.each([
		['no general limit', { general: [] }],
		['no endpoint', { general: [SECOND] }],
		['endpoints that are null', { general: [SECOND], endpoints: null }],
		['the extremes', { general: [{ max: 100_000, windowSeconds: 1_000_000 }] }],
		['a fraction of a second', { general: [{ max: 1, windowSeconds: 0.001 }] }],
	])('may have %s', (_, value) => {
		expect(parseLimits(value).general).toHaveLength(value.general.length);
	});
});

describe('a mistake', () => {
	const endpoints = (settings: unknown) => ({ general: [], endpoints: settings });

	test.each<[unknown, string]>([
		['', 'is not valid JSON'],
		['{"general":[}', 'is not valid JSON'],
		['null', 'the value must be an object'],
		[null, 'the value must be an object'],
		[undefined, 'the value must be an object'],
		[[SECOND], 'the value must be an object'],
		['"general"', 'the value must be an object'],
		[{}, 'general must be a list'],
		[{ general: SECOND }, 'general must be a list'],
		[{ general: [], scopes: {} }, 'scopes is not known'],
		['{"general":[],"__proto__":{}}', '__proto__ is not known'],
		[{ general: [SECOND, 5] }, 'general[1] must be an object'],
		[{ general: [SECOND, null] }, 'general[1] must be an object'],
		[{ general: [{ max: 1, windowSeconds: 1, unit: 's' }] }, 'general[0].unit is not known'],
		[{ general: [{ windowSeconds: 1 }] }, 'general[0].max must be a whole number'],
		[{ general: [{ max: 0, windowSeconds: 1 }] }, 'general[0].max must be a whole number'],
		[{ general: [{ max: 1.5, windowSeconds: 1 }] }, 'general[0].max must be a whole number'],
		[{ general: [{ max: '10', windowSeconds: 1 }] }, 'general[0].max must be a whole number'],
		[{ general: [{ max: 100_001, windowSeconds: 1 }] }, 'general[0].max must be a whole number'],
		[{ general: [{ max: 1 }] }, 'general[0].windowSeconds must be a number'],
		[{ general: [{ max: 1, windowSeconds: 0 }] }, 'general[0].windowSeconds must be a number'],
		[{ general: [{ max: 1, windowSeconds: -1 }] }, 'general[0].windowSeconds must be a number'],
		[{ general: [{ max: 1, windowSeconds: '1' }] }, 'general[0].windowSeconds must be a number'],
		['{"general":[{"max":1,"windowSeconds":1e999}]}', 'general[0].windowSeconds must be a number'],
		[{ general: [SECOND, { max: 9, windowSeconds: 1 }] }, 'general[1] repeats a window'],
		[endpoints([]), 'endpoints must be an object'],
		[endpoints('POST /a'), 'endpoints must be an object'],
		[endpoints({ '/a': SECOND }), 'endpoints["/a"]'],
		[endpoints({ 'SEND /a': SECOND }), 'endpoints["SEND /a"]'],
		[endpoints({ 'POST /a?b=1': SECOND }), 'endpoints["POST /a?b=1"]'],
		[endpoints({ 'POST /a/../b': SECOND }), 'endpoints["POST /a/../b"]'],
		[endpoints({ 'POST /a\ud800': SECOND }), 'contains a character that a path cannot have'],
		[endpoints({ 'POST /a': [SECOND] }), 'endpoints["POST /a"] must be an object'],
		[endpoints({ 'POST /a': { max: 1 } }), 'endpoints["POST /a"].windowSeconds must be a number'],
		[endpoints({ 'POST /a': { ...SECOND, x: 1 } }), 'endpoints["POST /a"].x is not known'],
		[endpoints({ 'POST /a': SECOND, 'post /A/': SECOND }), 'endpoints["post /A/"] is there twice'],
	])('in %j is named: %s', (value, place) => {
		const error = errorOf(() => parseLimits(value)) as InvalidSettingError;
		expect(error).toBeInstanceOf(InvalidSettingError);
		expect(error.message).toMatch(/^Limits: /);
		expect(error.message).toContain(place);
		expect(error.description).not.toBe('');
	});
});

describe('whatever is given', () => {
	/** Parses, or throws an InvalidSettingError and nothing else. */
	function expectResponse(value: unknown): void {
		try {
			for (const limits of Object.values(parseLimits(value).endpoints))
				expect(limits).toHaveLength(1);
		} catch (error) {
			expect(error).toBeInstanceOf(InvalidSettingError);
		}
	}

	test('a text is parsed or refused', () => {
		fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), expectResponse));
	});

	test('a JSON value is parsed or refused', () => {
		fc.assert(fc.property(fc.jsonValue(), expectResponse));
	});

	test('a table of any shape is parsed or refused', () => {
		const number = fc.oneof(fc.integer({ min: -1, max: 20 }), fc.double(), fc.constant('1'));
		const limit = fc.oneof(fc.record({ max: number, windowSeconds: number }), fc.jsonValue());
		const codeUnit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
		const name = fc
			.tuple(fc.constantFrom('GET ', 'post  ', '', 'X '), fc.string({ unit: codeUnit }))
			.map(([method, path]) => `${method}/${path}`);
		const endpoints = fc.oneof(fc.dictionary(name, limit), fc.jsonValue());
		const table = fc.record({ general: fc.oneof(fc.array(limit), fc.jsonValue()), endpoints });
		fc.assert(fc.property(table, expectResponse), { numRuns: 500 });
	});
});
