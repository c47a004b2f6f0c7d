/** Hashes JSON values regardless of the order of their fields. */
import { hash } from 'node:crypto';

/** @param length number of base64url characters, with 6 bits each */
export function hashOf(value: unknown, length = 43): string {
	const text = JSON.stringify(value, (_, inner: unknown) => {
		if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
		const entries = Object.entries(inner as Record<string, unknown>);
		return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
	});
	return hash('sha256', text, 'base64url').slice(0, length);
}
