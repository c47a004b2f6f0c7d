/** Errors as n8n shows them and as the items of a node that continues on error. */
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { RedisError } from '../../../nodes/BusinessData/redis';
import { errorItem, nameItems, toNodeError } from '../../../nodes/BusinessData/run/itemErrors';
import {
	ExecutionCanceledError,
	RequestError,
	type RequestErrorDetails,
} from '../../../nodes/BusinessData/transport/requestError';
import { InvalidSettingError } from '../../../nodes/BusinessData/values/invalidSettingError';
import { node } from './fakeContext';

const requestError = (details: Partial<RequestErrorDetails>, message = 'Refused') =>
	new RequestError(message, { outcome: 'refused', description: 'Wait.', ...details });

describe('the error of a node', () => {
	test.each<[string, unknown, new (...none: never[]) => Error, object]>([
		[
			'a request has its words, its status and its context',
			requestError({ statusCode: 429, retryAfterSeconds: 5 }),
			NodeApiError,
			{
				...{ message: 'Refused', description: 'Wait.', httpCode: '429' },
				context: { outcome: 'refused', retryAfterSeconds: 5, itemIndex: 3 },
			},
		],
		[
			'a request without a response has no status',
			requestError({ outcome: 'notSent' }),
			NodeApiError,
			{ httpCode: null, context: { outcome: 'notSent', itemIndex: 3 } },
		],
		[
			'a setting says how to fix it and that nothing was sent',
			new InvalidSettingError('Path', 'is empty', 'Enter one.'),
			NodeOperationError,
			{
				...{ message: 'Path: is empty', description: 'Enter one.' },
				context: { outcome: 'notSent', itemIndex: 3 },
			},
		],
		[
			'a stopped execution says so',
			new ExecutionCanceledError(),
			Error,
			{ message: expect.stringContaining('canceled') as string },
		],
		...[new Error('unexpected'), 'unexpected'].map(
			(cause): [string, unknown, typeof NodeOperationError, object] => [
				'anything else is one of its kind',
				cause,
				NodeOperationError,
				{ message: 'unexpected', context: { itemIndex: 3 } },
			],
		),
	])('for %s', (_, cause, kind, expected) => {
		const error = toNodeError(node, cause, 3);
		expect(error).toBeInstanceOf(kind);
		expect(error).toMatchObject(expected);
		const { context } = expected as { context?: Record<string, unknown> };
		for (const name of ['outcome', 'retryAfterSeconds', 'cause']) {
			expect(error.context[name]).toBe(context?.[name]);
		}
		expect(toNodeError(node, error, 5)).toBe(error);
	});

	// Of most causes, the tests in the engine tell.
	test.each<[Error, object | undefined]>([
		[requestError({ cause: 'rate-limited' }), { cause: 'rate-limited' }],
		[
			requestError({ cause: 'credential-invalid', retryAfterSeconds: 5 }),
			{ cause: 'credential-invalid' },
		],
		[new RedisError('Redis …', ''), { cause: 'temporarily-unavailable' }],
		[new RedisError('Redis …', '', true), { cause: 'configuration-invalid' }],
		[new Error('unexpected'), undefined],
	])('declares who has to act, or how long to wait: %s, %j', (error, failure) => {
		expect(toNodeError(node, error).failure).toEqual(failure);
	});

	test.each(['The service answered 500: ECONNREFUSED', 'no SUPERMAN', 'the name EPERMIT'])(
		'keeps words that n8n takes for a code: %s',
		(message) => {
			expect(toNodeError(node, requestError({}, message)).message).toBe(message);
			const setting = new InvalidSettingError('Path', message, 'Fix it.');
			expect(toNodeError(node, setting).message).toBe(`Path: ${message}`);
		},
	);
});

test('the item of an error has the input without a field "error", which would run the whole node again', () => {
	const error = toNodeError(node, new Error('failed'));
	const input = { json: { id: 1, error: 'of an earlier node' } };
	const pairedItem = { item: 4 };
	expect(errorItem(input, error, 4)).toEqual({ json: { id: 1 }, error, pairedItem });
	expect(errorItem(undefined, error, 4)).toEqual({ json: {}, error, pairedItem });
});

test.each([
	[[3], 'item 3'],
	[[0, 1], 'items 0–1'],
	[[0, 2], 'items 0, 2'],
	[[1, 4, 5, 9, 10, 11], 'items 1, 4–5, 9–11'],
])('items %j are named "%s"', (indexes, names) => {
	expect(nameItems(indexes)).toBe(names);
});
