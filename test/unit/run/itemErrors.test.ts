/** Errors as n8n shows them and as the items of a node that continues on error. */
import { NodeApiError, NodeOperationError } from 'n8n-workflow';

import { errorItem, nameItems, toNodeError } from '../../../nodes/BusinessData/run/itemErrors';
import { RedisError } from '../../../nodes/BusinessData/redis';
import { InvalidSettingError } from '../../../nodes/BusinessData/values/invalidSettingError';
import {
	ExecutionCanceledError,
	RequestError,
	type RequestErrorDetails,
} from '../../../nodes/BusinessData/transport/requestError';
import { node } from './fakeContext';

describe('the error of a node', () => {
	const words = { description: 'Wait.' };
	test.each<[string, unknown, new (...none: never[]) => Error, object]>([
		[
			'a request has its words, its status and its context',
			new RequestError('Refused', {
				...{ ...words, outcome: 'refused', statusCode: 429, retryAfterSeconds: 5 },
			}),
			NodeApiError,
			{
				...{ message: 'Refused', ...words, httpCode: '429' },
				context: { outcome: 'refused', retryAfterSeconds: 5, itemIndex: 3 },
			},
		],
		[
			'a request without a response has no status',
			new RequestError('Not sent: no room', { ...words, outcome: 'notSent' }),
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
		for (const name of ['outcome', 'retryAfterSeconds']) {
			expect(error.context[name]).toBe(context?.[name]);
		}
	});

	test('for a request declares its cause, with the time to wait where a wait helps', () => {
		const declared = (cause: RequestErrorDetails['cause'], retryAfterSeconds?: number) => {
			const details = { outcome: 'refused' as const, description: 'Wait.', retryAfterSeconds };
			const error = toNodeError(node, new RequestError('Refused', { ...details, cause }));
			expect(error.context).not.toHaveProperty('cause');
			return error.failure;
		};
		expect(declared('rate-limited', 5)).toEqual({ cause: 'rate-limited', retryAfterMs: 5_000 });
		expect(declared('rate-limited')).toEqual({ cause: 'rate-limited' });
		expect(declared('temporarily-unavailable', 1)).toMatchObject({ retryAfterMs: 1_000 });
		expect(declared('credential-invalid', 5)).toEqual({ cause: 'credential-invalid' });
		expect(declared(undefined, 5)).toBeUndefined();
	});

	test('for a setting and for Redis declares who has to act', () => {
		const causeOf = (error: Error) => toNodeError(node, error).failure?.cause;
		expect(causeOf(new InvalidSettingError('Path', 'is empty', ''))).toBe('configuration-invalid');
		expect(causeOf(new InvalidSettingError('API Key', 'is empty', ''))).toBe('credential-invalid');
		expect(causeOf(new RedisError('Redis …', ''))).toBe('temporarily-unavailable');
		expect(causeOf(new RedisError('Redis …', '', true))).toBe('configuration-invalid');
		expect(causeOf(new Error('unexpected'))).toBeUndefined();
	});

	test.each([
		'The service answered 500: ECONNREFUSED',
		'no SUPERMAN',
		'the name EPERMIT',
		'ENOENT',
	])('keeps the words of the service: %s', (message) => {
		const cause = new RequestError(message, { outcome: 'unknown', description: 'Next step.' });
		expect(toNodeError(node, cause)).toMatchObject({ message, description: 'Next step.' });
		const setting = new InvalidSettingError('Path', message, 'Fix it.');
		expect(toNodeError(node, setting)).toMatchObject({ message: `Path: ${message}` });
	});

	test('is the same error when it is one already', () => {
		const error = new NodeOperationError(node, 'known');
		expect(toNodeError(node, error, 5)).toBe(error);
	});
});

describe('the item of an error', () => {
	const error = toNodeError(node, new Error('failed'));

	test('has the input, the error and its origin', () => {
		const input = { json: { id: 1, name: 'a' } };
		expect(errorItem(input, error, 4)).toEqual({
			json: { id: 1, name: 'a' },
			error,
			pairedItem: { item: 4 },
		});
	});

	test('has no field "error", which would run the whole node again', () => {
		const input = { json: { id: 1, error: 'of an earlier node' } };
		expect(errorItem(input, error, 0).json).toEqual({ id: 1 });
		expect(input.json.error).toBe('of an earlier node');
	});

	test('is empty where there is no input', () => {
		expect(errorItem(undefined, error, 0).json).toEqual({});
	});
});

describe('the names of items', () => {
	test.each([
		[[3], 'item 3'],
		[[0, 1], 'items 0–1'],
		[[0, 1, 2, 3, 4], 'items 0–4'],
		[[0, 2], 'items 0, 2'],
		[[0, 1, 2, 7], 'items 0–2, 7'],
		[[1, 4, 5, 9, 10, 11], 'items 1, 4–5, 9–11'],
	])('of %j are "%s"', (indexes, names) => {
		expect(nameItems(indexes)).toBe(names);
	});
});
