// The sandbox's own invention: what a contact looks like, and the contacts there are.
//
// The interface document names contacts but none of their fields (section 2).

/** A contact as the sandbox imagines one. */
export interface Contact {
	id: string;
	name: string;
	email: string;
	city: string;
	/** ISO 8601, in UTC; moves forward with every change. */
	updatedAt: string;
}

const CITIES = ['Amsterdam', 'Berlin', 'Copenhagen', 'Dublin', 'Edinburgh'];
const FIRST_CHANGE_MS = Date.UTC(2025, 0, 1);
const MINUTE_MS = 60_000;

function inventContact(number: number, updatedAtMs: number): Contact {
	return {
		id: `contact-${number}`,
		name: `Contact ${number}`,
		email: `contact-${number}@example.com`,
		city: CITIES[number % CITIES.length] ?? '',
		updatedAt: new Date(updatedAtMs).toISOString(),
	};
}

/** The contacts of the one business that all keys of a sandbox belong to. */
export class ContactStore {
	readonly #initialCount: number;
	#contacts = new Map<string, Contact>();
	#lastNumber = 0;
	#lastChangeMs = 0;

	constructor(initialCount: number) {
		this.#initialCount = initialCount;
		this.reset();
	}

	/** Copies of all contacts, in the order in which they were added. */
	list(): Contact[] {
		return [...this.#contacts.values()].map((contact) => ({ ...contact }));
	}

	/** Adds a contact; fields that are not given are made up. Throws when the id is taken. */
	add(fields: Partial<Contact> = {}): Contact {
		this.#lastNumber += 1;
		const contact = { ...inventContact(this.#lastNumber, this.#nextChangeMs()), ...fields };
		if (this.#contacts.has(contact.id)) throw new Error(`There is a contact ${contact.id} already`);
		this.#contacts.set(contact.id, contact);
		return { ...contact };
	}

	/** Changes fields of a contact and moves its `updatedAt`. Throws when there is no such contact. */
	update(id: string, fields: Partial<Omit<Contact, 'id'>>): Contact {
		const contact = this.#contacts.get(id);
		if (contact === undefined) throw new Error(`There is no contact ${id}`);
		const updatedAt = new Date(this.#nextChangeMs()).toISOString();
		const changed = { ...contact, updatedAt, ...fields, id };
		this.#contacts.set(id, changed);
		return { ...changed };
	}

	/** Removes contacts; ids that do not exist are passed over. Returns how many were removed. */
	remove(ids: string | string[]): number {
		return [ids].flat().filter((id) => this.#contacts.delete(id)).length;
	}

	/** Puts back the contacts that were there at the start. */
	reset(): void {
		this.#lastChangeMs = 0;
		this.#contacts = new Map();
		for (let number = 1; number <= this.#initialCount; number += 1) {
			const contact = inventContact(number, FIRST_CHANGE_MS + number * MINUTE_MS);
			this.#contacts.set(contact.id, contact);
		}
		this.#lastNumber = this.#initialCount;
	}

	/** Now (ms since 1970), but always later than the change before. */
	#nextChangeMs(): number {
		this.#lastChangeMs = Math.max(Date.now(), this.#lastChangeMs + 1);
		return this.#lastChangeMs;
	}
}
