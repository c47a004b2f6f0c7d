/** The words for a request that did not end well: what happened, what became of it, and the next step. */
import { type Failure } from '../../../nodes/BusinessData/transport/failure';
import {
	responseError,
	failureError,
	waitTooLongError,
} from '../../../nodes/BusinessData/transport/requestErrors';
import { responseOf, KEY, read, requestOf, send } from './examples';

const CONTACTS = 'GET /masterdata/getContacts';
const SEND = 'POST /txndata/sendTxn';
const tooLong = (retryAfterMs: number) => Object.assign(new Error('too long'), { retryAfterMs });

describe('a response', () => {
	const error = (request: typeof read, statusCode: number, body: unknown = '', headers = {}) =>
		responseError(request, responseOf(body, { statusCode, headers }));

	test('is reported with its status and its message', () => {
		expect(error(send, 422, { message: 'Name is missing' }).message).toBe(
			'The service answered 422 Unprocessable Entity: Name is missing',
		);
		expect(error(send, 404).message).toBe('The service answered 404 Not Found');
		expect(error(send, 499).message).toBe('The service answered 499');
	});

	test.each([
		[400, 'refused', 'Nothing was carried out. Correct what the service objects to'],
		[404, 'refused', 'The path is added to the base URL in the credential: check both.'],
		[429, 'refused', 'Something else seems to use the same API key'],
		[302, 'unknown', 'Redirects are not followed'],
		[303, 'unknown', 'It was not retried, because it may have been carried out'],
		[307, 'refused', 'Redirects are not followed'],
		[408, 'unknown', 'It was not retried, because it may have been carried out'],
		[500, 'unknown', 'It was not retried, because it may have been carried out'],
		[503, 'unknown', 'Check in the service before you run it again'],
	])('%i to a send is %s: %s', (statusCode, outcome, nextStep) => {
		const { details } = error(send, statusCode);
		expect(details).toMatchObject({ outcome, statusCode });
		expect(details.description).toMatch(`${SEND} — `);
		expect(details.description).toContain(nextStep);
	});

	test.each([408, 500, 502])('%i to a read is told without a word of sending', (statusCode) => {
		const { details } = error(read, statusCode);
		expect(details.description).toBe(
			`${CONTACTS} — Several attempts failed. Run the node again later.`,
		);
	});

	test.each([
		[401, 'credential-invalid', 'credential-invalid'],
		[429, 'rate-limited', 'rate-limited'],
		[307, 'configuration-invalid', 'configuration-invalid'],
		[404, 'configuration-invalid', 'configuration-invalid'],
		[400, undefined, undefined],
		[403, undefined, undefined],
		[408, 'temporarily-unavailable', undefined],
		[503, 'temporarily-unavailable', undefined],
	])('%i has the cause %s for a read, and %s for a send', (statusCode, ofRead, ofSend) => {
		expect(error(read, statusCode).details.cause).toBe(ofRead);
		expect(error(send, statusCode).details.cause).toBe(ofSend);
	});

	test('401 has four causes', () => {
		const { message, details } = error(read, 401, { error: 'nope' });
		expect(message).toBe('The service answered 401 Unauthorized: nope');
		for (const cause of ['missing', 'wrong', 'disabled or deleted', 'role is not allowed']) {
			expect(details.description).toContain(cause);
		}
	});

	test.each([
		[
			'https://new.example/login?key=secret#a',
			'service is now (it points to https://new.example).',
		],
		['/login?key=secret', 'service is now.'],
		['', 'service is now.'],
		[undefined, 'service is now.'],
	])('that redirects to %s shows the origin at most', (location, end) => {
		const { details } = error(read, 307, '', { location });
		expect(details.description).toMatch(new RegExp(`${end.replace(/[().]/g, '\\$&')}$`));
		expect(details.description).not.toContain('secret');
	});

	test.each([
		['5', 5],
		['1.2', 2],
		['0', 0],
		['soon', undefined],
		[undefined, undefined],
	])('with Retry-After %j says so for expressions', (value, seconds) => {
		const { details } = error(read, 429, '', { 'retry-after': value });
		expect(details.retryAfterSeconds).toBe(seconds);
		expect('retryAfterSeconds' in details).toBe(seconds !== undefined);
	});

	test('to a send that may have been carried out names no time after which to send it again', () => {
		const asking = { 'retry-after': '30' };
		for (const statusCode of [303, 408, 503]) {
			expect(error(send, statusCode, '', asking).details).not.toHaveProperty('retryAfterSeconds');
		}
		expect(error(send, 429, '', asking).details.retryAfterSeconds).toBe(30);
		expect(error(read, 503, '', asking).details.retryAfterSeconds).toBe(30);
	});
});

