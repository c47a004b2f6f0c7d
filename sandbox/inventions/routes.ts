// The sandbox's own invention: the table of all endpoints, and the responses for unknown ones.

import { errorResponse, type SandboxResponse } from '../responses';
import type { EndpointDirectory } from '../endpoints';
import { DOCUMENTED_ENDPOINTS } from './documented';
import type { EndpointContext } from './endpoint';
import { TRYOUT_ENDPOINTS } from './tryout';

const ENDPOINTS = new Map([
	...Object.entries(DOCUMENTED_ENDPOINTS),
	...Object.entries(TRYOUT_ENDPOINTS),
]);

/** The names (`METHOD /path`) of all endpoints that the sandbox serves. */
export const ENDPOINT_NAMES: readonly string[] = [...ENDPOINTS.keys()];

/**
 * Carries out a request that has passed all checks. The interface document shows no not-found errors (section 7): 404
 * for an unknown path and 405 for another method are made up.
 */
export function actOn(context: EndpointContext, endpoints: EndpointDirectory): SandboxResponse {
	const endpoint = ENDPOINTS.get(context.request.endpoint);
	if (endpoint !== undefined) return endpoint(context);
	const allowed = ['GET', 'POST', 'DELETE'].filter((method) =>
		ENDPOINTS.has(endpoints.match(method, context.request.path)),
	);
	if (allowed.length === 0) return errorResponse(404, 'Not found');
	const response = errorResponse(405, 'Method not allowed');
	return { ...response, headers: { ...response.headers, allow: allowed.join(', ') } };
}
