/** Collects what a poll has found, one event per record. */
import type { IDataObject } from 'n8n-workflow';

import type { Change } from './pollSettings';
import type { KnownRecord } from './state';

/** What happened to a record. Of a record that is missing in the list, only the ID is known. */
export interface RecordEvent {
	change: Change;
	record: IDataObject;
	/** Dot paths of the changed fields of an updated record, if known. */
	changedFields?: string[];
}

export class Events {
	/** By the ID as text. Updated records have the hash that they had before this poll. */
	private readonly changed = new Map<string, RecordEvent & { hashBefore?: string }>();
	/** By the ID as text, the records that this poll has found to be deleted; undefined if they are missing in the list. */
	readonly gone = new Map<string, IDataObject | undefined>();
	/** How many records were known at the beginning of the first read that missed some. */
	knownBefore?: number;

	created(key: string, record: IDataObject): void {
		this.changed.set(key, { change: 'Created', record });
	}

	/** Whether an updated record had this hash before this poll. */
	wasBefore(key: string, hash: string): boolean {
		return this.changed.get(key)?.hashBefore === hash;
	}

	/**
	 * @param hashes of the record, before and now
	 * @param changedFields undefined if they are not known
	 */
	updated(
		key: string,
		record: IDataObject,
		hashes: { before: string; now: string },
		changedFields?: string[],
	): void {
		const earlier = this.changed.get(key);
		// Created and updated in the same poll, so it is emitted once, as it is now.
		if (earlier?.change === 'Created') earlier.record = record;
		// It was changed back during this poll.
		else if (earlier?.hashBefore === hashes.now) this.changed.delete(key);
		else {
			const { hashBefore = hashes.before, changedFields: fields = [] } = earlier ?? {};
			const areKnown = changedFields && (earlier === undefined || earlier.changedFields);
			const all = areKnown && { changedFields: [...new Set([...fields, ...changedFields])] };
			this.changed.set(key, { change: 'Updated', record, hashBefore, ...all });
		}
	}

	/** Notes that a record is deleted, as it is missing in the list. */
	missing(key: string): void {
		if (!this.gone.has(key)) this.gone.set(key, undefined);
	}

	/** @param idField dot path to the ID of a record */
	deleted(key: string, { id }: KnownRecord, idField: string): void {
		const wasCreated = this.changed.get(key)?.change === 'Created';
		this.changed.delete(key);
		const record = this.gone.get(key) ?? recordWithId(id, idField);
		if (!wasCreated) this.changed.set(key, { change: 'Deleted', record });
	}

	get list(): RecordEvent[] {
		return [...this.changed.values()];
	}
}

export function recordWithId(id: KnownRecord['id'], idField: string): IDataObject {
	const names = idField.split('.');
	return names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), id) as IDataObject;
}
