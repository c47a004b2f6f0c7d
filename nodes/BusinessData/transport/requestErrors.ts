/** Puts into words what became of a request and how to go on. */
import { STATUS_CODES } from 'node:http';

import { ShutdownError } from '../n8nInternals/shutdown';
import type { WaitTooLongError } from '../rateLimit';
import type { RedisError } from '../redis';
import { type ServiceResponse, shownBody } from './response';
import { askedWaitMs } from './backoff';
import { formatEndpoint } from './endpoints';
import type { Failure } from './failure';
import { countOf, messageOf, shorten } from '../values/text';
import { parseUrl } from '../values/parseUrl';
import { redactText } from '../values/redact';
import {
	ExecutionCanceledError,
	type FailureCause,
	type Outcome,
	RequestError,
} from './requestError';
import { isRead, type ServiceRequest } from './serviceRequest';
import { serviceTexts } from './serviceTexts';
import { formatDuration } from './waitTime';

/** The four causes of a 401 by section 5 of the interface document. */
export const CAUSES_OF_401 =
	'Four causes are possible: the key is missing, the key is wrong (it has exactly 64 characters, 0–9 and a–f), the key was disabled or deleted, or its role is not allowed to call this endpoint. Check the API key in the credential, and its state and role in the settings of the business, under API keys.';

/**
 * The error for a response that is not 2xx.
 * @param isPauseTooLong whether the wait that the response asks for is too long
 */
