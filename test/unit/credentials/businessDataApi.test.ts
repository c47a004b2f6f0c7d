/** The credential as users fill it in: its fields, what n8n sends with it, and how n8n tests it. */
import { isDeepStrictEqual } from 'node:util';
import { runInNewContext } from 'node:vm';

import type { INodeProperties } from 'n8n-workflow';

import { BusinessDataApi } from '../../../credentials/BusinessDataApi.credentials';
import { CREDENTIAL_TYPE, readAccount } from '../../../nodes/BusinessData/transport/account';
import { DOCUMENTED_LIMITS } from '../../../nodes/BusinessData/transport/endpoints';
import { KEY, requiredFields } from '../transport/examples';

const credential = new BusinessDataApi();
const field = (name: string): INodeProperties | undefined =>
	credential.properties.find((property) => property.name === name);

/** What n8n makes of an expression. */
function evaluate(expression: unknown, $credentials: Record<string, unknown>): unknown {
	const [, code = ''] = /^=\{\{(.*)\}\}$/s.exec(String(expression)) ?? [];
	return runInNewContext(code, { $credentials });
}

test('has the name that saved workflows use, and is for the nodes of this package only', () => {
	expect([credential.name, CREDENTIAL_TYPE]).toEqual(['businessDataApi', 'businessDataApi']);
	expect(credential.restrictToSupportedNodes).toBe(true);
});

const REDIS = { limitStore: ['redis'] };
const inTopology = (...redisTopology: string[]) => ({ ...REDIS, redisTopology });

/** By what they are shown for, the fields with their defaults. */
const FIELDS: Array<[show: object, fields: Record<string, unknown>]> = [
	[{}, { baseUrl: '', apiKey: '', limitStore: 'memory', customize: false }],
	[REDIS, { redisTopology: 'standalone', redisUser: '', redisPassword: '', redisTls: false }],
	[inTopology('standalone'), { redisHost: 'localhost', redisPort: 6379 }],
	[inTopology('cluster', 'sentinel'), { redisNodes: '' }],
	[inTopology('sentinel'), { redisSentinelGroup: 'mymaster', redisSentinelPassword: '' }],
	[inTopology('standalone', 'sentinel'), { redisDatabase: 0 }],
	[
		{ ...REDIS, redisTls: [true] },
		{ redisTlsServerName: '', redisTlsCa: '' },
	],
	[
		{ customize: [true] },
		{
			...{ limits: expect.any(String) as unknown, keepFree: 0 },
			transactionDelete: 'POST /txndata/bulkDeleteTxn',
			contactDelete: 'POST /masterdata/deleteContacts',
			...{ deleteIdsField: 'ids', idempotencyHeader: '' },
			...{ resultField: '', failureValues: 'false', successValues: '' },
		},
	],
];
const fields = credential.properties.filter(({ type }) => type !== 'notice');

describe('the fields', () => {
	test.each(FIELDS)('that are shown for %j are %j', (show, expected) => {
		const shown = fields.filter(({ displayOptions }) =>
			isDeepStrictEqual(displayOptions?.show ?? {}, show),
		);
		expect(Object.fromEntries(shown.map(({ name, default: value }) => [name, value]))).toEqual(
			expected,
		);
	});

	test('are no others, but for what explains them', () => {
		const names = FIELDS.flatMap(([, expected]) => Object.keys(expected));
		expect(fields.map(({ name }) => name).sort()).toEqual(names.sort());
	});

	test('have limits, whose default is the table of the interface document', () => {
		expect(JSON.parse(field('limits')?.default as string)).toEqual(DOCUMENTED_LIMITS);
	});

	test('ask for the base URL and the key, and for nothing else', () => {
		const required = fields.filter((property) => property.required);
		expect(required.map(({ name }) => name)).toEqual(['baseUrl', 'apiKey']);
	});

	test('have the lists of where to count, and of how Redis is set up', () => {
		const valuesOf = (name: string) =>
			(field(name)?.options ?? []).map((option) => 'value' in option && option.value);
		expect(valuesOf('limitStore')).toEqual(['memory', 'redis']);
		expect(valuesOf('redisTopology')).toEqual(['cluster', 'sentinel', 'standalone']);
	});

	test('give, by their defaults, the same account as without Customize', () => {
		const defaults = Object.fromEntries(
			credential.properties.map(({ name, default: value }) => [name, value]),
		);
		const account = readAccount({ ...defaults, ...requiredFields });
		const customized = readAccount({ ...defaults, ...requiredFields, customize: true });
		expect(customized).toEqual({ ...account, fields: customized.fields });
	});
});

test.each([KEY, ` ${KEY}\n`])(
	'the key goes into the header x-api-key and nowhere else, as it is checked: %j',
	(apiKey) => {
		const { type, properties } = credential.authenticate;
		expect([type, Object.keys(properties)]).toEqual(['generic', ['headers']]);
		const { 'x-api-key': header, ...others } = properties.headers ?? {};
		expect(others).toEqual({});
		expect(evaluate(header, { apiKey })).toBe(readAccount({ ...requiredFields, apiKey }).apiKey);
	},
);
