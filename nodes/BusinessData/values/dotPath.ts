/** Finds values at dot paths. */
import { isObject } from './isObject';

/** Appends a name to a path. An empty path stands for the whole value. */
export function joinPath(path: string, name: string): string {
	return path === '' ? name : `${path}.${name}`;
}

/** @param path such as `data.items` or `d.@odata.nextLink`. If names contain dots, the longest match counts */
export function valueAt(value: unknown, path: string): unknown {
	if (typeof value !== 'object' || value === null) return undefined;
	const fields = value as Record<string, unknown>;
	if (Object.hasOwn(fields, path)) return fields[path];
	for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
		const name = path.slice(0, dot);
		if (Object.hasOwn(fields, name)) return valueAt(fields[name], path.slice(dot + 1));
	}
	return undefined;
}

/**
 * The values at a dot path in which `*` stands for every entry of a list or an object; undefined for an entry that has
 * none. In an object, the key of an entry becomes the `id` of a record without an ID.
 */
export function valuesAt(value: unknown, path: string): unknown[] {
	let found = [value];
	for (const part of path.split(/(?:^|\.)(\*)(?:\.|$)/)) {
		if (part === '*') {
			found = found.flatMap(entriesIn);
		} else if (part !== '') found = found.map((one) => valueAt(one, part));
	}
	return found;
}

function entriesIn(value: unknown): unknown[] {
	if (Array.isArray(value)) return value;
	if (!isObject(value)) return [];
	const entries = Object.entries(value);
	// Some services write a list as an object with the positions as keys, which are repeated on every page.
	if (entries.every(([key], index) => key === String(index))) return Object.values(value);
	return entries.map(([id, one]) => (isObject(one) ? { id, ...one } : one));
}
