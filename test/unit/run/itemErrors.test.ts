/** Errors as n8n shows them; tests in the engine cover most causes, and nodes that continue on error. */
import { NodeOperationError } from 'n8n-workflow';

import { RedisError } from '../../../nodes/BusinessData/redis';
import { countItems, nameItems, toNodeError } from '../../../nodes/BusinessData/run/itemErrors';
import { node } from './fakeContext';

const UNEXPECTED = { message: 'unexpected', context: { itemIndex: 3 } };

test.each<[Error | string, object, cause?: string]>([
	[new RedisError('Redis …', ''), {}, 'temporarily-unavailable'],
	[new RedisError('Redis …', '', true), {}, 'configuration-invalid'],
	[new Error('unexpected'), UNEXPECTED],
	['unexpected', UNEXPECTED],
])('%p becomes a node error', (thrown, expected, cause = undefined) => {
	const error = toNodeError(node, thrown, 3);
	expect(error).toBeInstanceOf(NodeOperationError);
	expect(error).toMatchObject(expected);
	expect(error.failure).toEqual(cause && { cause });
	expect('outcome' in error.context).toBe(cause !== undefined);
	expect(toNodeError(node, error, 5)).toBe(error);
});

test('a long list of items is cut short', () => {
	const even = Array.from({ length: 2500 }, (_, index) => index * 2);
	expect(nameItems([0, 1, ...even.slice(1)])).toMatch(
		/^items 0–2, 4, (\d+, ){17}40 and 2479 more$/,
	);
	expect(countItems(even)).toMatch(/^2500 items \(0, 2, .*, 38 and 2480 more\)$/);
	expect(nameItems(even.slice(0, 20))).toMatch(/, 38$/);
});
