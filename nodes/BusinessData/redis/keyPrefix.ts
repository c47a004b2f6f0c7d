/** The beginning of all keys in all versions, and the name of connections. */
export const PACKAGE = 'n8n-nodes-business-data';
/** Raised when keys change their meaning, so that such versions of the package share none. */
export const KEY_FORMAT = 1;
export const KEY_PREFIX = `${PACKAGE}:${KEY_FORMAT}`;
