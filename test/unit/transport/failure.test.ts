/**
 * Which failures certainly left nothing at the service, so that even a send may be retried: judged by how far the
 * connection came, or else by the error, which may be Node's wrapped in that of axios, wrapped in that of n8n.
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

type Facts = { code?: string; syscall?: string; name?: string; cause?: unknown };

const failed = (message: string, facts: Facts = {}) => Object.assign(new Error(message), facts);
const failedTo = (syscall: string, code: string, at = '') =>
	failed(`${syscall} ${code}${at}`, { code, syscall });
const refused = (address: string) => failedTo('connect', 'ECONNREFUSED', ` ${address}`);
const severalAddresses = (code: string, ...errors: Error[]) =>
	Object.assign(new AggregateError(errors), { code });

const node = nodeOf('Business Data', NODE_TYPE, {});
const inAxios = (error: Error & Facts) => AxiosError.from(error, error.code);
const inNodeApiError = (error: Error) => new NodeApiError(node, error as unknown as JsonObject);

/** Every way in which an error of Node's network code reaches the node. */
const wrappings: Array<(error: Error & Facts) => Error> = [
	(error) => error,
	inAxios,
	inNodeApiError,
	(error) => inNodeApiError(inAxios(error)),
];
const inNodeApiErrorOfN8n1 = (error: Error & Facts) =>
	Object.assign(inNodeApiError(inAxios(error)), { cause: undefined });

const coded = (code: string) => failed('something', { code });
const REFUSED = 'the connection was refused';
const NO_CONNECTION = 'no connection could be made';
const CUT_OFF = 'the connection was cut off';
const TLS = 'Client network socket disconnected before secure TLS connection was established';
const timedOutOrRefused = severalAddresses(
	'ETIMEDOUT',
	failedTo('connect', 'ETIMEDOUT'),
	refused('::1'),
);
const cutOff = failedTo('read', 'ECONNRESET');
const refusedOrReset = severalAddresses('ECONNRESET', refused('::1'), cutOff);
type Row = [what: string, error: Error & Facts, isNotSent: boolean, reason: string];
const rows: Row[] = [
	['a refused connection', refused('127.0.0.1:9'), true, REFUSED],
	['two refusals', severalAddresses('ECONNREFUSED', refused('b'), refused('a')), true, REFUSED],
	['several addresses that fail in different ways', timedOutOrRefused, true, NO_CONNECTION],
	['an unknown name', failedTo('getaddrinfo', 'ENOTFOUND', ' x'), true, 'the host name is unknown'],
	['failed DNS', failedTo('getaddrinfo', 'EAI_AGAIN'), true, 'the host name could not be resolved'],
	['an unreachable host', failedTo('connect', 'EHOSTUNREACH'), true, 'the host cannot be reached'],
	['a network failure', failedTo('connect', 'ENETUNREACH'), true, 'the network cannot be reached'],
	['a reset while connecting', failedTo('connect', 'ECONNRESET'), true, CUT_OFF],
	['a connection timeout', failedTo('connect', 'ETIMEDOUT', ' 192.0.2.1:443'), true, NO_CONNECTION],
	['a reset while reading', failedTo('read', 'ECONNRESET'), false, CUT_OFF],
	['a hang-up', failed('socket hang up', { code: 'ECONNRESET' }), false, CUT_OFF],
	['a broken pipe', failedTo('write', 'EPIPE'), false, CUT_OFF],
	['a broken TLS handshake', failed(TLS, { code: 'ECONNRESET' }), false, CUT_OFF],
	[
		'half a response',
		coded('ERR_STREAM_PREMATURE_CLOSE'),
		false,
		`${CUT_OFF} in the middle of the response`,
	],
	...['Z_DATA_ERROR', 'ERR__ERROR_FORMAT_PADDING_2', 'ZSTD_error_prefix_unknown'].map(
		(code): Row => [code, coded(code), false, 'the response could not be decompressed'],
	),
	[
		'a response that is not HTTP',
		coded('HPE_INVALID_CONSTANT'),
		false,
		'the response is not valid HTTP',
	],
	['an error without a code', failed('something'), false, 'the connection failed'],
	['several addresses of which one was reached', refusedOrReset, false, CUT_OFF],
];

test.each(rows)('%s is classified', (_, error, isNotSent, reason) => {
	const facts = { isNotSent, reason, code: error.code };
	for (const wrap of wrappings) {
		const failure = readFailure(wrap(error), 'unknown', KEY);
		expect(failure).toMatchObject({ ...facts, isTimeout: false, isPermanent: false });
		expect(failure.howToFix).toContain('whether the service is up, and the proxy');
	}
	const progress = isNotSent ? 'notConnected' : 'connected';
	expect(readFailure(inNodeApiErrorOfN8n1(error), progress, KEY)).toMatchObject(facts);
});

