/** One request to the service, as a resource asks for it. */
import type { Endpoint } from './endpoints';

/** Sees to it that something is sent once only. */
export interface SendGuard {
	/** Called right before each try. @throws when it must not go out */
	admit(): Promise<void>;
	/** Called after a try that the service certainly did not act on. */
	revoke(): Promise<void>;
}

export interface ServiceRequest {
	endpoint: Endpoint;
	query: Array<{ name: string; value: string }>;
	headers: Record<string, string>;
	/** Sent as JSON unless undefined. */
	body?: unknown;
	/** How long (ms) the answer may take. */
	timeoutMs: number;
	/** How long (ms) the requests of the run may wait for the limits before this one goes out. */
	maxWaitMs: number;
	guard?: SendGuard;
}

/** Whether a request changes nothing (RFC 9110 §9.2.1), so that it may be repeated at any time. */
export function isRead({ endpoint }: ServiceRequest): boolean {
	return endpoint.method === 'GET' || endpoint.method === 'HEAD';
}
