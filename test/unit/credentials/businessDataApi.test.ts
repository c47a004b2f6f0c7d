/** The credential as users fill it in: its fields, what n8n sends with it, and how n8n tests it. */
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

test('its name is the one that saved workflows use', () => {
	expect(credential.name).toBe('businessDataApi');
	expect(credential.name).toBe(CREDENTIAL_TYPE);
	expect(credential.displayName).toBe('Business Data API');
});

test('is for the nodes of this package only', () => {
	expect(credential.restrictToSupportedNodes).toBe(true);
});

const REDIS = { limitStore: ['redis'] };
const CUSTOMIZED = { customize: [true] };

/** Of each field, its type, its default, and where it is shown. */
const FIELDS: Array<[name: string, type: string, value: unknown, show: object]> = [
	['baseUrl', 'string', '', {}],
	['apiKey', 'string', '', {}],
	['limitStore', 'options', 'memory', {}],
	['redisTopology', 'options', 'standalone', REDIS],
	['redisHost', 'string', 'localhost', { ...REDIS, redisTopology: ['standalone'] }],
	['redisPort', 'number', 6379, { ...REDIS, redisTopology: ['standalone'] }],
	['redisNodes', 'string', '', { ...REDIS, redisTopology: ['cluster', 'sentinel'] }],
	['redisSentinelGroup', 'string', 'mymaster', { ...REDIS, redisTopology: ['sentinel'] }],
	['redisSentinelPassword', 'string', '', { ...REDIS, redisTopology: ['sentinel'] }],
	['redisUser', 'string', '', REDIS],
	['redisPassword', 'string', '', REDIS],
	['redisDatabase', 'number', 0, { ...REDIS, redisTopology: ['standalone', 'sentinel'] }],
	['redisTls', 'boolean', false, REDIS],
	['redisTlsServerName', 'string', '', { ...REDIS, redisTls: [true] }],
	['redisTlsCa', 'string', '', { ...REDIS, redisTls: [true] }],
	['customize', 'boolean', false, {}],
	['limits', 'json', expect.any(String), CUSTOMIZED],
	['keepFree', 'number', 0, CUSTOMIZED],
	['transactionDelete', 'string', 'POST /txndata/bulkDeleteTxn', CUSTOMIZED],
	['contactDelete', 'string', 'POST /masterdata/deleteContacts', CUSTOMIZED],
	['deleteIdsField', 'string', 'ids', CUSTOMIZED],
	['idempotencyHeader', 'string', '', CUSTOMIZED],
	['resultField', 'string', '', CUSTOMIZED],
	['failureValues', 'string', 'false', CUSTOMIZED],
	['successValues', 'string', '', CUSTOMIZED],
];

describe('the fields', () => {
	test.each(FIELDS)(
		'have %s, a %s with the default %j, shown for %j',
		(name, type, value, show) => {
			expect(field(name)).toMatchObject({ type, default: value });
			expect(field(name)?.displayOptions?.show ?? {}).toEqual(show);
		},
	);

	test('are no others, but for what explains them', () => {
		const names = credential.properties.filter(({ type }) => type !== 'notice');
		expect(names.map(({ name }) => name).sort()).toEqual(FIELDS.map(([name]) => name).sort());
	});

	test('have limits, whose default is the table of the interface document', () => {
		expect(JSON.parse(field('limits')?.default as string)).toEqual(DOCUMENTED_LIMITS);
	});

	test('ask for the base URL and the key, and for nothing else', () => {
		const required = credential.properties.filter((property) => property.required);
		expect(required.map(({ name }) => name)).toEqual(['baseUrl', 'apiKey']);
		expect(field('baseUrl')?.placeholder).toBe('e.g. https://api.example.com');
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
		const { fields } = customized;
		expect(customized).toEqual({ ...account, fields });
	});
});

describe('the key', () => {
	test('goes into the header x-api-key and nowhere else', () => {
		const { type, properties } = credential.authenticate;
		expect(type).toBe('generic');
		expect(Object.keys(properties)).toEqual(['headers']);
		expect(Object.keys(properties.headers ?? {})).toEqual(['x-api-key']);
	});

	test.each([KEY, ` ${KEY}\n`])('is sent as it is checked: %j', (apiKey) => {
		const header = credential.authenticate.properties.headers?.['x-api-key'];
		expect(evaluate(header, { apiKey })).toBe(readAccount({ ...requiredFields, apiKey }).apiKey);
	});
});
