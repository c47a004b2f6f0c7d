/** What the trigger can watch, and what it calls the records there. */
import type { IDataObject } from 'n8n-workflow';

export const SOURCES = ['contacts', 'endpoint'] as const;

export type SourceName = (typeof SOURCES)[number];

/** A record by its source, in the names of events, in the output and in errors. */
export const RECORD_NAMES = { contacts: 'contact', endpoint: 'record' } as const;

export type RecordName = (typeof RECORD_NAMES)[SourceName];

/** In the order of the list in the editor. */
export const CHANGES = ['Created', 'Deleted', 'Updated'] as const;

export type Change = (typeof CHANGES)[number];

/** What has happened to a record. Of a deleted one, only its ID is known. */
export interface RecordEvent {
	change: Change;
	record: IDataObject;
	/** Dot paths of what has changed in an updated one, where that is known. */
	changedFields?: string[];
}
