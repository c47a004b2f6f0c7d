/** One attempt at a request: sends it once, ends its permit, and reports the outcome. */
import { holdMsOf, type Permit } from '../rateLimit';
import { abortable, boundedSignal, never, onAbort } from '../async';
import type { Account } from './account';
import {
	LARGEST_BODY_BYTES,
	LARGEST_ERROR_BYTES,
	readBody,
	type ServiceResponse,
} from './response';
import { askedWaitMs, retryAfterMs } from './retryAfter';
import type { ConnectionWatch } from './connectionWatch';
import { isTransientStatus, ProxyError, readFailure, TimeoutError } from './failure';
import { type RawResponse, type RequestContext, sendRequest } from './httpRequest';
import { shareOf } from './limitSettings';
import { headerLimits } from './rateLimitHeaders';
import { redactHeaders } from '../values/redact';
import { isCanceled, type RequestError } from './requestError';
import { errorDespiteSuccess, failureError, responseError } from './errorTexts';
import { isConditional, isRead, type SentState, type ServiceRequest } from './serviceRequest';

/** How long (ms) other requests wait for the body of a 429, which may say how long to wait. */
const LONGEST_BODY_WAIT_MS = 1_000;
/** How long (ms) the body of an error may take. Its status alone would do. */
const LONGEST_ERROR_MS = 5_000;
/** After a failure other than a 429, a pause of up to this (ms) is never too long. */
const LONGEST_PAUSE_MS = 60_000;

/** Without an error, it is a 2xx, or the 304 that a conditional read asks for. */
export type AttemptOutcome = { error?: undefined; response: ServiceResponse } | FailedAttempt;

export interface FailedAttempt {
	error: RequestError;
	response?: ServiceResponse;
	/** How long (ms) the response asks to wait. */
	askedMs?: number;
	/** Whether a retry does no harm, and may succeed. */
	mayRetry: boolean;
}

/**
 * Sends the request once. Never rejects. When the run ends, a request that has left is awaited, and any other is aborted.
 */
export async function attempt(
	client: { context: RequestContext; account: Account; signal: AbortSignal },
	request: ServiceRequest,
	payload: Buffer | undefined,
	permit: Permit,
	watch: ConnectionWatch,
): Promise<AttemptOutcome> {
	const { context, account, signal } = client;
	const timeout = boundedSignal(never, request.timeoutMs, () => new TimeoutError());
	const cutOff = new AbortController();
	let body: RawResponse['body'] | undefined;
	const stopListening = onAbort(signal, () => {
		if (!watch.mayHaveLeft || (isRead(request) && isCanceled(context))) cutOff.abort();
	});
	try {
		const sending = watch.during(
			async () => await sendRequest(context, account, request, payload, cutOff.signal),
		);
		onAbort(timeout.signal, () => {
			cutOff.abort();
			// The response may still arrive.
			sending.then(({ body }) => body.destroy()).catch(() => undefined);
		});
		const rawResponse = await abortable(sending, timeout.signal);
		({ body } = rawResponse);
		if (watch.isProxyResponse()) throw new ProxyError(rawResponse.statusCode);
		return await conclude(account, request, rawResponse, timeout.signal, permit);
	} catch (error) {
		const failure = readFailure(error, watch.progress, account.apiKey);
		const { isNotSent, isTimeout, isPermanent } = failure;
		// After a timeout, the request may still reach the service, which then counts it.
		if (isNotSent) permit.unused();
		else permit.ended(isTimeout || signal.aborted ? request.timeoutMs : 0);
		// A connection that timed out would time out again.
		const mayRetry = !isPermanent && (isHarmless(request) || (isNotSent && !isTimeout));
		return { error: failureError(request, failure), mayRetry };
	} finally {
		timeout.release();
		stopListening();
		// Destroying the stream of a body that never ends does not close its connection. Aborting the request does.
		if (body?.readableEnded === false) cutOff.abort();
		body?.destroy();
	}
}

/** The body of an error; empty if it does not arrive in time. */
async function errorBody({ body }: RawResponse, apiKey: string, timeout: AbortSignal) {
	const bounded = boundedSignal(timeout, LONGEST_ERROR_MS, () => new TimeoutError());
	try {
		return await abortable(readBody(body, apiKey, LARGEST_ERROR_BYTES), bounded.signal);
	} catch {
		return Buffer.alloc(0);
	} finally {
		bounded.release();
	}
}

