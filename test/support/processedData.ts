/** The table of n8n's deduplication store, with latency: every access takes time, and may fail. */
import { after } from './logicalTime';
import { attempt, ProcessedRows, type RowAccess } from './processedRows';

type Access = 'read' | 'write';

/** How long (ms) after its error a late access takes effect, such as one that waited for a lock. */
const LATE_MS = 2_500;

/** A database fault for the next access of its kind: before the access takes effect, after it, or long before. */
interface Fault {
	access: Access;
	moment: 'before' | 'after' | 'late';
	/** How many accesses pass first. */
	after: number;
	times: number;
}

export class ProcessedDataRepository extends ProcessedRows {
	/** How long (ms) an access takes, half of it before its effect; called for each access. */
	latencyMs = () => Math.random() * 3;
	private faults: Fault[] = [];

	/** The hashes in all rows, as stored by n8n. */
	get entries(): string[] {
		return [...this.rows.values()].flatMap((row) => this.read(row).value.data);
	}

	/** All rows, as stored by n8n. */
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

	/** Makes an access fail. */
	fail(access: Access, changes: Partial<Fault> = {}): void {
		this.faults.push({ access, moment: 'before', after: 0, times: 1, ...changes });
	}

	protected async access<T>(kind: RowAccess, effect: () => T): Promise<T> {
		const access = kind.startsWith('find') ? 'read' : 'write';
		const fault = this.faults.find((one) => one.access === access && one.times > 0);
		const isDue = fault !== undefined && fault.after-- <= 0;
		if (isDue) fault.times--;
		const latencyMs = this.latencyMs();
		await after(latencyMs / 2);
		// Nothing handles its error any more.
		if (isDue && fault.moment === 'late') setTimeout(() => attempt(effect), LATE_MS);
		if (isDue && fault.moment !== 'after') throw new Error('the database is away');
		const result = effect();
		await after(latencyMs / 2);
		if (isDue) throw new Error('the connection to the database was lost');
		return result;
	}
}
