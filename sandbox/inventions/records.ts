// The sandbox's own invention: records of one kind, such as contacts, and how they change.

/** What all records have. */
export interface StoredRecord {
	id: string;
	/** ISO 8601, in UTC; moves forward with every change. */
	updatedAt: string;
}

const FIRST_CHANGE_MS = Date.UTC(2025, 0, 1);
const MINUTE_MS = 60_000;

/** The records of one kind of the one business that all keys of a sandbox belong to. */
export class RecordStore<T extends StoredRecord> {
	readonly #kind: string;
	readonly #invent: (number: number, updatedAt: string) => T;
	readonly #initialCount: number;
	#records = new Map<string, T>();
	#lastNumber = 0;
	#lastChangeMs = 0;

	/** `invent` makes up the record with a number, counted from 1. */
	constructor(
		kind: string,
		invent: (number: number, updatedAt: string) => T,
		initialCount: number,
	) {
		this.#kind = kind;
		this.#invent = invent;
		this.#initialCount = initialCount;
		this.reset();
	}

	/** Copies of all records, in the order in which they were added. */
	list(): T[] {
		return [...this.#records.values()].map((record) => ({ ...record }));
	}

	/** Adds a record; fields that are not given are made up. Throws when the id is taken. */
	add(fields: Partial<T> = {}): T {
		this.#lastNumber += 1;
		const record = { ...this.#invent(this.#lastNumber, this.#nextChange()), ...fields };
		if (this.#records.has(record.id)) {
			throw new Error(`There is a ${this.#kind} ${record.id} already`);
		}
		this.#records.set(record.id, record);
		return { ...record };
	}

	/** Changes fields of a record and moves its `updatedAt`. Throws when there is no such record. */
	update(id: string, fields: Partial<Omit<T, 'id'>>): T {
		const record = this.#records.get(id);
		if (record === undefined) throw new Error(`There is no ${this.#kind} ${id}`);
		const changed = { ...record, updatedAt: this.#nextChange(), ...fields, id };
		this.#records.set(id, changed);
		return { ...changed };
	}

	/** Removes records; ids that do not exist are passed over. Returns how many were removed. */
	remove(ids: string | string[]): number {
		return [ids].flat().filter((id) => this.#records.delete(id)).length;
	}

	/** Puts back the records that were there at the start. */
	reset(): void {
		this.#lastChangeMs = 0;
		this.#records = new Map();
		for (let number = 1; number <= this.#initialCount; number += 1) {
			const updatedAt = new Date(FIRST_CHANGE_MS + number * MINUTE_MS).toISOString();
			const record = this.#invent(number, updatedAt);
			this.#records.set(record.id, record);
		}
		this.#lastNumber = this.#initialCount;
	}

	/** Now, but always later than the change before. */
	#nextChange(): string {
		this.#lastChangeMs = Math.max(Date.now(), this.#lastChangeMs + 1);
		return new Date(this.#lastChangeMs).toISOString();
	}
}
