// The response to a request that exceeded a limit (sections 7 and 8).

import { errorResponse, type SandboxResponse } from './responses';

export const RETRY_AFTER_FORMS = ['none', 'seconds', 'date'] as const;

/** What the response to an exceeded limit says about when to come back. */
export type RetryAfterForm = (typeof RETRY_AFTER_FORMS)[number];

/** The value of `Retry-After` for a wait in ms, rounded up so that who obeys it never comes early. */
function retryAfterHeader(form: RetryAfterForm, waitMs: number): Record<string, string> {
	if (form === 'none') return {};
	if (form === 'seconds') return { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) };
	const wholeSecondMs = Math.ceil((Date.now() + waitMs) / 1000) * 1000;
	return { 'retry-after': new Date(wholeSecondMs).toUTCString() };
}

/** A 429 that says, in its form, to come back after `waitMs` (ms). */
export function refusalResponse(form: RetryAfterForm, waitMs: number): SandboxResponse {
	const response = errorResponse(429, 'Too many requests');
	return { ...response, headers: { ...response.headers, ...retryAfterHeader(form, waitMs) } };
}