/**
 * Ends the permit according to the headers.
 * @returns a function to call with how long (ms) the body of a 429 asks to wait, used if the headers do not say
 */
function endPermit(
	permit: Permit,
	{ keepFree }: Account,
	{ statusCode, headers }: RawResponse,
): (askedMs?: number) => void {
	const windowMs = permit.longestWindowMs;
	const isRefused = statusCode === 429;
	const inHeaderMs = retryAfterMs(headers);
	const lacksRetryAfter = isRefused && inHeaderMs === undefined;
	// The limiter only knows our share of a limit.
	const said = headerLimits(headers, windowMs, lacksRetryAfter).map(({ max, ...room }) => ({
		...room,
		max: max && shareOf(max, keepFree),
	}));
	const [spent] = said
		.filter(({ remaining, resetMs }) => remaining === 0 && resetMs <= windowMs)
		.sort((a, b) => b.resetMs - a.resetMs);
	// Must come before the permit ends, which lets the next request go, or drops the limiter.
	permit.applyHeaderLimits(said);
	// RFC 9110 §15.6.4: for that long, the service is unavailable to all requests.
	if (statusCode === 503 && inHeaderMs) permit.pause(inHeaderMs);
	const refuse = (ms = 0) => permit.refused(ms, spent);
	if (!lacksRetryAfter) {
		if (isRefused) refuse(inHeaderMs);
		else permit.letThrough();
		return () => undefined;
	}
	if (spent !== undefined) refuse();
	// Until the body arrives, other requests of the key go on.
	const timer = spent === undefined ? setTimeout(refuse, LONGEST_BODY_WAIT_MS) : undefined;
	return (askedMs) => {
		clearTimeout(timer);
		refuse(askedMs);
	};
}

/** Ends the permit and reads the body. @throws the connection's error */
async function conclude(
	account: Account,
	request: ServiceRequest,
	rawResponse: RawResponse,
	timeout: AbortSignal,
	permit: Permit,
): Promise<AttemptOutcome> {
	const { apiKey } = account;
	const { statusCode, headers } = rawResponse;
	const afterBody = endPermit(permit, account, rawResponse);
	const isUnchanged = statusCode === 304 && isConditional(request);
	const isSuccess = isUnchanged || (statusCode >= 200 && statusCode < 300);
	const body = isSuccess
		? await abortable(readBody(rawResponse.body, apiKey, LARGEST_BODY_BYTES), timeout)
		: await errorBody(rawResponse, apiKey, timeout);
	const isTooLarge = isSuccess && body.length > LARGEST_BODY_BYTES;
	const response: ServiceResponse = {
		statusCode,
		headers: redactHeaders(headers, apiKey),
		body: isTooLarge ? Buffer.alloc(0) : body,
		...(isTooLarge ? { isTooLarge } : {}),
	};
	if (isSuccess) {
		const error = errorDespiteSuccess(account.result, request, response);
		return error === undefined ? { response } : { error, mayRetry: false };
	}
	const askedMs = askedWaitMs(response);
	afterBody(askedMs);
	const isRefused = statusCode === 429;
	const longestMs = Math.max(holdMsOf(permit.longestWindowMs), isRefused ? 0 : LONGEST_PAUSE_MS);
	const isPauseTooLong = askedMs !== undefined && askedMs > longestMs;
	const error = responseError(request, response, askedMs, isPauseTooLong);
	const mayRetry = isRefused || (isTransientStatus(statusCode) && isHarmless(request));
	return { error, response, askedMs, mayRetry: mayRetry && !isPauseTooLong };
}

/** Whether a retry does no harm even if the service has carried out the request (RFC 9110 §9.2.2). */
function isHarmless(request: ServiceRequest): boolean {
	return isRead(request) || request.isIdempotent === true;
}

export function sentStateOf({ error }: AttemptOutcome): SentState {
	if (error === undefined) return 'sent';
	return error.details.outcome === 'unknown' ? 'perhapsSent' : 'notSent';
}
