/** What a poll has found, one event per record. */
import type { IDataObject } from 'n8n-workflow';

import type { Change } from './pollSettings';
import type { KnownRecord } from './state';

/** What has happened to a record. Of a deleted one, only its ID is known. */
export interface RecordEvent {
	change: Change;
	record: IDataObject;
	/** Dot paths of what has changed in an updated one, where that is known. */
	changedFields?: string[];
}

export class Events {
	/** By the ID as text; of updated records with the hash that they had before this poll. */
	private readonly changed = new Map<string, RecordEvent & { hashBefore?: string }>();
	/** The records, by their ID as text, that this poll has found to be deleted. */
	readonly gone = new Set<string>();
	/** How many records were known when the read began that was the first one to miss some. */
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
	 * @param changedFields undefined where they are not known
	 */
	updated(
		key: string,
		record: IDataObject,
		hashes: { before: string; now: string },
		changedFields?: string[],
	): void {
		const earlier = this.changed.get(key);
		// Created and updated in the same poll: emitted once, as it is now.
		if (earlier?.change === 'Created') earlier.record = record;
		// Changed back during this poll.
		else if (earlier?.hashBefore === hashes.now) this.changed.delete(key);
		else {
			const { hashBefore = hashes.before, changedFields: fields = [] } = earlier ?? {};
			const areKnown = changedFields && (earlier === undefined || earlier.changedFields);
			const all = areKnown && { changedFields: [...new Set([...fields, ...changedFields])] };
			this.changed.set(key, { change: 'Updated', record, hashBefore, ...all });
		}
	}

	/** @param idField dot path to the ID of a record */
	deleted(key: string, { id }: KnownRecord, idField: string): void {
		const wasCreated = this.changed.get(key)?.change === 'Created';
		this.changed.delete(key);
		if (!wasCreated)
			this.changed.set(key, { change: 'Deleted', record: recordWithId(id, idField) });
	}

	get list(): RecordEvent[] {
		return [...this.changed.values()];
	}
}

export function recordWithId(id: KnownRecord['id'], idField: string): IDataObject {
	const names = idField.split('.');
	return names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), id) as IDataObject;
}