describe('a failure', () => {
	const failure: Failure = {
		isNotSent: false,
		isTimeout: false,
		isPermanent: false,
		reason: 'the connection was cut off',
		howToFix: 'Look there.',
		code: 'ECONNRESET',
	};
	const refused = { ...failure, isNotSent: true, reason: 'the connection was refused', code: 'X1' };
	const timeout = {
		...failure,
		isTimeout: true,
		reason: 'no response came',
		code: undefined,
	};

	test.each([
		['a read', read, CONTACTS],
		['a send', send, SEND],
	])('before %s was sent says so, and how to fix it', (_, request, endpoint) => {
		const { message, details } = failureError(request, refused);
		expect(message).toBe('The request was not sent: the connection was refused');
		expect(details).toMatchObject({
			outcome: 'notSent',
			description: `${endpoint} (X1) — nothing reached the service. Look there.`,
		});
	});

	test('has a cause that a wait can help, but for a send that may have taken effect', () => {
		expect(failureError(read, failure).details.cause).toBe('temporarily-unavailable');
		expect(failureError(send, failure).details.cause).toBeUndefined();
		expect(failureError(send, refused).details.cause).toBe('temporarily-unavailable');
		const permanent = { ...refused, isPermanent: true };
		expect(failureError(send, permanent).details.cause).toBe('configuration-invalid');
	});

	test('of a send says that it may have taken effect', () => {
		const { message, details } = failureError(send, failure);
		expect(message).toBe(
			'The request may have taken effect: it went out, but the connection was cut off',
		);
		expect(details.outcome).toBe('unknown');
		expect(details.description).toMatch(`${SEND} (ECONNRESET) — It was not retried`);
		expect(details.description).toContain('a document may have been sent');
	});

	test('of a send that took too long says how long', () => {
		const request = requestOf('POST', '/txndata/sendTxn', { timeoutMs: 90_000 });
		const { message, details } = failureError(request, timeout);
		expect(message).toBe(
			'The request may have taken effect: it went out, but no response came within 90 s',
		);
		expect(details.outcome).toBe('unknown');
		expect(details.description).toMatch(`${SEND} — It was not retried`);
	});

	test.each([
		[failure, 'the connection was cut off', 'Run the node again later.'],
		[timeout, 'no response came within 60 s', 'again later, or raise the timeout in its options.'],
	])('of a read is told without a word of sending', (one, happened, nextStep) => {
		const { message, details } = failureError(read, one);
		expect(message).toBe(`The service could not be read: ${happened}`);
		expect(details.outcome).toBe('unknown');
		expect(details.description).toContain('several attempts failed');
		expect(details.description).toContain(nextStep);
		expect(details.description).not.toContain('may have been');
	});
});

describe('a wait that would be too long', () => {
	test('says how long it would be and how long it may be', () => {
		const request = requestOf('POST', '/txndata/sendTxn', { maxWaitMs: 60_000 });
		const { message, details } = waitTooLongError(request, tooLong(594_200));
		expect(message).toBe('Not sent: the limits leave no room for at least 10 min');
		expect(details).toMatchObject({
			...{ outcome: 'notSent', retryAfterSeconds: 595, cause: 'rate-limited' },
		});
		expect(details.description).toBe(
			`${SEND} — the option Max Wait allows 60 s in all (0 waits as long as it takes). Run it again in 595 s.`,
		);
	});
});

test('headers, query and body of a request are in no error', () => {
	const request = requestOf('POST', '/a', {
		query: [{ name: 'q', value: KEY }],
		headers: { 'x-other': KEY },
		body: { secret: KEY },
		maxWaitMs: 1,
	});
	const failure = { isNotSent: true, isTimeout: false, isPermanent: false, code: 'X' };
	const words = { reason: '', howToFix: '' };
	for (const error of [
		responseError(request, responseOf('', { statusCode: 500 })),
		failureError(request, { ...failure, ...words }),
		waitTooLongError(request, tooLong(5)),
	]) {
		expect(JSON.stringify([error.message, error.details])).not.toContain(KEY);
	}
});
