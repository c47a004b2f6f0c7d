// The response to a request that exceeded a limit (sections 7 and 8).

import { errorResponse, type SandboxResponse } from './responses';

export const RETRY_AFTER_FORMS = ['none', 'seconds', 'date'] as const;

/** The form of Retry-After in the response to an exceeded limit. */
export type RetryAfterForm = (typeof RETRY_AFTER_FORMS)[number];

/** The `Retry-After` header for a wait (ms), rounded up so that no client that obeys it comes too early. */
function retryAfterHeader(form: RetryAfterForm, waitMs: number): Record<string, string> {
	if (form === 'none') return {};
	if (form === 'seconds') return { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) };
	const wholeSecondMs = Math.ceil((Date.now() + waitMs) / 1000) * 1000;
	return { 'retry-after': new Date(wholeSecondMs).toUTCString() };
}

/** A 429 with a Retry-After of `waitMs` (ms) in this form. */
export function refusalResponse(form: RetryAfterForm, waitMs: number): SandboxResponse {
	const response = errorResponse(429, 'Too many requests');
	return { ...response, headers: { ...response.headers, ...retryAfterHeader(form, waitMs) } };
}