export function responseError(
	request: ServiceRequest,
	response: ServiceResponse,
	isPauseTooLong = false,
): RequestError {
	const { statusCode } = response;
	const status = `The service answered ${`${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim()}`;
	const { message, more } = serviceWords(status, response);
	const outcome = outcomeOf(request, statusCode);
	const mayHaveActed = outcome === 'unknown' && !isRead(request);
	const asked = mayHaveActed ? undefined : askedWaitMs(response);
	return new RequestError(message, {
		outcome,
		statusCode,
		responseBody: shownBody(response),
		cause: causeOf(request, statusCode),
		description: `${formatEndpoint(request.endpoint)} — ${nextStep(request, response, outcome, isPauseTooLong)}${more}`,
		...(asked === undefined ? {} : { retryAfterSeconds: Math.ceil(asked / 1000) }),
	});
}

/** The error for a 2xx that, by the credential's Result Field, stands for a mistake: as if its status were 400. */
export function failedResultError(
	request: ServiceRequest,
	response: ServiceResponse,
	result: string,
): RequestError {
	const status = `The service answered ${response.statusCode}, but ${result}`;
	const { message, more } = serviceWords(status, response);
	return new RequestError(message, {
		outcome: 'refused',
		statusCode: 400,
		responseBody: shownBody(response),
		description: `${formatEndpoint(request.endpoint)} — By the Result Field in the credential, nothing was carried out. Correct what the service objects to, then run the node again.${more}`,
	});
}

/** The error for a web page in place of the result of a request that may have acted. */
export function webPageError(request: ServiceRequest, response: ServiceResponse): RequestError {
	const status = `The service answered ${response.statusCode} with a web page`;
	const { message, more } = serviceWords(status, response);
	return new RequestError(message, {
		outcome: 'unknown',
		statusCode: response.statusCode,
		responseBody: shownBody(response),
		description: `${formatEndpoint(request.endpoint)} — ${checkFirst(request)} A proxy or a log-in page may stand between n8n and the service: check the base URL in the credential.${more}`,
	});
}

/** Of the service's words in a message, and in a description. */
const LONGEST_MESSAGE = 300;
const LONGEST_DESCRIPTION = 2_000;

/**
 * What the service said: behind the status as much as a message holds, and the rest as a sentence for the
 * description.
 */
function serviceWords(
	status: string,
	response: ServiceResponse,
): { message: string; more: string } {
	const { sentences, others } = serviceTexts(response);
	// Many services repeat the status.
	const isNew = (text: string) => !status.toLowerCase().endsWith(` ${text.toLowerCase()}`);
	const [first, ...next] = (sentences.some(isNew) ? sentences : others).filter(isNew);
	if (first === undefined) return { message: status, more: '' };
	const said = new Set(first.length > LONGEST_MESSAGE ? [] : [first]);
	let words = shorten(first, LONGEST_MESSAGE);
	for (const text of next) {
		const longer = joinTexts(words, text);
		if (longer.length > LONGEST_MESSAGE) continue;
		words = longer;
		said.add(text);
	}
	const rest = [...sentences, ...others].filter((text) => isNew(text) && !said.has(text));
	const more =
		rest.length === 0
			? ''
			: ` The service also said: ${shorten(rest.reduce(joinTexts), LONGEST_DESCRIPTION)}`;
	return { message: `${status}: ${words}`, more };
}

function joinTexts(before: string, text: string): string {
	return `${before}${/[.!?:;…]$/.test(before) ? ' ' : '; '}${text}`;
}

/** The error for a request without a response. */
export function failureError(request: ServiceRequest, failure: Failure): RequestError {
	const endpoint = formatEndpoint(request.endpoint);
	const code = failure.code === undefined ? '' : ` (${failure.code})`;
	const inTime = failure.isTimeout ? ` within ${formatDuration(request.timeoutMs)}` : '';
	const happened = failure.reason + inTime;
	if (failure.isNotSent) {
		return new RequestError(`The request was not sent: ${happened}`, {
			outcome: 'notSent',
			cause: failure.isPermanent ? 'configuration-invalid' : 'temporarily-unavailable',
			description: `${endpoint}${code} — nothing reached the service. ${adviceOn(failure)}`,
		});
	}
	if (isRead(request)) {
		return new RequestError(`The service could not be read: ${happened}`, {
			outcome: 'unknown',
			cause: 'temporarily-unavailable',
			description: `${endpoint}${code} — several attempts failed. Run the node again later${failure.isTimeout ? ', or raise the timeout in its options' : ''}.`,
		});
	}
	return new RequestError(`The request may have taken effect: it went out, but ${happened}`, {
		outcome: 'unknown',
		description: `${endpoint}${code} — ${checkFirst(request)}`,
	});
}

function adviceOn({ isPermanent, refusedBy }: Failure): string {
	if (refusedBy === 'n8n') return 'Correct what n8n objects to, then run the node again.';
	if (refusedBy === 'proxy')
		return 'Check the proxy that this n8n is set up with, by HTTPS_PROXY for example.';
	if (refusedBy === 'policy')
		return 'Check the base URL in the credential. To allow its host, name it in N8N_SSRF_ALLOWED_HOSTNAMES of n8n.';
	return isPermanent
		? 'Check the base URL in the credential. If a private authority has signed the certificate, name its file in NODE_EXTRA_CA_CERTS of n8n.'
		: 'Check the base URL in the credential and whether the service is up, then run the node again.';
}

/**
 * The error for a request that was under way when the run was ended from outside.
 * @param reason what ended it
 */
export function stoppedError(request: ServiceRequest, reason: unknown): RequestError {
	const event = reason instanceof ShutdownError ? 'n8n shut down' : 'the execution was canceled';
	return new RequestError(`The request may have taken effect: it was under way when ${event}`, {
		outcome: 'unknown',
		description: `${formatEndpoint(request.endpoint)} — ${checkFirst(request)}`,
	});
}

/** The error for a request that would wait longer for the limits than it may. */
export function waitTooLongError(request: ServiceRequest, error: WaitTooLongError): RequestError {
	if (error.isRequested) return pausedError(request, error);
	const what = `${formatEndpoint(request.endpoint)} — the option`;
	return noRoomError('Not sent: the limits leave no room', what, request.maxWaitMs, error);
}

/**
 * The error for a request whose next attempt would be later than it may wait for.
 * @param failed the error of the attempt before
 */
export function pauseTooLongError(
	request: ServiceRequest,
	failed: RequestError,
	ms: number,
): RequestError {
	const { endpoint, maxWaitMs } = request;
	const { message, details } = failed;
	if (details.outcome === 'unknown' && !isRead(request)) return failed;
	const retryAfterSeconds = Math.ceil(ms / 1000);
	return new RequestError(message, {
		...details,
		retryAfterSeconds,
		description: `${formatEndpoint(endpoint)} — The next attempt would be in ${retryAfterSeconds} s, and the option Max Wait allows ${formatDuration(maxWaitMs)} in all. Run it again in ${retryAfterSeconds} s, or raise Max Wait (0 waits as long as it takes).`,
	});
}

/** The error for a request of a key that the service has asked to pause for long. */
function pausedError({ endpoint }: ServiceRequest, error: WaitTooLongError): RequestError {
	const retryAfterSeconds = Math.ceil(error.retryAfterMs / 1000);
	const left = formatDuration(retryAfterSeconds * 1000);
	return new RequestError(`Not sent: the service asks to wait for another ${left}`, {
		outcome: 'notSent',
		cause: 'rate-limited',
		retryAfterSeconds,
		description: `${formatEndpoint(endpoint)} — A previous response to this key said so (Retry-After), and that is longer than waiting here makes sense. Run it again in ${retryAfterSeconds} s.`,
	});
}

/** The error for a request that would wait too long for another sender of the same Send Once Key. */
export function underWayError({ endpoint, maxWaitMs, timeoutMs }: ServiceRequest): RequestError {
	const retryAfterSeconds = Math.ceil(timeoutMs / 1000);
	return new RequestError('Not sent: another execution is sending the same Send Once Key', {
		outcome: 'notSent',
		cause: 'temporarily-unavailable',
		retryAfterSeconds,
		description: `${formatEndpoint(endpoint)} — The option Max Wait allows ${formatDuration(maxWaitMs)}. Run it again in ${retryAfterSeconds} s, when the other has come to its end, or raise Max Wait (0 waits as long as it takes).`,
	});
}

/** The error for room that is too far away. */
export function roomTooLateError(
	requests: number,
	maxWaitMs: number,
	error: WaitTooLongError,
): RequestError {
	const problem = `The limits leave no room for ${countOf(requests, 'request')}`;
	return noRoomError(problem, 'The option', maxWaitMs, error);
}

function noRoomError(
	problem: string,
	beginning: string,
	maxWaitMs: number,
	{ retryAfterMs: waitMs }: WaitTooLongError,
): RequestError {
	const retryAfterSeconds = Math.ceil(waitMs / 1000);
	const message = `${problem} for at least ${formatDuration(retryAfterSeconds * 1000)}`;
	return new RequestError(message, {
		outcome: 'notSent',
		cause: 'rate-limited',
		retryAfterSeconds,
		description: `${beginning} Max Wait allows ${formatDuration(maxWaitMs)}. Run it again in ${retryAfterSeconds} s, or raise Max Wait (0 waits as long as it takes).`,
	});
}

/** The error for a request that Redis was needed for. */
export function redisError({ message, description, isPermanent }: RedisError): RequestError {
	const cause = isPermanent ? 'configuration-invalid' : 'temporarily-unavailable';
	return new RequestError(message, { outcome: 'notSent', cause, description });
}

/**
 * The error when the service has carried out a request and something failed after that.
 * @param cause what failed; it may be anything
 */
export function afterSuccessError(
	request: ServiceRequest,
	cause: unknown,
	apiKey: string,
): RequestError {
	// The error already says that the outcome is unknown.
	if (cause instanceof RequestError && cause.details.outcome === 'unknown') return cause;
	const words = redactText(messageOf(cause), apiKey);
	return new RequestError(
		`The service has accepted the request, but its response could not be put out: ${words}`,
		{
			outcome: 'unknown',
			description: `${formatEndpoint(request.endpoint)} — ${checkFirst(request)}`,
		},
	);
}

/**
 * The error for a request that failed when an attempt before may have been carried out.
 * @param error what ended it; it may be anything
 */
export function afterUnknownError(
	request: ServiceRequest,
	error: unknown,
	apiKey: string,
): RequestError {
	if (error instanceof ExecutionCanceledError || error instanceof ShutdownError) {
		return stoppedError(request, error);
	}
	const given = error instanceof RequestError ? error.details : undefined;
	if (error instanceof RequestError && given?.outcome === 'unknown') return error;
	const { retryAfterSeconds: _, cause: __, ...details } = given ?? {};
	const words = redactText(messageOf(error), apiKey);
	const isResponse = given?.outcome === 'refused';
	return new RequestError(
		isResponse ? words : `The request may have taken effect, and its next attempt failed: ${words}`,
		{
			...details,
			outcome: 'unknown',
			description: `${formatEndpoint(request.endpoint)} — What became of an attempt before it is not known. ${checkFirst(request)}`,
		},
	);
}

/** What to do after a request that may have taken effect. */
function checkFirst({ isIdempotent }: ServiceRequest): string {
	const beginning = isIdempotent === true ? 'It' : 'It was not retried, because it';
	return `${beginning} may have been carried out: a document may have been sent, or records deleted. Check in the service before you run it again.`;
}

/** Whether the service says that it knows the request's idempotency key, in use or with other content. */
function isConflict({ isIdempotent }: ServiceRequest, statusCode: number): boolean {
	return isIdempotent === true && (statusCode === 409 || statusCode === 422);
}

function outcomeOf(request: ServiceRequest, statusCode: number): Outcome {
	// Another request with the key is under way there.
	if (statusCode === 409 && isConflict(request, statusCode)) return 'unknown';
	// 101 is no end of a request, but n8n's client takes it for one.
	if (statusCode >= 500 || statusCode === 408 || statusCode < 200) return 'unknown';
	// 303 is the response to what was carried out (RFC 9110 §15.4.4), and many services use 301 and 302 for it too.
	const maySayDone = statusCode >= 300 && statusCode <= 303;
	return maySayDone && !isRead(request) ? 'unknown' : 'refused';
}

function causeOf(request: ServiceRequest, statusCode: number): FailureCause | undefined {
	if (statusCode === 401) return 'credential-invalid';
	if (statusCode === 429) return 'rate-limited';
	if (statusCode === 404 || isRedirect(statusCode)) return 'configuration-invalid';
	const isTransient = statusCode >= 500 || statusCode === 408;
	return isTransient && isRead(request) ? 'temporarily-unavailable' : undefined;
}

function nextStep(
	request: ServiceRequest,
	response: ServiceResponse,
	outcome: Outcome,
	isPauseTooLong: boolean,
): string {
	const { statusCode, headers } = response;
	if (statusCode === 401) return CAUSES_OF_401;
	const askedFor = `The service asks to wait for ${formatDuration(askedWaitMs(response) ?? 0)}, longer than waiting here makes sense. Run the item again after that time.`;
	if (statusCode === 429) {
		const wait = isPauseTooLong
			? askedFor
			: 'The longest window of its limits passed and it was still refused.';
		return `${wait} Something else seems to use the same API key: stop it, give it a key of its own, or leave it a share: Keep Free in the credential, under Customize for This Installation.`;
	}
	if (isRedirect(statusCode)) {
		const advice = `Redirects are not followed, so that the key goes to no other address. Set the base URL in the credential to where the service is now${originOf(headers.location)}.`;
		return outcome === 'unknown' ? `${advice} ${checkFirst(request)}` : advice;
	}
	if (isConflict(request, statusCode)) {
		return statusCode === 409
			? `The service knows the Send Once Key by its idempotency header: another request with it is under way, or was carried out. ${checkFirst(request)}`
			: 'If the service means the idempotency header by that, it knows the Send Once Key with other content, and nothing was carried out now. Check in the service what was sent with the key, and give each document its own.';
	}
	if (outcome === 'unknown') {
		if (!isRead(request)) return checkFirst(request);
		return isPauseTooLong ? askedFor : 'Several attempts failed. Run the node again later.';
	}
	if (statusCode === 404) return 'The path is added to the base URL in the credential: check both.';
	return 'Nothing was carried out. Correct what the service objects to, then run the node again.';
}

/** RFC 9110 §15.4.5: a 304 leads nowhere. */
function isRedirect(statusCode: number): boolean {
	return statusCode >= 300 && statusCode < 400 && statusCode !== 304;
}

/** The origin of a redirect's target; its path and query may hold anything and are not shown. */
function originOf(location: unknown): string {
	const url = typeof location === 'string' ? parseUrl(location) : undefined;
	return url === undefined ? '' : ` (it points to ${url.origin})`;
}
