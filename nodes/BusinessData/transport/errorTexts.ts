/** The errors of requests in words: what happened, and what to do. */
import { ShutdownError } from '../n8nInternals/shutdown';
import type { WaitTooLongError } from '../rateLimit';
import type { RedisError } from '../redis';
import { isWebPage, LARGEST_BODY_BYTES, type ServiceResponse, shownBody } from './response';
import { formatEndpoint } from './endpoints';
import { type Failure, formatStatus, isTransientStatus } from './failure';
import { formatDuration, messageOf, pluralize } from '../values/text';
import { parseUrl } from '../values/parseUrl';
import { redactText } from '../values/redact';
import {
	ExecutionCanceledError,
	type FailureCause,
	RequestError,
	type RequestErrorDetails,
} from './requestError';
import { failedResult, type ResultSetting } from './resultField';
import { isRead, type ServiceRequest } from './serviceRequest';
import { explain } from './serviceTexts';

/** The four causes of a 401, according to section 5 of the interface document. */
export const CAUSES_OF_401 =
	'Four causes are possible: the key is missing, the key is wrong (it has exactly 64 characters, 0–9 and a–f), the key was disabled or deleted, or its role is not allowed to call this endpoint. Check the API key in the credential, and its state and role in the settings of the business, under API keys.';

const INVALID = 'configuration-invalid';
const UNAVAILABLE = 'temporarily-unavailable';

/** An error whose description begins with the endpoint. @param code Node's error code, if any */
function errorOn(
	{ endpoint }: ServiceRequest,
	message: string,
	details: RequestErrorDetails,
	code?: string,
): RequestError {
	const where = formatEndpoint(endpoint) + (code === undefined ? '' : ` (${code})`);
	return new RequestError(message, {
		...details,
		description: `${where} — ${details.description}`,
	});
}

function unknownError(request: ServiceRequest, message: string, code?: string): RequestError {
	return errorOn(request, message, { outcome: 'unknown', description: checkFirst(request) }, code);
}

/** What to do after a request that may have taken effect. */
function checkFirst({ isIdempotent }: ServiceRequest): string {
	const beginning = isIdempotent === true ? 'It' : 'It was not retried, because it';
	return `${beginning} may have been carried out: a document may have been sent, or records deleted. Check in the service before you run it again.`;
}

/** An error that quotes the service. */
function errorOfResponse(
	request: ServiceRequest,
	response: ServiceResponse,
	status: string,
	details: RequestErrorDetails,
): RequestError {
	const { message, rest } = explain(`The service answered ${status}`, response);
	const { statusCode } = response;
	const description = details.description + rest;
	const shown = { statusCode, responseBody: shownBody(response), ...details, description };
	return errorOn(request, message, shown);
}

/**
 * @param askedMs how long (ms) the response asks to wait
 * @param isTooLong whether that is too long
 */
export function responseError(
	request: ServiceRequest,
	response: ServiceResponse,
	askedMs?: number,
	isTooLong = false,
): RequestError {
	const pause = isTooLong
		? `The service asks to wait for ${formatDuration(askedMs ?? 0)}, which is too long to wait here. Run the item again after that time.`
		: undefined;
	const meaning = meaningOf(request, response, pause);
	const mayWait = askedMs !== undefined && (meaning.outcome !== 'unknown' || isRead(request));
	return errorOfResponse(request, response, formatStatus(response.statusCode), {
		...meaning,
		...(mayWait ? { retryAfterSeconds: Math.ceil(askedMs / 1000) } : {}),
	});
}

