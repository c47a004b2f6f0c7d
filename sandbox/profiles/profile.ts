// Other services that the sandbox can stand for: what a profile is.
//
// The names are the IDs of a catalogue of conventions: how 26 bookkeeping services shape their lists (L),
// pages (P), identifiers (D), responses (S), bulk responses (B) and errors (E). Several at once are joined
// with a hyphen. Shapes are real, values are made up.

/** A response: a body that is a text or bytes goes out as it is, with its type; anything else as JSON. */
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

/** The settings of the node that read a list, by their names. */
export interface ListOptions {
	itemsField?: string;
	pagination?: { values: Record<string, string | number> };
}

export interface Profile {
	/** Serves the list of contacts. */
	list?: (request: ListRequest) => Reply;
	options?: ListOptions;
	/** Dot path of the ID in a record; `id` where there is none. */
	idField?: string;
	/** The response to what is sent, deleted or otherwise changed, in place of the sandbox's own. */
	change?: Reply;
	/** Fields of the credential that the profile needs. */
	credential?: Record<string, string>;
	/** The texts of an error that a user has to see. */
	texts?: string[];
}
