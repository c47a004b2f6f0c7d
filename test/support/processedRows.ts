/** The rows of n8n's deduplication store, one per node, with the interface that n8n's own code uses. */

interface Row {
	workflowId: string;
	context: string;
	value: { mode: string; data: string[] };
}

type Key = Pick<Row, 'workflowId' | 'context'>;

/** The ID of a workflow that is not in n8n. */
export const DELETED = 'deleted';

export type RowAccess = 'find' | 'findOne' | 'insert' | 'update' | 'delete';

const keyOf = ({ workflowId, context }: Key) => JSON.stringify([workflowId, context]);

/** As in n8n, no lock holds a row between reading and writing. */
export abstract class ProcessedRows {
	constructor(
		protected readonly rows = new Map<string, string>(),
		/** Makes a row from its text. */
		private readonly parse: (text: string) => unknown = JSON.parse,
	) {}

	async find(): Promise<Row[]> {
		return await this.access('find', () => [...this.rows.values()].map((text) => this.read(text)));
	}

	async findOne({ where }: { where: Key }): Promise<Row | null> {
		const text = await this.access('findOne', () => this.rows.get(keyOf(where)));
		return text === undefined ? null : this.read(text);
	}

	async insert(row: Row): Promise<void> {
		// The row as it is at the call, not when the database gets to it.
		const text = JSON.stringify(row);
		await this.access('insert', () => {
			if (row.workflowId === DELETED) throw new Error('FOREIGN KEY constraint failed');
			if (this.rows.has(keyOf(row))) throw new Error('UNIQUE constraint failed: processed_data');
			this.rows.set(keyOf(row), text);
		});
	}

	async update(where: Key, row: Row): Promise<void> {
		const text = JSON.stringify(row);
		await this.access('update', () => {
			if (this.rows.has(keyOf(where))) this.rows.set(keyOf(where), text);
		});
	}

	async delete(where: Key): Promise<void> {
		await this.access('delete', () => void this.rows.delete(keyOf(where)));
	}

	/** Lets an access take effect, now or later, or fail. */
	protected abstract access<T>(access: RowAccess, effect: () => T): Promise<T>;

	protected read(text: string): Row {
		return this.parse(text) as Row;
	}
}

/** Runs an effect that nothing waits for any more. */
export function attempt(effect: () => unknown): void {
	try {
		effect();
	} catch {
		// Another access has inserted the row meanwhile.
	}
}
