/** The words for a request that did not end well: what happened, what became of it, and the next step. */
import { type Failure } from '../../../nodes/BusinessData/transport/failure';
import {
	responseError,
	failureError,
	waitTooLongError,
} from '../../../nodes/BusinessData/transport/requestErrors';
import { responseOf, read, requestOf, send } from './examples';

const CONTACTS = 'GET /masterdata/getContacts';
const SEND = 'POST /txndata/sendTxn';
const INVALID = 'configuration-invalid';
const UNAVAILABLE = 'temporarily-unavailable';
const tooLong = (retryAfterMs: number) => Object.assign(new Error('too long'), { retryAfterMs });

describe('a response', () => {
	const error = (request: typeof read, statusCode: number, body: unknown = '', headers = {}) =>
		responseError(request, responseOf(body, { statusCode, headers }));

	const CHECK = 'It was not retried, because it may have been carried out';
	const KEY_IS_WRONG = 'Four causes are possible: the key is missing, the key is wrong';
	const known = requestOf('POST', '/txndata/sendTxn', { isIdempotent: true });

	test.each<[typeof read, number, outcome: string, cause: string | undefined, nextStep: string]>([
		[send, 400, 'refused', undefined, 'Nothing was carried out. Correct what the service objects'],
		[send, 304, 'refused', undefined, 'Nothing was carried out.'],
		[read, 401, 'refused', 'credential-invalid', KEY_IS_WRONG],
		[send, 401, 'refused', 'credential-invalid', 'disabled or deleted, or its role is not allowed'],
		[send, 403, 'refused', undefined, 'Nothing was carried out.'],
		[send, 404, 'refused', INVALID, 'The path is added to the base URL'],
		[read, 429, 'refused', 'rate-limited', 'Something else seems to use the same API key'],
		[send, 429, 'refused', 'rate-limited', 'The longest window of its limits passed'],
		[send, 302, 'unknown', INVALID, 'Redirects are not followed'],
		[send, 303, 'unknown', INVALID, CHECK],
		[read, 303, 'refused', INVALID, 'Redirects are not followed'],
		[send, 307, 'refused', INVALID, 'Redirects are not followed'],
		[send, 101, 'unknown', undefined, CHECK],
		[send, 408, 'unknown', undefined, CHECK],
		[send, 500, 'unknown', undefined, CHECK],
		[send, 503, 'unknown', undefined, 'Check in the service before you run it again'],
		[
			known,
			409,
			'unknown',
			undefined,
			'another request with it is under way, or was carried out. It',
		],
		[known, 422, 'refused', undefined, 'it knows the Send Once Key with other content'],
		[known, 500, 'unknown', undefined, '— It may have been carried out'],
		[send, 409, 'refused', undefined, 'Nothing was carried out.'],
		[read, 408, 'unknown', UNAVAILABLE, '— Several attempts failed. Run the node'],
		[read, 503, 'unknown', UNAVAILABLE, '— Several attempts failed. Run the node'],
	])('%j: a %i is %s', (request, statusCode, outcome, cause, nextStep) => {
		const { details } = error(request, statusCode);
		expect(details).toMatchObject({ outcome, statusCode });
		expect(details.cause).toBe(cause);
		expect(details.description).toMatch(`${request === read ? CONTACTS : SEND} — `);
		expect(details.description).toContain(nextStep);
		if (request === read) expect(details.description).not.toContain('carried out');
	});

	test.each<[typeof read, number, string | undefined, number | undefined]>([
		[read, 429, '5', 5],
		[read, 429, '1.2', 2],
		[read, 429, '0', 0],
		[read, 429, 'soon', undefined],
		[read, 429, undefined, undefined],
		[send, 429, '30', 30],
		[read, 503, '30', 30],
		// It may have been carried out.
		[send, 303, '30', undefined],
		[send, 408, '30', undefined],
		[send, 503, '30', undefined],
	])('%j: a %i with Retry-After %j says when to retry', (request, statusCode, value, seconds) => {
		const { details } = error(request, statusCode, '', { 'retry-after': value });
		expect(details.retryAfterSeconds).toBe(seconds);
		expect('retryAfterSeconds' in details).toBe(seconds !== undefined);
	});
});

describe('a failure', () => {
	const failure: Failure = {
		...{ isNotSent: false, isTimeout: false, isPermanent: false },
		...{ reason: 'the connection was cut off', howToFix: 'Look there.', code: 'ECONNRESET' },
	};
	const notSent = { ...failure, isNotSent: true };
	const permanent = { ...notSent, isPermanent: true };
	const late = { ...failure, isTimeout: true, reason: 'no response came', code: undefined };

	const CONNECTION = 'the connection was cut off';
	const NOTHING = '(ECONNRESET) — nothing reached the service. Look there.';
	const MAY_HAVE = 'The request may have taken effect: it went out, but';
	const CHECK =
		'It was not retried, because it may have been carried out: a document may have been sent, or records deleted. Check in the service before you run it again.';
	const LATER = '— several attempts failed. Run the node again later';
	const slow = { ...send, timeoutMs: 90_000 };

	test.each<[typeof read, Failure, string, cause: string | undefined, ...words: string[]]>([
		[read, notSent, 'notSent', UNAVAILABLE, `The request was not sent: ${CONNECTION}`, NOTHING],
		[send, permanent, 'notSent', INVALID, `The request was not sent: ${CONNECTION}`, NOTHING],
		[send, failure, 'unknown', undefined, `${MAY_HAVE} ${CONNECTION}`, `(ECONNRESET) — ${CHECK}`],
		[slow, late, 'unknown', undefined, `${MAY_HAVE} no response came within 90 s`, `— ${CHECK}`],
		[
			...([read, failure, 'unknown', UNAVAILABLE] as const),
			`The service could not be read: ${CONNECTION}`,
			`(ECONNRESET) ${LATER}.`,
		],
		[
			...([read, late, 'unknown', UNAVAILABLE] as const),
			'The service could not be read: no response came within 60 s',
			`${LATER}, or raise the timeout in its options.`,
		],
	])('of %j: %j is %s', (request, one, outcome, cause, message, description) => {
		const error = failureError(request, one);
		expect(error.message).toBe(message);
		const endpoint = request === read ? CONTACTS : SEND;
		expect(error.details).toEqual({ outcome, cause, description: `${endpoint} ${description}` });
	});
});

test('a wait that would be too long says how long it would be and how long it may be', () => {
	const request = requestOf('POST', '/txndata/sendTxn', { maxWaitMs: 60_000 });
	const { message, details } = waitTooLongError(request, tooLong(594_200));
	expect(message).toBe('Not sent: the limits leave no room for at least 10 min');
	expect(details).toEqual({
		...{ outcome: 'notSent', retryAfterSeconds: 595, cause: 'rate-limited' },
		description: `${SEND} — the option Max Wait allows 60 s in all (0 waits as long as it takes). Run it again in 595 s.`,
	});
});
