/** Values at dot paths. */
import { isObject } from '../values/isObject';

/** The path to a field below the path; empty stands for the whole value. */
export function joinPath(path: string, name: string): string {
	return path === '' ? name : `${path}.${name}`;
}

/** The value at a dot path such as `data.items` or `d.@odata.nextLink`; undefined where the path leads nowhere. */
export function valueAt(value: unknown, path: string): unknown {
	let found = value;
	for (const name of namesAt(value, path)) found = ownAt(found, name);
	return found;
}

/**
 * The names that lead to the value at a dot path. A name may itself hold dots: the longest one that is there counts, and
 * the first part where none is.
 */
export function namesAt(value: unknown, path: string): string[] {
	const parts = path.split('.');
	const names: string[] = [];
	for (let found = value, at = 0; at < parts.length;) {
		let end = parts.length;
		while (end > at + 1 && ownAt(found, parts.slice(at, end).join('.')) === undefined) end--;
		const name = parts.slice(at, end).join('.');
		names.push(name);
		[found, at] = [ownAt(found, name), end];
	}
	return names;
}

function ownAt(value: unknown, name: string): unknown {
	const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
	return isThere ? (value as Record<string, unknown>)[name] : undefined;
}

/**
 * The values at a dot path in which `*` stands for every entry of a list or an object. The key of an object's entry
 * becomes the `id` of a record that has none.
 */
export function valuesAt(value: unknown, path: string): unknown[] {
	return placesAt(value, path).filter((one) => one !== undefined);
}

/** The same, with undefined for each entry that has nothing there. */
export function placesAt(value: unknown, path: string): unknown[] {
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
	return Object.entries(value ?? {}).map(([id, one]: [string, unknown]) =>
		isObject(one) ? { id, ...one } : one,
	);
}
