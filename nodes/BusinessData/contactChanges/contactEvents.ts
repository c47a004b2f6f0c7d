/** What has changed between two readings of the contacts. */
import type { IDataObject } from 'n8n-workflow';

import { valueAt } from '../resources/list/findList';
import type { ContactId, ContactState } from './contactState';

export const EVENT_NAMES = ['contactCreated', 'contactUpdated', 'contactDeleted'] as const;

export type ContactEventName = (typeof EVENT_NAMES)[number];

export interface ContactEvent {
	event: ContactEventName;
	/** Of a deleted contact, only its ID is known. */
	contact: IDataObject;
}

/**
 * The events between two states, in the order of the contacts, deletions last.
 * @param contacts what `current` was made of
 */
export function eventsBetween(
	previous: ContactState,
	current: ContactState,
	contacts: IDataObject[],
	idField: string,
): ContactEvent[] {
	const events: ContactEvent[] = [];
	const seen = new Set<string>();
	for (const contact of contacts) {
		const id = String(valueAt(contact, idField));
		if (seen.has(id)) continue;
		seen.add(id);
		const before = previous.get(id);
		if (before === undefined) events.push({ event: 'contactCreated', contact });
		else if (before.hash !== current.get(id)?.hash)
			events.push({ event: 'contactUpdated', contact });
	}
	for (const [key, { id }] of previous) {
		if (!current.has(key)) {
			events.push({ event: 'contactDeleted', contact: withIdAt(idField, id) });
		}
	}
	return events;
}

/** An object with the ID at the dot path. */
function withIdAt(idField: string, id: ContactId): IDataObject {
	const names = idField.split('.');
	const last = names.pop() ?? idField;
	return names.reduceRight<IDataObject>((inner, name) => ({ [name]: inner }), { [last]: id });
}
