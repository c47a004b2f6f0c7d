/** Whose data a node works on. */
import type { INode } from 'n8n-workflow';

import { type Account, CREDENTIAL_TYPE } from './account';

/**
 * The business of a node: its credential in n8n with the base URL. A key belongs to one business (section 5 of the
 * interface document), but it may be replaced, and the business stays the same.
 */
export function businessOf({ credentials }: INode, { baseUrl }: Account): string {
	const { id, name } = credentials?.[CREDENTIAL_TYPE] ?? {};
	return JSON.stringify([id ?? name, baseUrl]);
}
