/** What all keys of all versions of the package begin with. */
export const PACKAGE_PREFIX = 'n8n-nodes-business-data';
/** Changes with the meaning of the keys, so that two versions of the package never share any. */
export const KEY_FORMAT = 1;
export const KEY_PREFIX = `${PACKAGE_PREFIX}:${KEY_FORMAT}`;
