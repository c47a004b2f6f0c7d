/** One attempt of a request: sends it once, ends its permit, and reports the outcome. */
import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

import { longestWindowMs, type Permit } from '../rateLimit';
import { onAbort } from '../async';
import type { Account } from './account';
import {
	type ServiceResponse,
	isWebPage,
	LARGEST_BODY_BYTES,
	LARGEST_ERROR_BYTES,
	readBody,
	tooLargeError,
} from './response';
import { askedWaitMs, isPauseTooLong, retryAfterMs } from './backoff';
import type { ConnectionWatch } from './connectionWatch';
import { withDeadline } from './deadline';
import { canonicalEndpoint } from './endpointPath';
import { isTransientStatus, ProxyError, readFailure } from './failure';
import { discard, type RawResponse, sendRequest } from './httpRequest';
import { shareOf } from './limitSettings';
import { headerLimits } from './rateLimitHeaders';
import { redactHeaders } from '../values/redact';
import { isCanceled, RequestError } from './requestError';
import { responseError, failedResultError, failureError, webPageError } from './requestErrors';
import { failedResult } from './resultField';
import { isConditional, isRead, type ServiceRequest } from './serviceRequest';

/** What became of one attempt: without an error, a 2xx, or the 304 that a read has asked for. */
export type AttemptOutcome = { error?: undefined; response: ServiceResponse } | FailedAttempt;

export interface FailedAttempt {
	error: RequestError;
	/** The response, where there was one. */
	response?: ServiceResponse;
	/** How long (ms) the response asks to wait. */
	askedMs?: number;
	/**
	 * When the same request may go out again: after a refusal (429), always, because it was certainly not sent, if a
	 * second one does no harm, or never, because nothing would change.
	 */
	retry: 'afterRefusal' | 'always' | 'ifHarmless' | 'never';
}

/** Where a request goes, and what ends the run that it belongs to. */
export interface Sender {
	context: IExecuteFunctions | IPollFunctions;
	account: Account;
	signal: AbortSignal;
}

/**
 * Sends the request once. Never rejects, and is seen through to its end when the run is over; what has not
 * left by then does not leave any more.
 * @param payload its body as it goes out
 */
export async function attempt(
	sender: Sender,
	request: ServiceRequest,
	payload: Buffer | undefined,
	permit: Permit,
	watch: ConnectionWatch,
): Promise<AttemptOutcome> {
	const { context, account, signal } = sender;
	const deadline = performance.now() + request.timeoutMs;
	const cutOff = new AbortController();
	const stopListening = onAbort(signal, () => {
		if (!watch.mayHaveLeft || (isRead(request) && isCanceled(context))) cutOff.abort();
	});
	try {
		const sending = watch.during(
			async () => await sendRequest(context, account, request, payload, cutOff.signal),
		);
		const rawResponse = await withDeadline(deadline, sending, () => {
			sending.then(discard, () => undefined);
			cutOff.abort();
		});
		if (watch.isProxyResponse()) {
			discard(rawResponse);
			throw new ProxyError(rawResponse.statusCode);
		}
		const windowMs = longestWindowMs(account.limits, canonicalEndpoint(request.endpoint));
		endPermit(permit, account, windowMs, rawResponse);
		const response = await readResponse(account, request, rawResponse, deadline);
		return outcomeOf(account, request, response, windowMs, permit);
	} catch (error) {
		if (error instanceof RequestError) return { error, retry: 'never' };
		const failure = readFailure(error, watch.progress, account.apiKey);
		const { isNotSent, isTimeout, isPermanent } = failure;
		// After a time-out the request may still reach the service, and be counted then.
		if (isNotSent) permit.unused();
		else permit.lost(isTimeout || signal.aborted ? request.timeoutMs : 0);
		// A connection that timed out would time out again.
		const retry = isNotSent && !isTimeout ? 'always' : 'ifHarmless';
		return { error: failureError(request, failure), retry: isPermanent ? 'never' : retry };
	} finally {
		stopListening();
	}
}

/** Ends the permit by the head of the response, so that it ends whatever becomes of the body. */
function endPermit(
	permit: Permit,
	{ keepFree }: Account,
	windowMs: number,
	{ statusCode, headers }: RawResponse,
): void {
	const askedMs = retryAfterMs(headers) ?? 0;
	const isRefused = statusCode === 429;
	if (isRefused) permit.refused(askedMs);
	else permit.letThrough();
	// RFC 9110 §15.6.4: the service cannot be used for so long, by any request.
	if (statusCode === 503 && askedMs > 0) permit.pause(askedMs);
	for (const { max, ...room } of headerLimits(headers, windowMs, isRefused)) {
		// The limiter knows only our share of a limit.
		permit.applyHeaderLimit({ ...room, max: max === undefined ? max : shareOf(max, keepFree) });
	}
}

function isSuccess(request: ServiceRequest, { statusCode }: { statusCode: number }): boolean {
	const isUnchanged = statusCode === 304 && isConditional(request);
	return isUnchanged || (statusCode >= 200 && statusCode < 300);
}

/** @throws RequestError for the body of a read that is too large, or the connection's error */
async function readResponse(
	{ apiKey }: Account,
	request: ServiceRequest,
	rawResponse: RawResponse,
	deadline: number,
): Promise<ServiceResponse> {
	const { statusCode, headers } = rawResponse;
	const isNeeded = isSuccess(request, rawResponse);
	const most = isNeeded ? LARGEST_BODY_BYTES : LARGEST_ERROR_BYTES;
	const reading = readBody(rawResponse.body, apiKey, most);
	const body = await withDeadline(deadline, reading, () => discard(rawResponse)).catch(
		(error: unknown) => {
			// The status of an error says enough.
			if (isNeeded) throw error;
			return Buffer.alloc(0);
		},
	);
	const response = { statusCode, headers: redactHeaders(headers, apiKey), body };
	if (!isNeeded || body.length <= most) return response;
	if (isRead(request)) throw tooLargeError();
	return { ...response, body: Buffer.alloc(0), isTooLarge: true };
}

function outcomeOf(
	account: Account,
	request: ServiceRequest,
	response: ServiceResponse,
	windowMs: number,
	permit: Permit,
): AttemptOutcome {
	const { statusCode, headers } = response;
	if (isSuccess(request, response)) {
		const error = errorOfSuccess(account, request, response);
		return error === undefined ? { response } : { error, retry: 'never' };
	}
	const askedMs = askedWaitMs(response);
	const isRefused = statusCode === 429;
	if (isRefused && askedMs !== undefined && retryAfterMs(headers) === undefined) {
		permit.pause(askedMs, true);
	}
	const isTooLong = isPauseTooLong(statusCode, askedMs ?? 0, windowMs);
	const error = responseError(request, response, isTooLong);
	const retry = isRefused ? 'afterRefusal' : isTransientStatus(statusCode) ? 'ifHarmless' : 'never';
	return { error, response, askedMs, retry: isTooLong ? 'never' : retry };
}

/** What is wrong although the status is 2xx; usually nothing. */
function errorOfSuccess(
	account: Account,
	request: ServiceRequest,
	response: ServiceResponse,
): RequestError | undefined {
	const result = failedResult(account.result, response);
	if (result !== undefined) return failedResultError(request, response, result);
	return !isRead(request) && isWebPage(response) ? webPageError(request, response) : undefined;
}

/** What is known of a document after the attempt. */
export function sentStateOf({ error }: AttemptOutcome): 'sent' | 'perhapsSent' | 'notSent' {
	if (error === undefined) return 'sent';
	return error.details.outcome === 'unknown' ? 'perhapsSent' : 'notSent';
}
