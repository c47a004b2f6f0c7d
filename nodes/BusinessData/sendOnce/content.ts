/** What tells the content of two documents apart. */
import { createHash } from 'node:crypto';

/**
 * A hash of the body as JSON, whatever the order of its fields and the form of Unicode (NFC).
 * @param ignored dot paths of fields that do not count; in a list, they are those of each entry
 */
export function contentHash(body: unknown, ignored: string[]): string {
	const paths = ignored.map((path) => path.split('.'));
	const json = JSON.stringify(canonical(body === undefined ? null : asJson(body), paths));
	return createHash('sha256').update(json.normalize('NFC')).digest('base64url');
}

function canonical(value: unknown, ignored: string[][]): unknown {
	if (Array.isArray(value)) return value.map((entry) => canonical(entry, ignored));
	if (typeof value !== 'object' || value === null) return value;
	// As pairs: an object would put keys that are numbers first, and lose one named __proto__.
	return Object.entries(value)
		.filter(([name]) => !ignored.some(([first, ...rest]) => first === name && rest.length === 0))
		.sort(([a], [b]) => (a < b ? -1 : 1))
		.map(([name, entry]) => {
			const below = ignored.filter(([first]) => first === name).map(([, ...rest]) => rest);
			return { name, value: canonical(entry, below) };
		});
}

/** As it goes out. */
function asJson(value: unknown): unknown {
	return JSON.parse(JSON.stringify(value));
}
