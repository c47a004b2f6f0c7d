/** What all keys of all versions of the package begin with, and the name of their connections. */
export const PACKAGE = 'n8n-nodes-business-data';
/** Changes with the meaning of the keys, so that two versions of the package never share any. */
export const KEY_FORMAT = 1;
export const KEY_PREFIX = `${PACKAGE}:${KEY_FORMAT}`;
