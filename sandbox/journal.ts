// Writes down every request in the order in which it was counted, for tests to look at afterwards.

import { createHash } from 'node:crypto';
import type { EndpointDirectory } from './endpoints';
import type { FaultAction } from './faultRules';
import type { Query, ReceivedRequest } from './request';

/** One request of the journal. */
export interface JournalEntry {
	/** 1 for the first request, then one more each. */
	sequence: number;
	/** The moment (ms since the sandbox started) at which the request was counted. */
	atMs: number;
	method: string;
	/** The path as received, without the query. */
	path: string;
	/** `METHOD /path` as matched. */
	endpoint: string;
	query: Query;
	/** As received, but with a short hash in place of the API key. */
	headers: Record<string, string>;
	/** Parsed JSON, or text; of a body over 1 MB, its first 1 MB as text. */
	body?: unknown;
	/** Of a body that is no JSON, its bytes, up to 1 MB. */
	bodyBase64?: string;
	/** The status that was decided on; 0 as long as there is none, so also when the client hung. */
	status: number;
	/** Why the response is a 401, or the names of the limits that make it a 429. */
	reason?: string;
	/** Whether the request took effect: got a response from its endpoint, a document was sent. */
	acted: boolean;
	/** Whether a fault rule shaped the response. */
	scripted: boolean;
	/** The fault that was played. */
	fault?: FaultAction['type'];
	/** Whether someone else sent it with the same key. */
	isOfOtherClient: boolean;
}

/** One document that went out to a customer (section 4). */
export interface SentDocument {
	id: string;
	endpoint: string;
	body: unknown;
	/** The journal entry of the request that sent it. */
	sequence: number;
}

/** Figures over the whole journal. Requests of other clients are counted in `otherClients` only. */
export interface JournalSummary {
	requests: number;
	refused: number;
	documents: number;
	otherClients: number;
	byEndpoint: Record<string, number>;
	byStatus: Record<string, number>;
}

const LARGEST_KEPT_BODY = 1024 * 1024;

/** The first 8 hexadecimal characters of the SHA-256 of a key: tells keys apart, reveals none. */
export function shortHash(key: string): string {
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

/** All requests since the start. Everything but `all` and `since` leaves out requests of others. */
export class Journal {
	readonly #endpoints: EndpointDirectory;
	#entries: JournalEntry[] = [];
	#documents: SentDocument[] = [];

	constructor(endpoints: EndpointDirectory) {
		this.#endpoints = endpoints;
	}

	/** Every request, also those of others. */
	all(): JournalEntry[] {
		return [...this.#entries];
	}

	/** Every request after the one with this sequence, also those of others. */
	since(sequence: number): JournalEntry[] {
		return this.#entries.filter((entry) => entry.sequence > sequence);
	}

	/** The requests that exceeded a limit (section 8); a scripted 429 is none of them. */
	refused(): JournalEntry[] {
		return this.#own().filter((entry) => entry.status === 429 && !entry.scripted);
	}

	/** The requests with a 2xx response. */
	responded(): JournalEntry[] {
		return this.#own().filter((entry) => entry.status >= 200 && entry.status < 300);
	}

	/** The documents that went out, in the order of sending. */
	documents(): SentDocument[] {
		return [...this.#documents];
	}

	/** How many requests were made, of one endpoint (`METHOD /path`, in any spelling) or of all. */
	count(endpoint?: string): number {
		if (endpoint === undefined) return this.#own().length;
		const name = this.#endpoints.normalise(endpoint);
		return this.#own().filter((entry) => entry.endpoint === name).length;
	}

	/** Figures over the whole journal. */
	summary(): JournalSummary {
		const own = this.#own();
		return {
			requests: own.length,
			refused: this.refused().length,
			documents: this.#documents.length,
			otherClients: this.#entries.length - own.length,
			byEndpoint: tally(own.map((entry) => entry.endpoint)),
			byStatus: tally(own.map((entry) => String(entry.status))),
		};
	}

	/** Adds a request at the moment (ms since the start) it is counted. The entry may be completed later. */
	record(request: ReceivedRequest, atMs: number, isOfOtherClient = false): JournalEntry {
		const { method, path, endpoint, query, headers, bytes, bodyText, body } = request;
		const isTooLarge = Buffer.byteLength(bodyText) > LARGEST_KEPT_BODY;
		const entry: JournalEntry = {
			sequence: this.#entries.length + 1,
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
		this.#entries.push(entry);
		return entry;
	}

	/** Adds a document that went out with a request, and gives it an id. */
	recordDocument(entry: JournalEntry): SentDocument {
		const document = {
			id: `doc-${this.#documents.length + 1}`,
			endpoint: entry.endpoint,
			body: entry.body,
			sequence: entry.sequence,
		};
		this.#documents.push(document);
		return document;
	}

	/** Forgets everything. */
	reset(): void {
		this.#entries = [];
		this.#documents = [];
	}

	#own(): JournalEntry[] {
		return this.#entries.filter((entry) => !entry.isOfOtherClient);
	}
}
