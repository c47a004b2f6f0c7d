/**
 * The table of n8n's database that its deduplication store keeps its records in, one row per node, as
 * n8n's own code sees it: every access takes time, and nothing locks a row between reading and writing.
 */
import { after } from './logicalTime';

interface Row {
	workflowId: string;
	context: string;
	value: { mode: string; data: string[] };
}

type Key = Pick<Row, 'workflowId' | 'context'>;
type Access = 'read' | 'write';

/** How long (ms) after its error a late access takes effect, as one that has waited for a lock. */
const LATE_MS = 2_500;

/** A fault of the database, met by the next access of its kind: before it takes effect, after, or long before. */
interface Fault {
	access: Access;
	moment: 'before' | 'after' | 'late';
	/** How many accesses pass first. */
	after: number;
	times: number;
}

/** The ID of a workflow that n8n does not have. */
export const DELETED = 'deleted';

const keyOf = ({ workflowId, context }: Key) => JSON.stringify([workflowId, context]);

/** Found by n8n's container under this class, as the real one is. */
export class ProcessedDataRepository {
	/** How long (ms) an access takes, half before and half after it takes effect; new for each access. */
	latencyMs = () => Math.random() * 3;

	private readonly rows = new Map<string, string>();

	private faults: Fault[] = [];

	/** The hashes in all rows, as n8n keeps them. */
	get entries(): string[] {
		return [...this.rows.values()].flatMap((row) => (JSON.parse(row) as Row).value.data);
	}

	/** All rows, as n8n keeps them. */
	get text(): string {
		return [...this.rows].flat().join('\n');
	}

	clear(): void {
		this.rows.clear();
		this.clearFaults();
		this.latencyMs = () => Math.random() * 3;
	}

	clearFaults(): void {
		this.faults = [];
	}

	/** Lets accesses fail. */
	fail(access: Access, changes: Partial<Fault> = {}): void {
		this.faults.push({ access, moment: 'before', after: 0, times: 1, ...changes });
	}

	/** All rows. */
	async find(): Promise<Row[]> {
		return await this.access('read', () =>
			[...this.rows.values()].map((text) => JSON.parse(text) as Row),
		);
	}

	async findOne({ where }: { where: Key }): Promise<Row | null> {
		return await this.access('read', () => {
			const row = this.rows.get(keyOf(where));
			return row === undefined ? null : (JSON.parse(row) as Row);
		});
	}

	async insert(row: Row): Promise<void> {
		await this.access('write', () => {
			if (row.workflowId === DELETED) throw new Error('FOREIGN KEY constraint failed');
			if (this.rows.has(keyOf(row))) throw new Error('UNIQUE constraint failed: processed_data');
			this.rows.set(keyOf(row), JSON.stringify(row));
		});
	}

	async update(where: Key, row: Row): Promise<void> {
		await this.access('write', () => {
			if (this.rows.has(keyOf(where))) this.rows.set(keyOf(where), JSON.stringify(row));
		});
	}

	async delete(where: Key): Promise<void> {
		await this.access('write', () => void this.rows.delete(keyOf(where)));
	}

	private async access<T>(access: Access, effect: () => T): Promise<T> {
		const fault = this.faults.find((one) => one.access === access && one.times > 0);
		const isDue = fault !== undefined && fault.after-- <= 0;
		if (isDue) fault.times--;
		const latencyMs = this.latencyMs();
		await after(latencyMs / 2);
		// Its error is nobody's any more.
		if (isDue && fault.moment === 'late') setTimeout(() => void attempt(effect), LATE_MS);
		if (isDue && fault.moment !== 'after') throw new Error('the database is away');
		const result = effect();
		await after(latencyMs / 2);
		if (isDue) throw new Error('the connection to the database was lost');
		return result;
	}
}

function attempt(effect: () => unknown): void {
	try {
		effect();
	} catch {
		// A row that another has inserted meanwhile.
	}
}
