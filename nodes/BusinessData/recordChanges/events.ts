/** What a poll has found, one event per record. */
import type { IDataObject } from 'n8n-workflow';

import type { RecordEvent } from './sources';
import type { KnownRecord } from './state';

export class Events {
	/** By the ID as text, in the order of the records. */
	private readonly changed = new Map<string, RecordEvent>();

	private readonly gone: RecordEvent[] = [];

	/** @param idField dot path to the ID of a record */
	constructor(private readonly idField: string) {}

	created(key: string, record: IDataObject): void {
		this.changed.set(key, { change: 'Created', record });
	}

	updated(key: string, record: IDataObject): void {
		// One that was created and updated in the same poll comes out once, as it is now.
		const change = this.changed.get(key)?.change ?? 'Updated';
		this.changed.set(key, { change, record });
	}

	deleted({ id }: KnownRecord): void {
		this.gone.push({ change: 'Deleted', record: recordOf(id, this.idField) });
	}

	/** All of them, deletions last. */
	get list(): RecordEvent[] {
		return [...this.changed.values(), ...this.gone];
	}
}

/** A record of which only the ID is known. */
export function recordOf(id: KnownRecord['id'], idField: string): IDataObject {
	const names = idField.split('.');
	return names.reduceRight<unknown>((inner, name) => ({ [name]: inner }), id) as IDataObject;
}
