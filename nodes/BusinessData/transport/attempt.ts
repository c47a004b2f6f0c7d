/** One attempt of a request: sends it once, ends its permit, and reports the outcome. */
import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

import { longestWindowMs, type Permit } from '../rateLimit';
import { onAbort } from '../async';
import type { Account } from './account';
import {
	type ServiceResponse,
	isWebPage,
	readBody,
	readErrorBody,
	tooLargeError,
} from './response';
import { askedWaitMs, retryAfterMs } from './backoff';
import type { ConnectionWatch } from './connectionWatch';
import { withDeadline } from './deadline';
import { canonicalEndpoint } from './endpointPath';
import { ProxyError, readFailure } from './failure';
import { discard, type RawResponse, sendRequest } from './httpRequest';
import { shareOf } from './limitSettings';
import { headerLimits } from './rateLimitHeaders';
import { redactHeaders } from '../values/redact';
import { isCanceled, RequestError } from './requestError';
import { responseError, failedResultError, failureError, webPageError } from './requestErrors';
import { failedResult } from './resultField';
import { isConditional, isRead, type ServiceRequest } from './serviceRequest';

/** What became of one attempt. */
export type AttemptOutcome =
	/** By a 2xx, or by the 304 that a read has asked for. */
	| { kind: 'succeeded'; response: ServiceResponse }
	/** By a 429; the service did not act. */
	| { kind: 'refused'; response: ServiceResponse; permit: Permit }
	| Failed;

/** It ended otherwise: with another status, or without a response. */
export interface Failed {
	kind: 'failed';
	error: RequestError;
	/** Whether no part of the request can have reached the service. */
	isNotSent: boolean;
	isTimeout: boolean;
	/** Whether the same request may succeed later without any change. */
	isTransient: boolean;
	/** The response, where there was one. */
	response?: ServiceResponse;
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
		return await readBodyOf(sender, request, rawResponse, deadline, permit);
	} catch (error) {
		if (error instanceof RequestError) {
			return { ...PERMANENT, error };
		}
		const failure = readFailure(error, watch.progress, account.apiKey);
		// After a time-out the request may still reach the service, and be counted then.
		if (failure.isNotSent) permit.unused();
		else permit.ended(failure.isTimeout || signal.aborted ? request.timeoutMs : 0);
		const { isNotSent, isTimeout, isPermanent } = failure;
		const shown = failureError(request, failure);
		return { kind: 'failed', error: shown, isNotSent, isTimeout, isTransient: !isPermanent };
	} finally {
		stopListening();
	}
}

/** A failure that no retry changes. */
const PERMANENT = {
	kind: 'failed',
	isNotSent: false,
	isTimeout: false,
	isTransient: false,
} as const;

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

/** @throws RequestError for the body of a read that is too large, or the connection's error */
async function readBodyOf(
	{ account }: Sender,
	request: ServiceRequest,
	rawResponse: RawResponse,
	deadline: number,
	permit: Permit,
): Promise<AttemptOutcome> {
	const { apiKey, keepFree, limits } = account;
	const { statusCode } = rawResponse;
	// First, so that the permit ends whatever happens next.
	const isRefused = statusCode === 429;
	const headerMs = retryAfterMs(rawResponse.headers);
	const requestedMs = headerMs ?? 0;
	if (isRefused) permit.refused(requestedMs);
	else permit.letThrough();
	// RFC 9110 §15.6.4: the service cannot be used for so long, by any request.
	if (statusCode === 503 && requestedMs > 0) permit.pause(requestedMs);
	// The limiter knows only our share of a limit.
	const longestMs = longestWindowMs(limits, canonicalEndpoint(request.endpoint));
	const said = headerLimits(rawResponse.headers, longestMs, isRefused);
	permit.applyHeaderLimits(
		said.map(({ max, ...room }) => ({ ...room, max: max && shareOf(max, keepFree) })),
	);
	const isUnchanged = statusCode === 304 && isConditional(request);
	const isSuccess = isUnchanged || (statusCode >= 200 && statusCode < 300);
	const bodyRead = isSuccess
		? readBody(rawResponse.body, apiKey)
		: readErrorBody(rawResponse.body, apiKey);
	const body = await withDeadline(deadline, bodyRead, () => discard(rawResponse)).catch(
		(error: unknown) => {
			// The status of an error says enough.
			if (isSuccess) throw error;
			return Buffer.alloc(0);
		},
	);
	if (body === undefined && isRead(request)) throw tooLargeError();
	const response: ServiceResponse = {
		statusCode,
		headers: redactHeaders(rawResponse.headers, apiKey),
		body: body ?? Buffer.alloc(0),
		...(body === undefined ? { isTooLarge: true } : {}),
	};
	if (isSuccess) {
		const error = errorOfSuccess(account, request, response);
		if (error === undefined) return { kind: 'succeeded', response };
		return { ...PERMANENT, error };
	}
	if (isRefused) {
		const bodyMs = headerMs === undefined ? askedWaitMs(response) : undefined;
		if (bodyMs !== undefined) permit.pause(bodyMs, true);
		return { kind: 'refused', response, permit };
	}
	// RFC 9110 §15.6: 5xx is the server's own trouble; 408 says that the request did not arrive whole.
	const isTransient = statusCode >= 500 || statusCode === 408;
	return {
		kind: 'failed',
		error: responseError(request, response),
		isNotSent: false,
		isTimeout: false,
		isTransient,
		response,
	};
}

/** What is known of a document after the attempt. */
export function sentStateOf(outcome: AttemptOutcome): 'sent' | 'perhapsSent' | 'notSent' {
	if (outcome.kind === 'succeeded') return 'sent';
	const isUnknown = outcome.kind === 'failed' && outcome.error.details.outcome === 'unknown';
	return isUnknown ? 'perhapsSent' : 'notSent';
}
