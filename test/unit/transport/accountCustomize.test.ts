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

const documented = {
	limits: parseLimits(DOCUMENTED_LIMITS),
	transactionDelete: { method: 'POST', path: '/txndata/bulkDeleteTxn' },
	contactDelete: { method: 'POST', path: '/masterdata/deleteContacts' },
	deleteIdsField: 'ids',
	idempotencyHeader: '',
	result: { field: '', failures: ['false'], successes: [] },
};
const different: CredentialFields = {
	limits: '{"general":[{"max":1,"windowSeconds":2}]}',
	transactionDelete: 'DELETE /v2/transactions',
	contactDelete: '  put   /v2//contacts/ ',
	deleteIdsField: ' records ',
	idempotencyHeader: ' Idempotency-Key ',
	resultField: ' ok ',
	failureValues: '0, no',
	successValues: '1',
};

test.each([
	{},
	{ customize: false, ...different },
	different,
	{ customize: false, limits: '{', transactionDelete: 'nonsense' },
	// A field that an older version did not save.
	{ customize: true },
])('the documented facts hold with %j', (fields) => {
	expect(account(fields)).toMatchObject(documented);
});

test('with Customize, each field counts', () => {
	expect(customized(different)).toMatchObject({
		limits: { general: [{ max: 1, windowMs: 2_000 }], endpoints: {} },
		transactionDelete: { method: 'DELETE', path: '/v2/transactions' },
		contactDelete: { method: 'PUT', path: '/v2/contacts/' },
		deleteIdsField: 'records',
		idempotencyHeader: 'Idempotency-Key',
		result: { field: 'ok', failures: ['0', 'no'], successes: ['1'] },
	});
});

const NO_ENDPOINT = 'Transaction Delete Endpoint: is not a method and a path';
test.each<[CredentialFields, string]>([
	...['true', 1, null, {}].map((customize): [CredentialFields, string] => [
		...([{ customize }, 'Customize for This Installation: must be true or false'] as const),
	]),
	[{ transactionDelete: '' }, NO_ENDPOINT],
	[{ transactionDelete: '/txndata/bulkDeleteTxn' }, NO_ENDPOINT],
	[{ transactionDelete: 'PURGE /txndata' }, NO_ENDPOINT],
	[{ transactionDelete: 'GET /txndata' }, 'Transaction Delete Endpoint: GET cannot delete'],
	[{ contactDelete: 'head /txndata' }, 'Contact Delete Endpoint: HEAD cannot delete'],
	[{ contactDelete: 'POST /a?all=true' }, 'Contact Delete Endpoint: must not have a query'],
	[{ contactDelete: 42 }, 'Contact Delete Endpoint: is not a text'],
	[{ contactDelete: null }, 'Contact Delete Endpoint: has no value (null)'],
	[{ idempotencyHeader: 'two words' }, 'Idempotency Header: a name or a value contains'],
	[{ idempotencyHeader: 'x-api-key' }, 'Idempotency Header: the header x-api-key cannot be set'],
	[{ idempotencyHeader: 42 }, 'Idempotency Header: is not a text'],
	[{ deleteIdsField: '  ' }, 'Delete IDs Field: is empty'],
	[{ deleteIdsField: null }, 'Delete IDs Field: has no value (null)'],
	[{ limits: '' }, 'Limits: is not valid JSON'],
	[{ resultField: 42 }, 'Result Field: is not a text'],
	[{ failureValues: [] }, 'Failure Values: is not a text'],
	...[-1, 91, 0.5, 'half', null].map((keepFree): [CredentialFields, string] => [
		...([{ keepFree }, 'Keep Free: must be a whole number from 0 to 90'] as const),
	]),
])('%j is refused: %s', (fields, message) => {
	expect(() => customized(fields)).toThrow(message);
});

/** How the credential writes the endpoint whose limit counts a request. */
const scopeNameOf = ({ limits }: Account, endpoint: Endpoint) =>
	limits.names?.[canonicalEndpoint(endpoint)];

describe('the scope of an endpoint', () => {
	const limitsOf = (path: string) => ({
		limits: { general: [], endpoints: { [path]: { max: 1, windowSeconds: 60 } } },
	});

	test('follows the customized limits, under the name that they give it', () => {
		const read = customized(limitsOf('post /V2/Send/'));
		expect(scopeNameOf(read, { method: 'POST', path: '/txndata/sendTxn' })).toBeUndefined();
		expect(scopeNameOf(read, { method: 'POST', path: '/v2/send' })).toBe('POST /V2/Send/');
	});
});

test.each([
	[0, 100, 3],
	[10, 90, 2],
	['50', 50, 1],
	[90, 10, 1],
])('Keep Free of %j percent leaves %d and %d', (keepFree, general, endpoint) => {
	const endpoints = { 'POST /a': { max: 3, windowSeconds: 600 } };
	const limits = { general: [{ max: 100, windowSeconds: 60 }], endpoints };
	expect(customized({ limits, keepFree }).limits).toMatchObject({
		general: [{ max: general, windowMs: 60_000 }],
		endpoints: { 'POST /a': [{ max: endpoint, windowMs: 600_000 }] },
	});
});
