/** Tells the content of two documents apart. */
import { joinPath } from '../values/dotPath';
import { hashOf } from '../values/hash';
import { isObject } from '../values/isObject';

/**
 * A hash of the body as JSON that depends neither on the order of its fields nor on the Unicode form of its texts.
 * @param ignored dot paths of fields to leave out; a path passes through lists
 */
export function contentHash(body: unknown, ignored: string[]): string {
	const paths = ignored.map((path) => path.normalize('NFC'));
	return hashOf(without(JSON.parse(JSON.stringify(body ?? null)), paths, ''));
}

function without(value: unknown, ignored: string[], path: string): unknown {
	if (Array.isArray(value)) return value.map((entry) => without(entry, ignored, path));
	if (typeof value === 'string') return value.normalize('NFC');
	if (!isObject(value)) return value;
	const entries = Object.entries(value).flatMap(([written, entry]) => {
		const name = written.normalize('NFC');
		const inner = joinPath(path, name);
		return ignored.includes(inner) ? [] : [[name, without(entry, ignored, inner)] as const];
	});
	return Object.fromEntries(entries);
}
