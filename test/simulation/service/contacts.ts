/** The contacts of the business, which others change while n8n looks on. */
import type { Random } from '../world/random';

export interface Contact {
	id: string;
	name: string;
}

export class Contacts {
	private readonly contacts = new Map<string, Contact>();

	private count = 0;

	constructor(private readonly random: Random) {
		for (let index = 0; index < 3; index++) this.add();
	}

	list(): Contact[] {
		return [...this.contacts.values()];
	}

	/** Adds, changes or removes one. */
	change(): void {
		const ids = [...this.contacts.keys()];
		const choice = this.random.next();
		if (choice < 0.4 || ids.length < 2) this.add();
		else if (choice < 0.7) this.rename(this.random.one(ids));
		else this.contacts.delete(this.random.one(ids));
	}

	private add(): void {
		const id = `c${++this.count}`;
		this.contacts.set(id, { id, name: `Contact ${this.count}` });
	}

	private rename(id: string): void {
		this.contacts.set(id, { id, name: `Contact ${id} ${this.random.bits()}` });
	}
}
