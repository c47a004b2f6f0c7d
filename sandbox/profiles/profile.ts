// A profile describes another service that the sandbox can imitate.
//
// The names are IDs in a catalogue of the conventions of 26 bookkeeping services: lists (L), pagination (P),
// identifiers (D), responses (S), bulk responses (B) and errors (E). A hyphen joins several of them. Shapes are
// real, values are made up.

/** A response. A text with headers, or bytes, is sent as it is; any other body as JSON. */
export interface Reply {
	status?: number;
	headers?: Record<string, string>;
	body?: unknown;
}

/** A record of a list. */
export interface Row {
	id: unknown;
	name: string;
}

/** A request for a list. */
export interface ListRequest {
	rows: Row[];
	query: Record<string, string | undefined>;
	/** The address of the list, with its origin. */
	address: string;
}

/** The options of the node that read the list. */
export interface ListOptions {
	itemsField?: string;
	pagination?: { values: Record<string, string | number> };
}

export interface Profile {
	/** Serves the list of contacts. */
	list?: (request: ListRequest) => Reply;
	options?: ListOptions;
	/** Dot path of the ID in a record; default `id`. */
	idField?: string;
	/** The response to sends, deletions and other changes, instead of the sandbox's own. */
	change?: Reply;
	/** Fields of the credential that the profile needs. */
	credential?: Record<string, string>;
	/** The texts that the node's error must contain. */
	texts?: string[];
}
