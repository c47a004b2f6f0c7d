// The sandbox's own invention: the form of a contact.
//
// The interface document names contacts but none of their fields (section 2).

import { RecordStore, type StoredRecord } from './records';

export interface Contact extends StoredRecord {
	name: string;
	email: string;
	city: string;
}

export type ContactStore = RecordStore<Contact>;

const CITIES = ['Amsterdam', 'Berlin', 'Copenhagen', 'Dublin', 'Edinburgh'];

/** Creates the initial contacts. */
export function inventContacts(count: number): ContactStore {
	const invent = (number: number, updatedAt: string): Contact => ({
		id: `contact-${number}`,
		name: `Contact ${number}`,
		email: `contact-${number}@example.com`,
		city: CITIES[number % CITIES.length] ?? '',
		updatedAt,
	});
	return new RecordStore('contact', invent, count);
}
