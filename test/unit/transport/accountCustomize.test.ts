/** The credential's fields for an installation that differs: they count only when switched on. */
import {
	type Account,
	type CredentialFields,
	readAccount,
} from '../../../nodes/BusinessData/transport/account';
import { canonicalEndpoint } from '../../../nodes/BusinessData/transport/endpointPath';
import { DOCUMENTED_LIMITS, type Endpoint } from '../../../nodes/BusinessData/transport/endpoints';
import { parseLimits } from '../../../nodes/BusinessData/transport/limitSettings';
import { requiredFields } from './examples';

const account = (fields: CredentialFields = {}) => readAccount({ ...requiredFields, ...fields });
const customized = (fields: CredentialFields) => account({ customize: true, ...fields });

const SEND: Endpoint = { method: 'POST', path: '/txndata/sendTxn' };
const documented = {
	limits: parseLimits(DOCUMENTED_LIMITS),
	transactionDelete: { method: 'POST', path: '/txndata/bulkDeleteTxn' },
	contactDelete: { method: 'POST', path: '/masterdata/deleteContacts' },
	deleteIdsField: 'ids',
	idempotencyHeader: '',
};
const different: CredentialFields = {
	limits: '{"general":[{"max":1,"windowSeconds":2}]}',
	transactionDelete: 'DELETE /v2/transactions',
	contactDelete: 'PUT /v2/contacts',
	deleteIdsField: ' records ',
	idempotencyHeader: ' Idempotency-Key ',
};

describe('without Customize', () => {
	test.each([
		['no further field', {}],
		['Customize off', { customize: false, ...different }],
		['Customize missing', different],
		['fields that make no sense', { customize: false, limits: '{', transactionDelete: 'nonsense' }],
	])('the documented facts hold: %s', (_, fields) => {
		expect(account(fields)).toMatchObject(documented);
	});
});

test.each(['true', 1, null, {}])('Customize as %j is refused', (customize) => {
	expect(() => account({ customize, ...different })).toThrow(
		'Customize for This Installation: must be true or false',
	);
});

describe('with Customize', () => {
	test('each field counts', () => {
		expect(customized(different)).toMatchObject({
			limits: { general: [{ max: 1, windowMs: 2_000 }], endpoints: {} },
			transactionDelete: { method: 'DELETE', path: '/v2/transactions' },
			contactDelete: { method: 'PUT', path: '/v2/contacts' },
			deleteIdsField: 'records',
			idempotencyHeader: 'Idempotency-Key',
		});
	});

	test('a field that an older version did not save is as documented', () => {
		expect(customized({})).toMatchObject(documented);
	});

	test.each(['transactionDelete', 'contactDelete'])('%s is brought into one form', (field) => {
		expect(customized({ [field]: '  delete   /v2//records/ ' })).toMatchObject({
			[field]: { method: 'DELETE', path: '/v2/records/' },
		});
	});

	test.each([
		['', 'is not a method and a path'],
		['/txndata/bulkDeleteTxn', 'is not a method and a path'],
		['POST txndata/bulkDeleteTxn', 'is not a method and a path'],
		['PURGE /txndata', 'is not a method and a path'],
		['GET /txndata/bulkDeleteTxn', 'GET cannot delete'],
		['head /txndata/bulkDeleteTxn', 'HEAD cannot delete'],
		['POST /txndata?all=true', 'must not have a query'],
		['POST /../admin', 'must not lead out of its folder'],
		['POST //other.example/delete', 'must be a path below the base URL'],
		[42, 'is not a text'],
		[null, 'has no value (null)'],
	])('a delete endpoint %j is refused: %s', (value, problem) => {
		expect(() => customized({ transactionDelete: value })).toThrow(problem);
		expect(() => customized({ transactionDelete: value })).toThrow(
			/^Transaction Delete Endpoint: /,
		);
		expect(() => customized({ contactDelete: value })).toThrow(/^Contact Delete Endpoint: /);
	});

	test.each(['two words', 'x-api-key', 'Content-Type', 42])(
		'the idempotency header must not be %j',
		(idempotencyHeader) => {
			expect(() => customized({ idempotencyHeader })).toThrow('Idempotency Header: ');
		},
	);

	test.each(['', '  ', null, 42])('the IDs field must not be %j', (deleteIdsField) => {
		expect(() => customized({ deleteIdsField })).toThrow(
			/^Delete IDs Field: (is empty|has no value|is not a text)/,
		);
	});

	test('limits that cannot be used are refused', () => {
		expect(() => customized({ limits: '' })).toThrow('Limits: is not valid JSON');
	});
});

/** How the credential writes the endpoint whose limit counts a request. */
const scopeNameOf = ({ limits }: Account, endpoint: Endpoint) =>
	limits.names?.[canonicalEndpoint(endpoint)];

describe('the scope of an endpoint', () => {
	test.each([
		['/txndata/sendTxn', 'POST /txndata/sendTxn'],
		['/TXNDATA/sendtxn/', 'POST /txndata/sendTxn'],
		['/txndata/sendTxnWP', 'POST /txndata/sendTxnWP'],
		['/txndata/sendPayment', 'POST /txndata/sendPayment'],
		['/txndata/sendTxn/42', undefined],
		['/txndata', undefined],
		['/masterdata/deleteContacts', undefined],
	])('POST %s counts as %s', (path, scope) => {
		expect(scopeNameOf(account(), { method: 'POST', path })).toBe(scope);
	});

	test('is one of its method', () => {
		expect(scopeNameOf(account(), { ...SEND, method: 'GET' })).toBeUndefined();
	});

	test('follows the customized limits, under the name that they give it', () => {
		const limits = { general: [], endpoints: { 'post /V2/Send/': { max: 1, windowSeconds: 60 } } };
		const read = customized({ limits });
		expect(scopeNameOf(read, SEND)).toBeUndefined();
		expect(scopeNameOf(read, { method: 'POST', path: '/v2/send' })).toBe('POST /V2/Send/');
		expect(Object.values(read.limits.endpoints)).toEqual([[{ max: 1, windowMs: 60_000 }]]);
	});

	test.each(['/v2/send', '/V2//Send/', '/v2/%73end', '/v2;a=1/SEND;b=2/'])(
		'is the same for a credential that writes %s',
		(path) => {
			const scopes = (written: string) =>
				customized({
					limits: {
						general: [],
						endpoints: { [`POST ${written}`]: { max: 1, windowSeconds: 60 } },
					},
				}).limits.endpoints;
			expect(scopes(path)).toEqual(scopes('/v2/send'));
		},
	);
});

describe('Keep Free', () => {
	const limits = {
		general: [{ max: 100, windowSeconds: 60 }],
		endpoints: { 'POST /a': { max: 3, windowSeconds: 600 } },
	};

	test.each([
		[0, 100, 3],
		[10, 90, 2],
		['50', 50, 1],
		[90, 10, 1],
	])('of %j percent leaves %d and %d', (keepFree, general, scope) => {
		const { limits: read } = customized({ limits, keepFree });
		expect(read.general).toEqual([{ max: general, windowMs: 60_000 }]);
		expect(read.endpoints['POST /a']).toEqual([{ max: scope, windowMs: 600_000 }]);
	});

	test.each([-1, 91, 0.5, 'half', null])('of %j is refused', (keepFree) => {
		expect(() => customized({ keepFree })).toThrow(
			'Keep Free: must be a whole number from 0 to 90',
		);
	});
});
