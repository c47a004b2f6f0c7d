import { InvalidSettingError } from '../values/invalidSettingError';
import type { Endpoint } from './endpoints';

/** `perhapsSent`: from right before a request leaves until its outcome is known. `notSent`: also after a refusal. */
export type SentState = 'notSent' | 'perhapsSent' | 'sent';

/** Another sender is sending the document. */
export interface UnderWay {
	/** Resolves when it makes sense to retry. */
	ended: Promise<void>;
}

/** Ensures that a document is sent only once, whatever other senders do. */
export interface SendGuard {
	/**
	 * Called right before each attempt, when its slots are taken. Unless it returns another sender, nobody else sends the
	 * document from then on.
	 * @throws if the document must not be sent
	 */
	acquire(): Promise<UnderWay | undefined>;
	/** Called once with the outcome after each successful `acquire`. */
	complete(state: SentState): Promise<void>;
}

export type QueryParameters = Array<{ name: string; value: string }>;

export interface ServiceRequest {
	endpoint: Endpoint;
	query: QueryParameters;
	/** The query as the service wrote it, because encoding it again could change a cursor with a `+`. */
	search?: string;
	headers: Record<string, string>;
	/** Sent as JSON unless undefined. Beside `encoded`, it only identifies the content. */
	body?: unknown;
	/** A body that is not JSON, read again when it is sent. */
	encoded?: { contentType: string; read(): Promise<Buffer> };
	/** How long (ms) the response may take. */
	timeoutMs: number;
	/** How long (ms) the requests of the run may wait for the limits before this one goes out. */
	maxWaitMs: number;
	guard?: SendGuard;
	/** Whether an idempotency header makes the service itself act only once. */
	isIdempotent?: boolean;
}

/** @throws InvalidSettingError for a parameter `apiKey`, which the service refuses with a 401 (section 5) */
export function refuseKeyParameter(field: string, name: string): void {
	if (name.trim().toLowerCase() !== 'apikey') return;
	throw new InvalidSettingError(
		field,
		'the key must not be a query parameter (apiKey)',
		'Remove it: the service refuses such requests. The credential sends the key in the header x-api-key.',
	);
}

/** Encodes as `application/x-www-form-urlencoded`. */
export function encodeForm(parameters: QueryParameters): string {
	const pairs = parameters.map(({ name, value }): [string, string] => [name, value]);
	return new URLSearchParams(pairs).toString();
}

/** Encodes a space as %20, because in RFC 3986, which OData services follow, a `+` is not a space. */
export function encodeQuery(parameters: QueryParameters): string {
	return encodeForm(parameters).replaceAll('+', '%20');
}

/** Adds parameters, in place of any with the same names: of two, a service might use either. */
export function withParameters(
	query: QueryParameters,
	parameters: QueryParameters,
): QueryParameters {
	const names = parameters.map(({ name }) => name);
	return [...query.filter(({ name }) => !names.includes(name)), ...parameters];
}

/** Whether it changes nothing (RFC 9110 §9.2.1), and so may always be retried. */
export function isRead({ endpoint }: ServiceRequest): boolean {
	return endpoint.method === 'GET' || endpoint.method === 'HEAD';
}

/** Whether a 304 is a proper response, which says that nothing has changed. */
export function isConditional(request: ServiceRequest): boolean {
	const names = Object.keys(request.headers).map((name) => name.toLowerCase());
	return isRead(request) && names.some((name) => /^if-(none-match|modified-since)$/.test(name));
}
