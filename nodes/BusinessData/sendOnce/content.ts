/** What tells the content of two documents apart. */
import { hashOf } from '../values/hash';

/**
 * A hash of the body as JSON, whatever the order of its fields and the form of Unicode (NFC).
 * @param ignored dot paths of fields that do not count; a path goes through lists
 */
export function contentHash(body: unknown, ignored: string[]): string {
	const asItGoesOut = JSON.parse(JSON.stringify(body ?? null).normalize('NFC')) as unknown;
	const paths = ignored.map((path) => path.normalize('NFC').split('.'));
	return hashOf(without(asItGoesOut, paths));
}

function without(value: unknown, ignored: string[][]): unknown {
	if (Array.isArray(value)) return value.map((entry) => without(entry, ignored));
	if (typeof value !== 'object' || value === null) return value;
	const entries = Object.entries(value)
		.filter(([name]) => !ignored.some(([first, ...rest]) => first === name && rest.length === 0))
		.map(([name, entry]) => {
			const below = ignored.filter(([first]) => first === name).map(([, ...rest]) => rest);
			return [name, without(entry, below)] as const;
		});
	return Object.fromEntries(entries);
}
