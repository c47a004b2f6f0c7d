/** A hash of JSON, the same for the same content in whatever order the fields come. */
import { createHash } from 'node:crypto';

/** 48 bits as base64: the chance that a change goes unseen is one in 280 million million. */
export const HASH_LENGTH = 8;

export function hashOf(value: unknown): string {
	const text = JSON.stringify(value, (_, inner: unknown) => {
		if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
		const entries = Object.entries(inner as Record<string, unknown>);
		return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
	});
	return createHash('sha256').update(text).digest('base64').slice(0, HASH_LENGTH);
}
