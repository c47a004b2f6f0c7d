// Records every request, in the order of counting, for inspection by tests.

import { createHash } from 'node:crypto';
import type { EndpointDirectory } from './endpoints';
import type { Query, ReceivedRequest } from './request';

export interface JournalEntry {
	/** A running number, from 1. */
	sequence: number;
	/** When the request was counted (ms since the start of the sandbox). */
	atMs: number;
	method: string;
	/** The path as received, without the query. */
	path: string;
	/** `METHOD /path` as matched. */
	endpoint: string;
	query: Query;
	/** As received, with a short hash instead of the API key. */
	headers: Record<string, string>;
	/** Parsed JSON, or text. Of a body over 1 MB, only the first 1 MB, as text. */
	body?: unknown;
	/** The bytes of a body that is not JSON, up to 1 MB. */
	bodyBase64?: string;
	/** The status of the response; 0 while there is none, or if the connection was cut instead. */
	status: number;
	/** The reason for a 401, or the names of the limits that caused a 429. */
	reason?: string;
	/** Whether the request was carried out by its endpoint, for example a document was sent. */
	acted: boolean;
	/** Whether a fault rule shaped the response. */
	scripted: boolean;
	/** Whether another client of the same key sent it. */
	isOfOtherClient: boolean;
}

/** A document that was sent to a customer (section 4). */
export interface SentDocument {
	id: string;
	endpoint: string;
	body: unknown;
	/** The journal entry of the request that sent it. */
	sequence: number;
}

const LARGEST_KEPT_BODY = 1024 * 1024;

/** The first 8 hexadecimal characters of a key's SHA-256, which distinguish keys without revealing them. */
function shortHash(key: string): string {
	return createHash('sha256').update(key).digest('hex').slice(0, 8);
}

function withoutKey<Value>(
	values: Record<string, Value>,
	name: string,
): Record<string, Value | string> {
	if (!Object.hasOwn(values, name)) return values;
	return { ...values, [name]: shortHash(String(values[name])) };
}

function tally(values: Iterable<string>): Record<string, number> {
	const counts = new Map<string, number>();
	for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
	return Object.fromEntries(counts);
}

/** All requests since the start. All methods except `all` and `since` ignore requests of other clients. */
export class Journal {
	private entries: JournalEntry[] = [];
	private sent: SentDocument[] = [];

	constructor(private readonly endpoints: EndpointDirectory) {}

	/** All requests, including those of other clients. */
	all(): JournalEntry[] {
		return [...this.entries];
	}

	/** All requests after the one with this sequence, including those of other clients. */
	since(sequence: number): JournalEntry[] {
		return this.entries.filter((entry) => entry.sequence > sequence);
	}

	/** The requests that exceeded a limit (section 8), without scripted 429s. */
	refused(): JournalEntry[] {
		return this.own().filter((entry) => entry.status === 429 && !entry.scripted);
	}

	/** The requests with a 2xx response. */
	responded(): JournalEntry[] {
		return this.own().filter((entry) => entry.status >= 200 && entry.status < 300);
	}

	/** The documents that were sent, in order. */
	documents(): SentDocument[] {
		return [...this.sent];
	}

	/** The number of requests to one endpoint (`METHOD /path`, in any spelling) or to all. */
	count(endpoint?: string): number {
		if (endpoint === undefined) return this.own().length;
		const name = this.endpoints.normalize(endpoint);
		return this.own().filter((entry) => entry.endpoint === name).length;
	}

	/** Figures of the whole journal. Requests of other clients count in `otherClients` only. */
	summary() {
		const own = this.own();
		return {
			requests: own.length,
			refused: this.refused().length,
			documents: this.sent.length,
			otherClients: this.entries.length - own.length,
			byEndpoint: tally(own.map((entry) => entry.endpoint)),
			byStatus: tally(own.map((entry) => String(entry.status))),
		};
	}

	/** Adds a request when it is counted (ms since the start). The entry may be completed later. */
	record(request: ReceivedRequest, atMs: number, isOfOtherClient = false): JournalEntry {
		const { method, path, endpoint, query, headers, bytes, bodyText, body } = request;
		const isTooLarge = Buffer.byteLength(bodyText) > LARGEST_KEPT_BODY;
		const entry: JournalEntry = {
			sequence: this.entries.length + 1,
			atMs,
			method,
			path,
			endpoint,
			query: withoutKey(query, 'apiKey'),
			headers: withoutKey(headers, 'x-api-key'),
			body: isTooLarge ? Buffer.from(bodyText).toString('utf8', 0, LARGEST_KEPT_BODY) : body,
			...(body === bodyText ? { bodyBase64: bytes.toString('base64', 0, LARGEST_KEPT_BODY) } : {}),
			status: 0,
			acted: false,
			scripted: false,
			isOfOtherClient,
		};
		this.entries.push(entry);
		return entry;
	}

	/** Adds a document that was sent with a request, and gives it an ID. */
	recordDocument(entry: JournalEntry): SentDocument {
		const document = {
			id: `doc-${this.sent.length + 1}`,
			endpoint: entry.endpoint,
			body: entry.body,
			sequence: entry.sequence,
		};
		this.sent.push(document);
		return document;
	}

	/** Forgets everything. */
	reset(): void {
		this.entries = [];
		this.sent = [];
	}

	private own(): JournalEntry[] {
		return this.entries.filter((entry) => !entry.isOfOtherClient);
	}
}