test.each([
	['of the socket', failedTo('read', 'ETIMEDOUT')],
	['of axios', failed('timeout of 60000ms exceeded', { code: 'ECONNABORTED' })],
	['of a socket library', failed('ESOCKETTIMEDOUT', { code: 'ESOCKETTIMEDOUT' })],
	['of the node itself', new TimeoutError()],
])('a request with a timeout %s may have been sent', (_, error) => {
	for (const wrap of [...wrappings, inNodeApiErrorOfN8n1]) {
		if (error instanceof TimeoutError && wrap === inNodeApiErrorOfN8n1) continue;
		expect(readFailure(wrap(error), 'unknown', KEY)).toMatchObject({
			isNotSent: false,
			isTimeout: true,
			isPermanent: false,
			reason: 'no complete response came',
		});
	}
});

const CERTIFICATE = "the server's certificate could not be verified";
const POLICY = "n8n's policy for outgoing requests does not allow the address";
const unverified = [
	...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN'],
	...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY'],
	'ERR_TLS_CERT_ALTNAME_INVALID',
].map((code) => [coded(code), CERTIFICATE, 'NODE_EXTRA_CA_CERTS'] as const);
const EXPIRED = "the server's certificate has expired, or n8n's clock is wrong";
const expired = [coded('CERT_HAS_EXPIRED'), EXPIRED, 'base URL'] as const;
const blocked = ['SsrfBlockedIpError', 'SsrfBlockedHostnameError'].map(
	(name) => [failed('blocked', { name }), POLICY, 'N8N_SSRF_ALLOWED_HOSTNAMES'] as const,
);
const permanent = [...unverified, expired, ...blocked];
test.each(permanent)('%j is permanent and not sent', (error, reason, setting) => {
	for (const wrap of wrappings) {
		const failure = readFailure(wrap(error), 'unknown', KEY);
		expect(failure).toMatchObject({ isNotSent: true, isTimeout: false, isPermanent: true, reason });
		expect(failure.howToFix).toContain(setting);
	}
});

test('an error with circular causes is read to an end', () => {
	const outer = failed('outer');
	Object.assign(outer, { cause: Object.assign(refused('127.0.0.1:9'), { cause: outer }) });
	expect(readFailure(outer, 'unknown', KEY)).toMatchObject({ isNotSent: true });
	const itself = failed('itself');
	Object.assign(itself, { cause: itself });
	expect(readFailure(itself, 'unknown', KEY)).toMatchObject({ isNotSent: false });
});

const messages = ['connect ECONNREFUSED 127.0.0.1'];
test.each([
	...[undefined, null, 'text', 42, {}, [], { errors: [] }, { errors: [null] }, { code: 5 }],
	...[{ httpCode: 'ECONNREFUSED' }, { httpCode: '404', messages }, { httpCode: '4E4', messages }],
])('a request that fails with %j may have been sent', (error) => {
	expect(readFailure(error, 'unknown', KEY)).toMatchObject({
		isNotSent: false,
		isTimeout: false,
		isPermanent: false,
		reason: 'the connection failed',
		code: undefined,
	});
});

test.each([
	[407, 'the proxy answered 407 Proxy Authentication Required', true],
	[408, 'the proxy answered 408 Request Timeout', false],
	[429, 'the proxy answered 429 Too Many Requests', false],
	[498, 'the proxy answered 498', true],
	[499, 'the proxy answered 499', false],
	[500, 'the proxy answered 500 Internal Server Error', false],
])('a request to which a proxy responds %i was not sent', (statusCode, reason, isPermanent) => {
	expect(readFailure(new ProxyError(statusCode), 'notConnected', KEY)).toMatchObject({
		isNotSent: true,
		isTimeout: false,
		isPermanent,
		reason,
		howToFix: expect.stringContaining('HTTPS_PROXY') as string,
	});
});

const reset = failedTo('read', 'ECONNRESET');
const alert = failed('alert', { code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' });
const lookup = failed('n8n', { cause: failed('getaddrinfo', { syscall: 'getaddrinfo' }) });
const NOT_MADE = 'n8n could not make the request';
const long = `no zone ${'x'.repeat(150)}`;

test.each<[Progress, Error, isNotSent: boolean, isPermanent: boolean, reason: string]>([
	['notConnected', reset, true, false, CUT_OFF],
	['notConnected', new TimeoutError(), true, false, NO_CONNECTION],
	['connected', refused('127.0.0.1:9'), false, false, 'the connection was refused'],
	['connected', alert, false, false, 'the connection failed'],
	['notBegun', reset, true, true, `${NOT_MADE}: read ECONNRESET`],
	['notBegun', inNodeApiErrorOfN8n1(reset), true, true, `${NOT_MADE}: read ECONNRESET`],
	['notBegun', failedTo('getaddrinfo', 'ENOTFOUND'), true, false, 'the host name is unknown'],
	['notBegun', lookup, true, false, NO_CONNECTION],
	['notBegun', failed('', { cause: { message: 5 } }), true, true, NOT_MADE],
	['notBegun', new TimeoutError(), true, false, NO_CONNECTION],
	['notBegun', failed(long + KEY), true, true, `${NOT_MADE}: ${long}${'*'.repeat(42)}`],
])('a request that is %s and fails by %p', (progress, error, isNotSent, isPermanent, reason) => {
	const howToFix = isPermanent ? 'Correct what n8n objects to' : 'whether the service is up';
	expect(readFailure(error, progress, KEY)).toMatchObject({
		isNotSent,
		isPermanent,
		reason,
		howToFix: expect.stringContaining(howToFix) as string,
	});
});
