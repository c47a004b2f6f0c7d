/** The credential's fields for an installation that differs: they apply only with Customize. */
import { BusinessDataApi } from '../../../credentials/BusinessDataApi.credentials';
import { type CredentialFields, readAccount } from '../../../nodes/BusinessData/transport/account';
import { DOCUMENTED_LIMITS } from '../../../nodes/BusinessData/transport/endpoints';
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

/** The values of a new credential in n8n. */
const defaults = Object.fromEntries(
	new BusinessDataApi().properties.map(({ name, default: value }) => [name, value]),
);

test.each([
	{},
	{ ...defaults, ...requiredFields, customize: true },
	{ customize: false, ...different },
	different,
	{ customize: false, limits: '{', transactionDelete: 'nonsense' },
	// A field that an older version did not save.
	{ customize: true },
])('the documented settings apply by default (case %#)', (fields) => {
	expect(account(fields)).toMatchObject(documented);
});

test('each field applies with Customize', () => {
	expect(customized(different)).toMatchObject({
		limits: { general: [{ max: 1, windowMs: 2_000 }], endpoints: {} },
		transactionDelete: { method: 'DELETE', path: '/v2/transactions' },
		contactDelete: { method: 'PUT', path: '/v2/contacts/' },
		deleteIdsField: 'records',
		idempotencyHeader: 'Idempotency-Key',
		result: { field: 'ok', failures: ['0', 'no'], successes: ['1'] },
	});
});

test.each<[message: string, ...all: CredentialFields[]]>([
	[
		'Customize for This Installation: must be true or false',
		...['true', 1, null, {}].map((customize) => ({ customize })),
	],
	[
		'Transaction Delete Endpoint: is not a method and a path',
		...['', '/txndata/bulkDeleteTxn', 'PURGE /txndata'].map((transactionDelete) => ({
			transactionDelete,
		})),
	],
	['Transaction Delete Endpoint: GET cannot delete', { transactionDelete: 'GET /txndata' }],
	['Contact Delete Endpoint: HEAD cannot delete', { contactDelete: 'head /txndata' }],
	['Contact Delete Endpoint: must not have a query', { contactDelete: 'POST /a?all=true' }],
	['Contact Delete Endpoint: is not a text', { contactDelete: 42 }],
	['Contact Delete Endpoint: has no value (null)', { contactDelete: null }],
	['Idempotency Header: a name or a value contains', { idempotencyHeader: 'two words' }],
	['Idempotency Header: the header x-api-key cannot be set', { idempotencyHeader: 'x-api-key' }],
	['Idempotency Header: is not a text', { idempotencyHeader: 42 }],
	['Delete IDs Field: is empty', { deleteIdsField: '  ' }],
	['Delete IDs Field: has no value (null)', { deleteIdsField: null }],
	['Limits: is not valid JSON', { limits: '' }],
	['Limits: has no value (undefined)', { limits: undefined }],
	['Result Field: is not a text', { resultField: 42 }],
	['Failure Values: is not a text', { failureValues: [] }],
	[
		'Keep Free: must be a whole number from 0 to 90',
		...[-1, 91, 0.5, 'half', null].map((keepFree) => ({ keepFree })),
	],
])('a field of Customize is refused: %s', (message, ...all) => {
	for (const fields of all) expect(() => customized(fields)).toThrow(message);
});

test.each([
	[0, 100, 3],
	[10, 90, 2],
	['50', 50, 1],
	[90, 10, 1],
])('Keep Free of %j percent leaves %d of 100 and %d of 3', (keepFree, general, endpoint) => {
	const endpoints = { 'POST /a': { max: 3, windowSeconds: 600 } };
	const limits = { general: [{ max: 100, windowSeconds: 60 }], endpoints };
	expect(customized({ limits, keepFree }).limits).toMatchObject({
		general: [{ max: general, windowMs: 60_000 }],
		endpoints: { 'POST /a': [{ max: endpoint, windowMs: 600_000 }] },
	});
});
