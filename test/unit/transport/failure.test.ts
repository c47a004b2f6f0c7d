/**
 * Which failures certainly left nothing at the service, so that even a send may be retried: judged by how
 * far the connection came, or else by the errors as they arrive, Node's wrapped in the one of axios, wrapped in
 * the one of n8n.
 */
import { AxiosError } from 'axios';
import { type JsonObject, NodeApiError } from 'n8n-workflow';

import type { Progress } from '../../../nodes/BusinessData/transport/connectionWatch';
import {
	ProxyError,
	readFailure,
	TimeoutError,
} from '../../../nodes/BusinessData/transport/failure';
import { KEY } from './examples';
import { NODE_TYPE, nodeOf } from '../../support/engineWorkflow';

type Facts = { code?: string; syscall?: string; name?: string };

const failed = (message: string, facts: Facts = {}) => Object.assign(new Error(message), facts);
const failedTo = (syscall: string, code: string, at = '') =>
	failed(`${syscall} ${code}${at}`, { code, syscall });
const refused = (address: string) => failedTo('connect', 'ECONNREFUSED', ` ${address}`);
const severalAddresses = (code: string, errors: Error[]) =>
	Object.assign(new AggregateError(errors), { code });

const node = nodeOf('Business Data', NODE_TYPE, {});
const inAxios = (error: Error & Facts) => AxiosError.from(error, error.code);
const inNodeApiError = (error: Error) => new NodeApiError(node, error as unknown as JsonObject);

/** Every way in which an error of Node's network code reaches the node. */
const wrappings: Array<[string, (error: Error & Facts) => Error]> = [
	['as Node gives it', (error) => error],
	['in the error of axios', inAxios],
	['in the error of n8n', inNodeApiError],
	['in both', (error) => inNodeApiError(inAxios(error))],
];
const inNodeApiErrorOfN8n1 = (error: Error & Facts) =>
	Object.assign(inNodeApiError(inAxios(error)), { cause: undefined });