/** @param pause sentence about a pause that is too long */
function meaningOf(
	request: ServiceRequest,
	{ statusCode, headers }: ServiceResponse,
	pause?: string,
): RequestErrorDetails {
	const refused = (description: string, cause?: FailureCause) =>
		({ outcome: 'refused', cause, description }) as const;
	const unknown = (description: string, cause?: FailureCause) =>
		({ outcome: 'unknown', cause, description }) as const;
	const mayAct = !isRead(request);
	const check = checkFirst(request);
	if (statusCode === 401) return refused(CAUSES_OF_401, 'credential-invalid');
	if (statusCode === 429) {
		return refused(
			`${pause ?? 'It was still refused after the longest window of its limits had passed.'} Something else seems to use the same API key: stop it, give it a key of its own, or leave it a share with Keep Free in the credential, under Customize for This Installation.`,
			'rate-limited',
		);
	}
	// A 304 does not lead to another address (RFC 9110 §15.4.5).
	if (statusCode >= 300 && statusCode < 400 && statusCode !== 304) {
		const redirect = `Redirects are not followed, so that the key goes to no other address. ${howToFollow(headers.location)}`;
		// 303 means that it was carried out (RFC 9110 §15.4.4), for which many services use 301 and 302 as well.
		const wasPerhapsDone = mayAct && statusCode <= 303;
		return wasPerhapsDone ? unknown(`${redirect} ${check}`, INVALID) : refused(redirect, INVALID);
	}
	if (request.isIdempotent === true && statusCode === 409) {
		return unknown(
			`The service knows the Send Once Key by its idempotency header: another request with it is under way, or was carried out. ${check}`,
		);
	}
	if (request.isIdempotent === true && statusCode === 422) {
		return refused(
			'If that is about the idempotency header, the service knows the Send Once Key with other content, and nothing was carried out now. Check in the service what was sent with the key, and give each document its own.',
		);
	}
	if (isTransientStatus(statusCode)) {
		if (mayAct) return unknown(check);
		return unknown(pause ?? 'Several attempts failed. Retry later.', UNAVAILABLE);
	}
	if (statusCode === 404 || statusCode === 405) {
		// For deletions, the interface document gives neither a method nor a full path.
		const ofDeletion = mayAct
			? ' Those of Delete Many are set in the credential, under Customize for This Installation.'
			: '';
		return refused(
			`The path is added to the base URL in the credential: check both, and the method.${ofDeletion}`,
			INVALID,
		);
	}
	return refused('Nothing was carried out. Correct what the service objects to.');
}

/** Shows only the origin of the address, because the path and query may contain secrets. */
function howToFollow(location: unknown): string {
	const url = typeof location === 'string' ? parseUrl(location) : undefined;
	return url === undefined
		? 'Check the base URL in the credential and the path, also for a slash at its end.'
		: `Set the base URL in the credential to where the service is now (it points to ${url.origin}). If that is its address already, check the path, also for a slash at its end.`;
}

/** The error of a response that failed in spite of a 2xx. */
export function errorDespiteSuccess(
	result: ResultSetting,
	request: ServiceRequest,
	response: ServiceResponse,
): RequestError | undefined {
	const { statusCode, isTooLarge } = response;
	if (isTooLarge && isRead(request)) {
		const megabytes = LARGEST_BODY_BYTES / 1024 / 1024;
		return new RequestError(`The response of the service is larger than ${megabytes} MB`, {
			outcome: 'unknown',
			description: 'Ask for less at once, for example with pagination or a smaller page size.',
		});
	}
	const failure = failedResult(result, response);
	if (failure !== undefined) {
		return errorOfResponse(request, response, `${statusCode}, but ${failure}`, {
			outcome: 'refused',
			isByResultField: true,
			statusCode: 400,
			description:
				'According to the Result Field in the credential, nothing was carried out. Correct what the service objects to, then run the item again.',
		});
	}
	if (isRead(request) || !isWebPage(response)) return undefined;
	return errorOfResponse(request, response, `${statusCode} with a web page`, {
		outcome: 'unknown',
		description: `${checkFirst(request)} A proxy or a log-in page may stand between n8n and the service: check the base URL in the credential.`,
	});
}

export function failureError(request: ServiceRequest, failure: Failure): RequestError {
	const { isNotSent, isTimeout, isPermanent, code } = failure;
	const inTime = isTimeout ? ` within ${formatDuration(request.timeoutMs)}` : '';
	const happened = failure.reason + inTime;
	if (isNotSent) {
		const cause = isPermanent ? INVALID : UNAVAILABLE;
		const description = `nothing reached the service. ${failure.howToFix}`;
		const details = { outcome: 'notSent', cause, description } as const;
		return errorOn(request, `The request was not sent: ${happened}`, details, code);
	}
	if (isRead(request)) {
		const description = `several attempts failed. Retry later${isTimeout ? ', or raise the timeout in its options' : ''}.`;
		const details = { outcome: 'unknown', cause: UNAVAILABLE, description } as const;
		return errorOn(request, `The service could not be read: ${happened}`, details, code);
	}
	const message = `The request may have taken effect: it went out, but ${happened}`;
	return unknownError(request, message, code);
}

