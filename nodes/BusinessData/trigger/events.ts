/** What a poll has found, one event per record. */
import type { IDataObject } from 'n8n-workflow';

import type { RecordEvent } from './sources';
import type { KnownRecord } from './state';

export class Events {
	/** By the ID as text, in the order of the records. */
	private readonly changed = new Map<string, RecordEvent>();

	/** By the ID as text, the hashes that updated records had before this poll. */
	private readonly hashes = new Map<string, string>();

	private readonly deletions: RecordEvent[] = [];

	/** The records, by their ID as text, that this poll has found to be deleted. */
	readonly gone = new Set<string>();

	created(key: string, record: IDataObject): void {
		this.changed.set(key, { change: 'Created', record });
	}

	/**
	 * @param hashes of the record, before and now
	 * @param changedFields undefined where they are not known
	 */
	updated(
		key: string,
		record: IDataObject,
		hashes: { before: string; now: string },
		changedFields?: string[],
	): void {
		const before = this.changed.get(key);
		const first = this.hashes.get(key) ?? hashes.before;
		this.hashes.set(key, first);
		// It was changed back while this poll read it.
		if (first === hashes.now && before?.change === 'Updated') {
			this.changed.delete(key);
			return;
		}
		// One that was created and updated in the same poll comes out once, as it is now.
		const change = before?.change ?? 'Updated';
		const fields =
			before === undefined || changedFields === undefined
				? changedFields
				: before.changedFields && [...new Set([...before.changedFields, ...changedFields])];
		const more = change === 'Created' || fields === undefined ? {} : { changedFields: fields };
		this.changed.set(key, { change, record, ...more });
	}

	/** @param idNames the names that lead to the ID of a record */
	deleted(key: string, { id }: KnownRecord, idNames: string[]): void {
		const wasCreated = this.changed.get(key)?.change === 'Created';
		this.changed.delete(key);
		if (wasCreated) return;
		this.deletions.push({ change: 'Deleted', record: recordOf(id, idNames) });
	}

	/** All of them, deletions last. */
	get list(): RecordEvent[] {
		return [...this.changed.values(), ...this.deletions];
	}
}

/** A record of which only the ID is known. */
export function recordOf(id: KnownRecord['id'], idNames: string[]): IDataObject {
	return idNames.reduceRight<unknown>((inner, name) => ({ [name]: inner }), id) as IDataObject;
}