describe.each([
	...wrappings,
	['in the error of n8n 1.x, which loses its cause', inNodeApiErrorOfN8n1] as const,
])('%s', (_, wrap) => {
	test.each<[reason: string, what: string, Error & Facts]>([
		['the connection was refused', 'a connection', refused('127.0.0.1:9')],
		[
			'the connection was refused',
			'several addresses',
			severalAddresses('ECONNREFUSED', [refused('::1'), refused('127.0.0.1')]),
		],
		[
			'no connection could be made',
			'several addresses, in different ways',
			severalAddresses('ETIMEDOUT', [
				failedTo('connect', 'ETIMEDOUT'),
				failedTo('connect', 'ENETUNREACH'),
			]),
		],
		["the host's name is not known", 'a name', failedTo('getaddrinfo', 'ENOTFOUND', ' x')],
		["the host's name could not be looked up", 'DNS', failedTo('getaddrinfo', 'EAI_AGAIN', ' x')],
		['the host cannot be reached', 'a host', failedTo('connect', 'EHOSTUNREACH')],
		['the network cannot be reached', 'a network', failedTo('connect', 'ENETUNREACH')],
		['the connection was cut off', 'a reset', failedTo('connect', 'ECONNRESET')],
		[
			'no connection could be made',
			'a time-out',
			failedTo('connect', 'ETIMEDOUT', ' 192.0.2.1:443'),
		],
	])('"%s" was not sent (%s)', (reason, _what, error) => {
		expect(readFailure(wrap(error), 'unknown', KEY)).toMatchObject({
			isNotSent: true,
			isTimeout: false,
			isPermanent: false,
			reason,
			code: error.code,
		});
	});

	test.each([
		['DEPTH_ZERO_SELF_SIGNED_CERT'],
		['SELF_SIGNED_CERT_IN_CHAIN'],
		['CERT_HAS_EXPIRED'],
		['UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
		['UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
		['ERR_TLS_CERT_ALTNAME_INVALID'],
	])('the certificate error %s was not sent and lasts', (code) => {
		expect(readFailure(wrap(failed('certificate', { code })), 'unknown', KEY)).toMatchObject({
			isNotSent: true,
			isPermanent: true,
			isTimeout: false,
			reason: "the server's certificate could not be verified",
			howToFix: expect.stringContaining('NODE_EXTRA_CA_CERTS') as string,
			code,
		});
	});

	const CUT_OFF = 'the connection was cut off';
	const TLS = 'Client network socket disconnected before secure TLS connection was established';
	test.each<[string, string, Error & Facts]>([
		['a connection reset while reading', CUT_OFF, failedTo('read', 'ECONNRESET')],
		['a hang-up', CUT_OFF, failed('socket hang up', { code: 'ECONNRESET' })],
		['a broken pipe', CUT_OFF, failedTo('write', 'EPIPE')],
		['a TLS handshake that was cut off', CUT_OFF, failed(TLS, { code: 'ECONNRESET' })],
		[
			'a response that ends in the middle',
			'the connection was cut off in the middle of the response',
			failed('Premature close', { code: 'ERR_STREAM_PREMATURE_CLOSE' }),
		],
		['a broken gzip', 'decompressed', failed('incorrect header', { code: 'Z_DATA_ERROR' })],
		['no HTTP', 'failed', failed('Parse Error', { code: 'HPE_INVALID_CONSTANT' })],
		['an error without any code', 'the connection failed', failed('something')],
		[
			'several addresses of which one was reached',
			CUT_OFF,
			severalAddresses('ECONNRESET', [refused('::1'), failedTo('read', 'ECONNRESET')]),
		],
	])('%s may have been sent', (_name, reason, error) => {
		const failure = readFailure(wrap(error), 'unknown', KEY);
		expect(failure).toMatchObject({ isNotSent: false, isTimeout: false, isPermanent: false });
		expect(failure.reason).toContain(reason);
		expect(failure.code).toBe(error.code);
	});

	test.each<[string, Error & Facts]>([
		['of the socket', failedTo('read', 'ETIMEDOUT')],
		['of axios', failed('timeout of 60000ms exceeded', { code: 'ECONNABORTED' })],
		['of a socket library', failed('ESOCKETTIMEDOUT', { code: 'ESOCKETTIMEDOUT' })],
	])('a time-out %s may have been sent', (_name, error) => {
		expect(readFailure(wrap(error), 'unknown', KEY)).toMatchObject({
			isNotSent: false,
			isTimeout: true,
			isPermanent: false,
			reason: 'no response came',
		});
	});
});

// n8n 1.x has no such policy.
describe.each(wrappings)('%s', (_, wrap) => {
	test.each(['SsrfBlockedIpError', 'SsrfBlockedHostnameError'])(
		"an address that n8n's policy blocks (%s) was not sent and lasts",
		(name) => {
			expect(readFailure(wrap(failed('blocked', { name })), 'unknown', KEY)).toMatchObject({
				isNotSent: true,
				isPermanent: true,
				reason: "n8n's policy for outgoing requests does not allow the address",
				howToFix: expect.stringContaining('N8N_SSRF_ALLOWED_HOSTNAMES') as string,
			});
		},
	);
});

test('the time-out of the node itself may have been sent', () => {
	expect(readFailure(new TimeoutError(), 'unknown', KEY)).toMatchObject({
		isNotSent: false,
		isTimeout: true,
		isPermanent: false,
		reason: 'no response came',
		code: undefined,
	});
});

test('causes that go round in a circle come to an end', () => {
	const outer: Error & { cause?: unknown } = failed('outer');
	outer.cause = Object.assign(refused('127.0.0.1:9'), { cause: outer });
	expect(readFailure(outer, 'unknown', KEY)).toMatchObject({
		isNotSent: true,
		code: 'ECONNREFUSED',
	});
	const itself: Error & { cause?: unknown } = failed('itself');
	itself.cause = itself;
	expect(readFailure(itself, 'unknown', KEY)).toMatchObject({ isNotSent: false });
});

const ofConnecting = { messages: ['connect ECONNREFUSED 127.0.0.1'] };
test.each([
	...[undefined, null, 'text', 42, {}, [], { errors: [] }, { errors: [null] }, { code: 5 }],
	...[{ httpCode: 'ECONNREFUSED' }, { httpCode: '404', ...ofConnecting }],
	...[
		{ httpCode: '4E4', ...ofConnecting },
		{ httpCode: ['ECONNREFUSED'], ...ofConnecting },
	],
])('%j as an error may have been sent', (error) => {
	expect(readFailure(error, 'unknown', KEY)).toMatchObject({
		isNotSent: false,
		isTimeout: false,
		isPermanent: false,
		reason: 'the connection failed',
		code: undefined,
	});
});

test.each([
	[['connect EPIPE'], true],
	[['connect EPIPE | write EPIPE'], false],
	[['after connect EPIPE'], false],
])('of n8n 1.x, by the messages %j: not sent is %s', (messages, isNotSent) => {
	const error = { httpCode: 'EPIPE', messages };
	expect(readFailure(error, 'unknown', KEY)).toMatchObject({ isNotSent, code: 'EPIPE' });
});

test.each([
	[407, 'the proxy answered 407 Proxy Authentication Required', true],
	[408, 'the proxy answered 408 Request Timeout', false],
	[429, 'the proxy answered 429 Too Many Requests', false],
	[499, 'the proxy answered 499', true],
	[500, 'the proxy answered 500 Internal Server Error', false],
])('a proxy that responds %i', (statusCode, reason, isPermanent) => {
	expect(readFailure(new ProxyError(statusCode), 'notConnected', KEY)).toMatchObject({
		...{ isNotSent: true, isTimeout: false, isPermanent, reason },
		howToFix: expect.stringContaining('HTTPS_PROXY') as string,
	});
});

const reset = failedTo('read', 'ECONNRESET');
const alert = failed('alert', { code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' });
const cause = failed('getaddrinfo', { syscall: 'getaddrinfo' });
const wrapped = Object.assign(failed('n8n'), { cause });
const NOT_MADE = 'n8n could not make the request';
const long = `no zone ${'x'.repeat(150)}`;

test.each<[Progress, Error, isNotSent: boolean, isPermanent: boolean, reason: string]>([
	['notConnected', reset, true, false, 'the connection was cut off'],
	['notConnected', new TimeoutError(), true, false, 'no connection could be made'],
	['connected', refused('127.0.0.1:9'), false, false, 'the connection was refused'],
	['connected', alert, false, false, 'the connection failed'],
	['notBegun', reset, true, true, `${NOT_MADE}: read ECONNRESET`],
	['notBegun', failedTo('getaddrinfo', 'ENOTFOUND'), true, false, "the host's name is not known"],
	['notBegun', wrapped, true, false, 'no connection could be made'],
	['notBegun', Object.assign(failed(''), { cause: { message: 5 } }), true, true, NOT_MADE],
	['notBegun', new TimeoutError(), true, false, 'no connection could be made'],
	['notBegun', failed(long + KEY), true, true, `${NOT_MADE}: ${long}${'*'.repeat(42)}`],
])('a request that is %s and fails by %s', (progress, error, isNotSent, isPermanent, reason) => {
	const howToFix = isPermanent ? 'Correct what n8n objects to' : 'whether the service is up';
	expect(readFailure(error, progress, KEY)).toMatchObject({
		...{ isNotSent, isPermanent, reason },
		howToFix: expect.stringContaining(howToFix) as string,
	});
});
