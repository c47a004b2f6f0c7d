/** Interprets errors of n8n's HTTP helper: whether the request certainly never reached the service, and how to fix it. */
import { STATUS_CODES } from 'node:http';

import type { Progress } from './connectionWatch';
import { isObject } from '../values/isObject';
import { redactText } from '../values/redact';

export interface Failure {
	/** Whether no byte of the request can have reached the service. */
	isNotSent: boolean;
	isTimeout: boolean;
	/** Whether a retry would fail the same way, because of a certificate, a policy or n8n itself. */
	isPermanent: boolean;
	/** What happened, in words. */
	reason: string;
	/** How to fix what prevented the request from being sent. */
	howToFix: string;
	/** Node's error code, for example ECONNRESET. */
	code: string | undefined;
}

/** An error of Node's network code, of axios or of n8n. */
type Cause = Record<string, unknown>;

/** The service's response did not arrive in time. */
export class TimeoutError extends Error {
	constructor() {
		super('no complete response came in time');
		this.name = 'TimeoutError';
	}
}

/** The proxy did not connect to the service. */
export class ProxyError extends Error {
	constructor(readonly statusCode: number) {
		super(`the proxy answered ${formatStatus(statusCode)}`);
		this.name = 'ProxyError';
	}
}

/** For example `404 Not Found`. */
export function formatStatus(statusCode: number): string {
	return `${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim();
}

/**
 * A 5xx is a fault of the server (RFC 9110 §15.6). With 408, the request did not arrive completely (§15.5.9). With 499, a
 * gateway has canceled its call to the service, which may already have acted.
 * No 1xx ends a request, but for n8n's client, a 101 does.
 */
export function isTransientStatus(statusCode: number): boolean {
	return statusCode < 200 || statusCode >= 500 || statusCode === 408 || statusCode === 499;
}

/** Codes about the server's certificate. An alert is about the client's. */
const CERTIFICATE_CODE = /^(?!.*ALERT).*(CERT|SELF_SIGNED|UNABLE_TO_VERIFY)/;
const TIMEOUT_CODES = new Set(['ETIMEDOUT', 'ECONNABORTED', 'ESOCKETTIMEDOUT']);

const CHECK_BASE_URL = 'Check the base URL in the credential';

const REASONS: Array<[code: RegExp, reason: string]> = [
	[/^ECONNREFUSED$/, 'the connection was refused'],
	[/^ENOTFOUND$/, 'the host name is unknown'],
	[/^EAI_AGAIN$/, 'the host name could not be resolved'],
	[/^EHOSTUNREACH$/, 'the host cannot be reached'],
	[/^ENETUNREACH$/, 'the network cannot be reached'],
	[/^(ECONNRESET|EPIPE)$/, 'the connection was cut off'],
	[/^ERR_STREAM_PREMATURE_CLOSE$/, 'the connection was cut off in the middle of the response'],
	[/^CERT_HAS_EXPIRED$/, "the server's certificate has expired, or n8n's clock is wrong"],
	[/^HPE_/, 'the response is not valid HTTP'],
	// The codes of zlib, Brotli and Zstandard.
	[/^(Z|ERR__ERROR|ZSTD)_/, 'the response could not be decompressed'],
];

/**
 * Without a connection, nothing was sent, whatever the error says. If that is unknown, the failed system call decides.
 * @param error n8n's error, which wraps that of axios, which wraps that of Node
 */
export function readFailure(error: unknown, progress: Progress, apiKey: string): Failure {
	const chain = causesOf(error);
	const code = chain.map((cause) => cause.code).find((value) => typeof value === 'string');
	const [, known] = REASONS.find(([sign]) => sign.test(code ?? '')) ?? [];
	const isBlocked = chain.some(({ name }) => /Ssrf/i.test(String(name)));
	const isCertificate = CERTIFICATE_CODE.test(code ?? '');
	const isNotConnected = chain.some(failedToConnect);
	const isLate = chain.some(({ name }) => name === 'TimeoutError');
	const isTimeout = !isNotConnected && (isLate || TIMEOUT_CODES.has(code ?? ''));
	const isNotSent =
		progress === 'unknown'
			? isBlocked || isCertificate || isNotConnected
			: progress !== 'connected';
	// An error about the host or a timeout may occur before Node's HTTP client has the request.
	const isOfRequest = isLate || chain.some(({ syscall }) => syscall === 'getaddrinfo');
	const permanent = (reason: string, howToFix: string): Failure => {
		return { isNotSent, isTimeout: false, isPermanent: true, reason, howToFix, code };
	};
	if (isBlocked) {
		return permanent(
			"n8n's policy for outgoing requests does not allow the address",
			`${CHECK_BASE_URL}. To allow its host, name it in N8N_SSRF_ALLOWED_HOSTNAMES of n8n.`,
		);
	}
	if (progress === 'notBegun' && !isOfRequest) {
		const reason = `n8n could not make the request${ownWords(chain, apiKey)}`;
		return permanent(reason, 'Correct what n8n objects to.');
	}
	if (error instanceof ProxyError) {
		const howToFix = 'Check the proxy that this n8n is set up with, by HTTPS_PROXY for example.';
		const isTransient = isTransientStatus(error.statusCode) || error.statusCode === 429;
		return { ...permanent(error.message, howToFix), isPermanent: !isTransient };
	}
	if (isCertificate) {
		return permanent(
			known ?? "the server's certificate could not be verified",
			`${CHECK_BASE_URL}. If a private authority has signed the certificate, name its file in NODE_EXTRA_CA_CERTS of n8n.`,
		);
	}
	const failed = isNotSent ? 'no connection could be made' : 'the connection failed';
	const tooLate = isNotSent ? failed : 'no complete response came';
	const reason = isTimeout ? tooLate : (known ?? failed);
	const howToFix = `${CHECK_BASE_URL}, whether the service is up, and the proxy if n8n uses one.`;
	return { isNotSent, isTimeout, isPermanent: false, reason, howToFix, code };
}

const LONGEST_WORDS = 200;

/** The innermost message, after a colon. The outer ones add n8n's own words. */
function ownWords(chain: Cause[], apiKey: string): string {
	const message = chain.map((cause) => cause.message).findLast((one) => typeof one === 'string');
	return message ? `: ${redactText(message, apiKey).slice(0, LONGEST_WORDS)}` : '';
}

/** Judged by the system call, because ECONNRESET occurs before and after sending. All of several addresses must fail. */
function failedToConnect({ errors, syscall }: Cause): boolean {
	if (Array.isArray(errors) && errors.length > 0) {
		return errors.every((one: unknown) => isObject(one) && failedToConnect(one));
	}
	return syscall === 'connect' || syscall === 'getaddrinfo';
}

/** n8n 1.x drops the cause of its errors, but keeps its code and message. */
function causesOf(error: unknown): Cause[] {
	const chain: Cause[] = [];
	for (let cause = error; isObject(cause) && !chain.includes(cause); cause = cause.cause) {
		chain.push(cause);
		const { httpCode, messages } = cause;
		const isLost = cause.cause === undefined && /^[A-Z]/.test(String(httpCode));
		if (isLost && Array.isArray(messages)) chain.push({ code: httpCode, message: messages[0] });
	}
	return chain;
}
