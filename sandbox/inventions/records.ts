// The sandbox's own invention: contacts and payments, and how they change.
//
// The interface document names them but none of their fields (section 2).

/** The fields of all records. */
export interface StoredRecord {
	id: string;
	/** ISO 8601, in UTC. It increases with every change. */
	updatedAt: string;
}

const FIRST_CHANGE_MS = Date.UTC(2025, 0, 1);
const MINUTE_MS = 60_000;

/** The records of one kind. All keys of a sandbox belong to the same business. */
export class RecordStore<T extends StoredRecord> {
	private records = new Map<string, T>();
	private lastNumber = 0;
	private lastChangeMs = 0;

	/** @param invent makes up the record with a number, counted from 1 */
	constructor(
		private readonly kind: string,
		private readonly invent: (number: number, updatedAt: string) => T,
		private readonly initialCount: number,
	) {
		this.reset();
	}

	/** Copies of all records, in the order in which they were added. */
	list(): T[] {
		return [...this.records.values()].map((record) => ({ ...record }));
	}

	/** Adds a record, with made-up values for missing fields. Throws if the ID is taken. */
	add(fields: Partial<T> = {}): T {
		this.lastNumber += 1;
		const record = { ...this.invent(this.lastNumber, this.nextChange()), ...fields };
		if (this.records.has(record.id)) {
			throw new Error(`There is a ${this.kind} ${record.id} already`);
		}
		this.records.set(record.id, record);
		return { ...record };
	}

	/** Changes fields of a record, and its `updatedAt`. Throws if there is no such record. */
	update(id: string, fields: Partial<Omit<T, 'id'>>): T {
		const record = this.records.get(id);
		if (record === undefined) throw new Error(`There is no ${this.kind} ${id}`);
		const changed = { ...record, updatedAt: this.nextChange(), ...fields, id };
		this.records.set(id, changed);
		return { ...changed };
	}

	/** Removes records and ignores unknown IDs. Returns how many were removed. */
	remove(ids: string | string[]): number {
		return [ids].flat().filter((id) => this.records.delete(id)).length;
	}

	/** Restores the initial records. */
	reset(): void {
		this.lastChangeMs = 0;
		this.records = new Map();
		for (let number = 1; number <= this.initialCount; number += 1) {
			const updatedAt = new Date(FIRST_CHANGE_MS + number * MINUTE_MS).toISOString();
			const record = this.invent(number, updatedAt);
			this.records.set(record.id, record);
		}
		this.lastNumber = this.initialCount;
	}

	/** Now, but always later than the previous change. */
	private nextChange(): string {
		this.lastChangeMs = Math.max(Date.now(), this.lastChangeMs + 1);
		return new Date(this.lastChangeMs).toISOString();
	}
}

interface Contact extends StoredRecord {
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

interface Payment extends StoredRecord {
	contactId: string;
	amount: number;
	status: 'open' | 'paid';
}

export type PaymentStore = RecordStore<Payment>;

/** Creates the initial payments. */
export function inventPayments(): PaymentStore {
	const invent = (number: number, updatedAt: string): Payment => ({
		id: `payment-${number}`,
		contactId: `contact-${number}`,
		amount: 10 * number,
		status: 'open',
		updatedAt,
	});
	return new RecordStore('payment', invent, 12);
}
