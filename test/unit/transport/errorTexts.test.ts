/** The texts of errors that no test in the engine reads. */
import type { Failure } from '../../../nodes/BusinessData/transport/failure';
import { failureError, responseError } from '../../../nodes/BusinessData/transport/errorTexts';
import { read, responseOf, send } from './examples';

test.each([
	['1.2', 2],
	['soon', undefined],
])('with Retry-After %j, the error says to retry after %j s', (value, seconds) => {
	const response = responseOf('', { statusCode: 429, headers: { 'retry-after': value } });
	expect(responseError(read, response).details.retryAfterSeconds).toBe(seconds);
});

test.each([
	[false, 'temporarily-unavailable'],
	[true, 'configuration-invalid'],
])('a request that was not sent (permanently: %j) has the cause %s', (isPermanent, cause) => {
	const failure: Failure = {
		isNotSent: true,
		isTimeout: false,
		isPermanent,
		code: 'ECONNREFUSED',
		reason: 'nothing accepts connections',
		howToFix: 'Look there.',
	};
	expect(failureError(send, failure).details).toMatchObject({ outcome: 'notSent', cause });
});
