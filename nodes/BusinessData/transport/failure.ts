/**
 * Tells a request that certainly never reached the service from one that may have. RFC 9110 §9.2.2: a
 * request that is not idempotent may be retried only if the original was certainly not applied.
 */
import { STATUS_CODES } from 'node:http';

import type { Progress } from './connectionWatch';
import { redactText } from '../values/redact';

/** A request that ended without a response. */
export interface Failure {
	/** True when no byte of the request can have reached the service. */
	isNotSent: boolean;
	isTimeout: boolean;
	/** A retry would end the same way: the certificate, a policy or n8n itself is in the way. */
	isPermanent: boolean;
	/**
	 * n8n could not make the request, because of an expression in the credential for example, n8n's policy for outgoing
	 * requests does not allow it, or a proxy refused to make it.
	 */
	refusedBy?: 'n8n' | 'policy' | 'proxy';
	/** What happened, in words; of a timeout without the time. */
	reason: string;
	/** Node's error code, for example ECONNRESET. */
	code: string | undefined;
}

/** An error of Node's network code, as far as it is read here. */
interface NetworkError {
	code?: unknown;
	syscall?: unknown;
	name?: unknown;
	message?: unknown;
	cause?: unknown;
	errors?: unknown;
	/** In n8n's own errors, the code where there is no HTTP status. */
	httpCode?: unknown;
	/** In n8n's own errors, the messages of the wrapped errors. */
	messages?: unknown;
}

/** The service's response did not arrive in time. */
export class TimeoutError extends Error {
	constructor() {
		super('no response came in time');
		this.name = 'TimeoutError';
	}
}

/** A proxy has made no connection to the service. */
export class ProxyError extends Error {
	constructor(readonly statusCode: number) {
		super(`the proxy answered ${`${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim()}`);
		this.name = 'ProxyError';
	}

	/** Whether it may make one later, by RFC 9110 §15. */
	get isTransient(): boolean {
		return this.statusCode >= 500 || this.statusCode === 408 || this.statusCode === 429;
	}
}

/** Codes on the server's certificate; an alert is what the server says of ours. */
const CERTIFICATE_CODE = /^(?!.*ALERT).*(CERT|SELF_SIGNED|UNABLE_TO_VERIFY)/;
const TIMEOUT_CODES = new Set(['ETIMEDOUT', 'ECONNABORTED', 'ESOCKETTIMEDOUT']);

const REASONS: Record<string, string> = {
	ECONNREFUSED: 'the connection was refused',
	ENOTFOUND: "the host's name is not known",
	EAI_AGAIN: "the host's name could not be looked up",
	EHOSTUNREACH: 'the host cannot be reached',
	ENETUNREACH: 'the network cannot be reached',
	ECONNRESET: 'the connection was cut off',
	EPIPE: 'the connection was cut off',
	Z_BUF_ERROR: 'the response could not be decompressed',
	Z_DATA_ERROR: 'the response could not be decompressed',
	ERR_STREAM_PREMATURE_CLOSE: 'the connection was cut off in the middle of the response',
};

/**
 * Reads an error of n8n's HTTP helper, which wraps the one of axios, which wraps the one of Node. Without a
 * connection nothing was sent, whatever the error says; where nothing is known of the connection, the failing
 * system call decides.
 * @param apiKey is masked in the words of n8n
 */
export function readFailure(error: unknown, progress: Progress, apiKey: string): Failure {
	const chain = causesOf(error);
	const code = chain.map((cause) => cause.code).find((value) => typeof value === 'string');
	const isBlocked = chain.some(({ name }) => typeof name === 'string' && /Ssrf/i.test(name));
	const isCertificate = code !== undefined && CERTIFICATE_CODE.test(code);
	const isNotConnected = chain.some(failedToConnect);
	const isTimeout =
		!isNotConnected &&
		(chain.some(({ name }) => name === 'TimeoutError') ||
			(code !== undefined && TIMEOUT_CODES.has(code)));
	const proxyError = error instanceof ProxyError ? error : undefined;
	const isOfN8n = progress === 'notBegun' && !isBlocked && !isOfRequest(chain);
	const isNotSent =
		progress === 'unknown'
			? isBlocked || isCertificate || isNotConnected
			: progress !== 'connected';
	const isPermanent =
		isBlocked || isCertificate || isOfN8n || (proxyError !== undefined && !proxyError.isTransient);
	return {
		isNotSent,
		isTimeout: isTimeout && !isOfN8n,
		isPermanent,
		refusedBy: isOfN8n ? 'n8n' : isBlocked ? 'policy' : proxyError && 'proxy',
		reason: isOfN8n
			? `n8n could not make the request${ownWords(chain, apiKey)}`
			: (proxyError?.message ?? reasonOf({ code, isTimeout, isBlocked, isCertificate, isNotSent })),
		code,
	};
}

/** Whether an error that came before Node's HTTP client had the request is about its host or its time all the same. */
function isOfRequest(chain: NetworkError[]): boolean {
	return chain.some(({ name, syscall }) => name === 'TimeoutError' || syscall === 'getaddrinfo');
}

function reasonOf(facts: {
	code: string | undefined;
	isTimeout: boolean;
	isBlocked: boolean;
	isCertificate: boolean;
	isNotSent: boolean;
}): string {
	if (facts.isBlocked) return "n8n's policy for outgoing requests does not allow the address";
	if (facts.isCertificate) return "the server's certificate could not be verified";
	if (facts.isTimeout) {
		return facts.isNotSent ? 'no connection could be made' : 'no response came';
	}
	const known = facts.code === undefined ? undefined : REASONS[facts.code];
	return known ?? (facts.isNotSent ? 'no connection could be made' : 'the connection failed');
}

const LONGEST_WORDS = 200;

/** The error's own message, after a colon; n8n puts its own words in front of errors with a code. */
function ownWords(chain: NetworkError[], apiKey: string): string {
	const message = chain.map((cause) => cause.message).findLast((one) => typeof one === 'string');
	return message ? `: ${redactText(message, apiKey).slice(0, LONGEST_WORDS)}` : '';
}

/**
 * The failing system call decides: the code ECONNRESET alone appears in safe and in unsafe cases. When
 * several addresses were tried, each must have failed to connect.
 */
function failedToConnect(error: NetworkError): boolean {
	if (Array.isArray(error.errors) && error.errors.length > 0) {
		return error.errors.every((one: unknown) => isNetworkError(one) && failedToConnect(one));
	}
	return error.syscall === 'connect' || error.syscall === 'getaddrinfo';
}

function causesOf(error: unknown): NetworkError[] {
	const chain: NetworkError[] = [];
	let cause = error;
	while (isNetworkError(cause) && !chain.includes(cause)) {
		chain.push(cause);
		cause = cause.cause ?? remainsOfCause(cause);
	}
	return chain;
}

/**
 * n8n 1.x loses the cause of its errors; what is left is its code and message. Where Node names the failing
 * system call, its message begins with it, and the messages of several addresses stand in one line.
 */
function remainsOfCause({ httpCode, messages }: NetworkError): NetworkError | undefined {
	if (typeof httpCode !== 'string' || !/^[A-Z]/.test(httpCode) || !Array.isArray(messages)) {
		return undefined;
	}
	const texts = messages.flatMap((text: unknown) =>
		typeof text === 'string' ? text.split(' | ') : [],
	);
	const errors = texts.map((text) => ({ syscall: /^(\w+) E[A-Z]/.exec(text)?.[1] }));
	return { code: httpCode, errors, message: texts[0] };
}

function isNetworkError(value: unknown): value is NetworkError {
	return typeof value === 'object' && value !== null;
}
