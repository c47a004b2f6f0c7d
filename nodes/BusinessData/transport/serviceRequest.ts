/** One request to the service, as a resource asks for it. */
import type { Endpoint } from './endpoints';

/** Guards a document so that it is sent once only, whatever other senders do. */
export interface SendGuard {
	/**
	 * Called right before each attempt, with its slots taken. From then on no other sender sends the document.
	 * @returns undefined; or, while another sender has the document, a promise that resolves when it makes sense to ask
	 * again
	 * @throws when the document must not go out
	 */
	acquire(): Promise<{ ended: Promise<void> } | undefined>;
	/**
	 * Called once after each lease.
	 * @param state `notSent` when the service certainly did not act; then the document may be sent again
	 */
	complete(state: 'sent' | 'perhapsSent' | 'notSent'): Promise<void>;
}

export type QueryParameters = Array<{ name: string; value: string }>;

export interface ServiceRequest {
	endpoint: Endpoint;
	query: QueryParameters;
	/** The query as the service has written it: encoded anew, a cursor with a `+` in it could be another one. */
	search?: string;
	headers: Record<string, string>;
	/** Sent as JSON unless undefined; beside `encoded`, what identifies its content. */
	body?: unknown;
	/** A body that is not JSON, read anew when it goes out. */
	encoded?: { contentType: string; read(): Promise<Buffer> };
	/** How long (ms) the response may take. */
	timeoutMs: number;
	/** How long (ms) the requests of the run may wait for the limits before this one goes out. */
	maxWaitMs: number;
	guard?: SendGuard;
	/** Whether the service itself sees to it that it acts once, by a header of the request. */
	isIdempotent?: boolean;
}

/** The parameters as a form (`application/x-www-form-urlencoded`) holds them. */
export function encodeForm(parameters: QueryParameters): string {
	const pairs = parameters.map(({ name, value }): [string, string] => [name, value]);
	return new URLSearchParams(pairs).toString();
}

/** The parameters as an address holds them. By RFC 3986, which services of OData keep to, a `+` is no space. */
export function encodeQuery(parameters: QueryParameters): string {
	return encodeForm(parameters).replaceAll('+', '%20');
}

/** The query with these parameters in place of its own of the same names: a service may take either of two. */
export function withParameters(
	query: QueryParameters,
	parameters: QueryParameters,
): QueryParameters {
	const names = parameters.map(({ name }) => name);
	return [...query.filter(({ name }) => !names.includes(name)), ...parameters];
}

/** Whether a request changes nothing (RFC 9110 §9.2.1), so that it may be retried at any time. */
export function isRead({ endpoint }: ServiceRequest): boolean {
	return endpoint.method === 'GET' || endpoint.method === 'HEAD';
}

/** Whether it is a read of what has changed since a time or a version: then a 304 says that nothing has. */
export function isConditional(request: ServiceRequest): boolean {
	const names = Object.keys(request.headers).map((name) => name.toLowerCase());
	return isRead(request) && names.some((name) => /^if-(none-match|modified-since)$/.test(name));
}
