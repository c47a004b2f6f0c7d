/** Changes with the meaning of the keys, so that two versions of the package never share any. */
export const KEY_PREFIX = 'n8n-nodes-business-data:1';
