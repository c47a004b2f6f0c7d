/** Tells which fields of a record count as a change, and which of them have changed. */
import { joinPath } from '../values/dotPath';
import { hashOf } from '../values/hash';
import { readPaths } from '../values/settingValues';

/** 48 bits per record: the chance to miss a change is 1 in 2^48. */
export const HASH_LENGTH = 8;
/** 18 bits per field: these hashes only show where a record has changed, not whether. */
export const FIELD_HASH_LENGTH = 3;
const NO_FIELD = ' '.repeat(FIELD_HASH_LENGTH);
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export class WatchedFields {
	/** A hash of the settings; empty if all fields are watched. */
	readonly key: string;
	private readonly watched: string[];
	private readonly ignored: string[];

	/** @throws InvalidSettingError */
	constructor(watchFields: unknown, ignoreFields: unknown) {
		this.watched = readPaths('Watch Fields', watchFields).sort();
		this.ignored = readPaths('Ignore Fields', ignoreFields).sort();
		const isAll = this.watched.length === 0 && this.ignored.length === 0;
		this.key = isAll ? '' : hashOf([this.watched, this.ignored], HASH_LENGTH);
	}

	/** The part of a record whose change is reported. */
	watchedPart(record: unknown): unknown {
		return this.key === '' ? record : (this.partOf(record, '') ?? null);
	}

	/** Undefined if nothing in the value is watched. */
	private partOf(value: unknown, path: string): unknown {
		if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) {
			// If fields below it are ignored, an empty object must equal one that has only these.
			const isNone = typeof value === 'object' && this.holdsIgnored(path);
			return this.isWatched(path) && !isNone ? value : undefined;
		}
		if (Array.isArray(value)) {
			const parts = value.map((one) => this.partOf(one, path)).filter((one) => one !== undefined);
			return parts.length > 0 ? parts : undefined;
		}
		const entries = Object.entries(value)
			.map(([name, inner]) => [name, this.partOf(inner, joinPath(path, name))] as const)
			.filter(([, inner]) => inner !== undefined);
		return entries.length > 0 ? Object.fromEntries(entries) : undefined;
	}

	/** Whether fields below the path are ignored. */
	private holdsIgnored(path: string): boolean {
		return this.ignored.some((one) => one.startsWith(`${path}.`));
	}

	private isWatched(path: string): boolean {
		const isIn = (paths: string[]) =>
			paths.some((one) => path === one || path.startsWith(`${one}.`));
		return (this.watched.length === 0 || isIn(this.watched)) && !isIn(this.ignored);
	}
}

/**
 * The short hashes of all fields, one after the other, in the order of the names.
 * @param names dot paths of fields, to which those of new fields are added
 */
export function fieldHashesOf(watchedPart: unknown, names: Map<string, number>): string {
	const texts = new Map<string, string>();
	const visit = (value: unknown, path: string, indexes: string) => {
		const isGroup = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
		if (!isGroup) texts.set(path, `${texts.get(path) ?? ''}${indexes} ${JSON.stringify(value)}\n`);
		else if (Array.isArray(value)) {
			for (const [index, one] of value.entries()) visit(one, path, `${indexes}.${index}`);
		} else
			for (const [name, one] of Object.entries(value)) visit(one, joinPath(path, name), indexes);
	};
	visit(watchedPart, '', '');
	for (const path of texts.keys()) if (!names.has(path)) names.set(path, names.size);
	const hashes = new Array<string>(names.size).fill(NO_FIELD);
	for (const [path, text] of texts) hashes[names.get(path) ?? 0] = fieldHashOf(text);
	return hashes.join('').trimEnd();
}

/** The dot paths of all fields. */
export function fieldNamesOf(watchedPart: unknown): string[] {
	const names = new Map<string, number>();
	const hashes = fieldHashesOf(watchedPart, names);
	return differentFields('', hashes, names);
}

/** The names of the fields whose hashes differ. */
export function differentFields(before: string, now: string, names: Map<string, number>): string[] {
	const hashIn = (hashes: string, index: number) =>
		hashes.slice(index * FIELD_HASH_LENGTH, (index + 1) * FIELD_HASH_LENGTH).trim();
	// The empty path has the hash of a record without any watched field.
	return [...names]
		.filter(([name, index]) => name !== '' && hashIn(before, index) !== hashIn(now, index))
		.map(([name]) => name);
}

/** FNV-1a folded to 18 bits, because SHA-256 would take seconds for the millions of fields of a large list. */
function fieldHashOf(text: string): string {
	let hash = 0x811c9dc5;
	for (let index = 0; index < text.length; index++) {
		hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
	}
	const bits = (hash ^ (hash >>> 14)) & 0x3ffff;
	return [12, 6, 0].map((shift) => BASE64.charAt((bits >> shift) & 63)).join('');
}
