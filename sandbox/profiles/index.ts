// All services that the sandbox can imitate, by name, and what is left out.

import { CHANGES } from './changes';
import { ERRORS } from './errors';
import { LISTS } from './lists';
import type { Profile } from './profile';

export { CHANGES } from './changes';
export { ERRORS } from './errors';
export { LISTS } from './lists';
export type { Profile } from './profile';

export const PROFILES: Record<string, Profile> = { ...LISTS, ...CHANGES, ...ERRORS };

/** The entries of the catalogue that the node does not support, with the reason. */
export const LEFT_OUT: Record<string, string> = {
	L19: 'JSON-RPC asks for lists by POST, and a POST is no read that may be retried.',
	L25: 'Lists in XML or CSV: ask for JSON, by path or by Accept. Errors and results in XML are understood.',
	L26: 'A change feed holds several lists at once, and deletions without records.',
	P9: 'The position stands inside the text of a query; a window per request can be asked for by API Request.',
	P20: 'One capped response without a next page: nothing says that there is more.',
	P26: 'Lists by POST: see L19.',
	S17: 'A request of its own shape: API Request sends it.',
	S24: 'What the request carries: Content Type None or JSON in API Request.',
	S26: 'Nothing in the response says that a field was ignored.',
	B10: 'One DELETE per record: API Request sends it, item by item.',
};