/** For a request that was under way when the run was stopped. @param reason what stopped it */
export function stoppedError(request: ServiceRequest, reason: unknown): RequestError {
	const event = reason instanceof ShutdownError ? 'n8n shut down' : 'the execution was canceled';
	const message = `The request may have taken effect: it was under way when ${event}`;
	return unknownError(request, message);
}

function later(why: string, ms: number) {
	const retryAfterSeconds = Math.ceil(ms / 1000);
	return { retryAfterSeconds, description: `${why} Run it again in ${retryAfterSeconds} s.` };
}

function maxWaitAllows(maxWaitMs: number): string {
	return `the option Max Wait allows ${formatDuration(maxWaitMs)} in all (0 waits as long as it takes).`;
}

const RATE_LIMITED = { outcome: 'notSent', cause: 'rate-limited' } as const;

/** Rounded up to seconds, like `retryAfterSeconds`. */
function formatWait({ retryAfterMs }: WaitTooLongError): string {
	return formatDuration(Math.ceil(retryAfterMs / 1000) * 1000);
}

export function waitTooLongError(request: ServiceRequest, error: WaitTooLongError): RequestError {
	const [message, why] = error.isAskedFor
		? [
				`Not sent: the service asks to wait for another ${formatWait(error)}`,
				'A previous response to this key said so (Retry-After), and that is too long to wait here.',
			]
		: [
				`Not sent: the limits leave no room for at least ${formatWait(error)}`,
				maxWaitAllows(request.maxWaitMs),
			];
	return errorOn(request, message, { ...RATE_LIMITED, ...later(why, error.retryAfterMs) });
}

/** For Wait for Room. */
export function roomTooLateError(
	requests: number,
	maxWaitMs: number,
	error: WaitTooLongError,
): RequestError {
	const message = `The limits leave no room for ${pluralize(requests, 'request')} for at least ${formatWait(error)}`;
	const details = later(`That is too late: ${maxWaitAllows(maxWaitMs)}`, error.retryAfterMs);
	return new RequestError(message, { ...RATE_LIMITED, ...details });
}

/** For a retry that would be later than Max Wait allows. @param failed the error of the previous attempt */
export function pauseTooLongError(
	request: ServiceRequest,
	failed: RequestError,
	ms: number,
): RequestError {
	const { message, details } = failed;
	if (details.outcome === 'unknown' && !isRead(request)) return failed;
	const next = later(`The next attempt would be too late: ${maxWaitAllows(request.maxWaitMs)}`, ms);
	return errorOn(request, message, { ...details, ...next });
}

export function underWayError(request: ServiceRequest): RequestError {
	const next = later(maxWaitAllows(request.maxWaitMs), request.timeoutMs);
	const details = { outcome: 'notSent', cause: UNAVAILABLE, ...next } as const;
	return errorOn(request, 'Not sent: another execution is sending the same Send Once Key', details);
}

export function unreadableFileError(request: ServiceRequest, cause: unknown): RequestError {
	const description =
		'nothing reached the service. The file was there when the run began: check the storage of binary data in n8n, then run the item again.';
	const details = { outcome: 'notSent', description } as const;
	return errorOn(request, `The file could not be read again: ${messageOf(cause)}`, details);
}

export function redisError({ message, description, isPermanent }: RedisError): RequestError {
	const cause = isPermanent ? INVALID : UNAVAILABLE;
	return new RequestError(message, { outcome: 'notSent', cause, description });
}

/** For a failure after the service carried out the request. */
export function afterSuccessError(
	request: ServiceRequest,
	cause: unknown,
	apiKey: string,
): RequestError {
	const message = `The service has accepted the request, but its response could not be output: ${redactText(messageOf(cause), apiKey)}`;
	return unknownError(request, message);
}

/** For a request that failed, if a previous attempt may have been carried out. */
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
	const message =
		given?.outcome === 'refused'
			? words
			: `The request may have taken effect, and its next attempt failed: ${words}`;
	return errorOn(request, message, {
		...details,
		outcome: 'unknown',
		description: `The outcome of a previous attempt is not known. ${checkFirst(request)}`,
	});
}
