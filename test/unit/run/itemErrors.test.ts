/** Errors as n8n shows them and as the items of a node that continues on error; in the engine, other tests do so. */
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { RedisError } from '../../../nodes/BusinessData/redis';
import { errorItem, toNodeError } from '../../../nodes/BusinessData/run/itemErrors';
import {
	ExecutionCanceledError,
	RequestError,
	type RequestErrorDetails,
} from '../../../nodes/BusinessData/transport/requestError';
import { InvalidSettingError } from '../../../nodes/BusinessData/values/invalidSettingError';
import { node } from './fakeContext';

const requestError = (details: Partial<RequestErrorDetails>, message = 'Refused') =>
	new RequestError(message, { outcome: 'refused', description: 'Wait.', ...details });
const waiting = requestError({ statusCode: 429, cause: 'rate-limited', retryAfterSeconds: 5 });

const SHOWN = { message: 'Refused', description: 'Wait.', httpCode: '429' };
const CONTEXT = { outcome: 'refused', statusCode: 429, retryAfterSeconds: 5, itemIndex: 3 };
const SETTING = { message: 'Path: is empty', description: 'Enter one.' };
const NOT_SENT = { outcome: 'notSent' };
const CANCELED = { message: expect.stringContaining('canceled') as string };
const UNEXPECTED = { message: 'unexpected', context: { itemIndex: 3 } };
const unexpected = new Error('unexpected');
const emptyPath = new InvalidSettingError('Path', 'is empty', 'Enter one.');
const wrongKey = requestError({ cause: 'credential-invalid', retryAfterSeconds: 5 });

// Of most causes, the tests in the engine tell.
test.each<[Error | string, new (...none: never[]) => Error, object, cause?: string, ms?: number]>([
	[waiting, NodeApiError, { ...SHOWN, context: CONTEXT }, 'rate-limited', 5_000],
	[wrongKey, NodeApiError, { httpCode: null }, 'credential-invalid'],
	[new RedisError('Redis …', ''), NodeOperationError, {}, 'temporarily-unavailable'],
	[new RedisError('Redis …', '', true), NodeOperationError, {}, 'configuration-invalid'],
	[emptyPath, NodeOperationError, { ...SETTING, context: NOT_SENT }, 'configuration-invalid'],
	[new ExecutionCanceledError(), Error, CANCELED],
	[unexpected, NodeOperationError, UNEXPECTED],
	['unexpected', NodeOperationError, UNEXPECTED],
])(
	'the error of a node for %s',
	(thrown, kind, expected, cause = undefined, retryAfterMs = undefined) => {
		const error = toNodeError(node, thrown, 3);
		expect(error).toBeInstanceOf(kind);
		expect(error).toMatchObject(expected);
		expect(error.failure).toEqual(cause && { cause, retryAfterMs });
		expect('outcome' in error.context).toBe(cause !== undefined);
		expect(toNodeError(node, error, 5)).toBe(error);
	},
);

test.each(['The service answered 500: ECONNREFUSED', 'no SUPERMAN', 'the name EPERMIT'])(
	'words that n8n takes for a code are kept: %s',
	(message) => {
		expect(toNodeError(node, requestError({}, message)).message).toBe(message);
		const setting = new InvalidSettingError('Path', message, 'Fix it.');
		expect(toNodeError(node, setting).message).toBe(`Path: ${message}`);
	},
);

test('the item of an error has the input without a field "error", which would run the whole node again', () => {
	const error = toNodeError(node, new Error('failed'));
	const input = { json: { id: 1, error: 'of an earlier node' } };
	const pairedItem = { item: 4 };
	expect(errorItem(input, error, 4)).toEqual({ json: { id: 1 }, error, pairedItem });
	expect(errorItem(undefined, error, 4)).toEqual({ json: {}, error, pairedItem });
});
