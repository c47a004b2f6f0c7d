/**
 * Rows of n8n's deduplication store, in pairs. The store reads a whole row, changes it and writes it back without a
 * lock, so each step on a pair has its turn, in this process and over all of them. A write that fails may have
 * landed, or may land later and overwrite what came after it: for ten minutes from then on, the pair is compared
 * with what it must hold, before each step and now and then.
 */
import { DeduplicationRow } from '../n8nInternals/deduplicationStore';
import { InvalidSettingError } from '../values/invalidSettingError';
import { type Expectation, runExclusive, processState } from './processState';
import { storeError } from './storeErrors';

/** Runs a step when no other process is at the bucket. */
export type BucketLock = <T>(bucket: string, step: () => Promise<T>) => Promise<T>;

/** `keys` holds one entry per key, in the order in which they were sent, and `details` what is known of them. */
type RowName = 'keys' | 'details';

const WATCHED_MS = 10 * 60_000;
/** How long (ms) to wait before the first comparison; before each further one, twice as long. */
const FIRST_PAUSE_MS = 100;

export class Bucket {
	private readonly rows: Record<RowName, DeduplicationRow>;

	private readonly name: string;

	/**
	 * @param lock undefined where no other process changes the rows
	 * @throws InvalidSettingError where n8n has no store
	 */
	constructor(
		workflowId: string,
		private readonly id: string,
		private readonly lock: BucketLock | undefined,
	) {
		this.name = `${workflowId}:${id}`;
		this.rows = { keys: this.row(workflowId, 'keys'), details: this.row(workflowId, 'details') };
	}

	/** Runs a step in its turn, with the rows as they must be. @throws RequestError when the store fails */
	async step<T>(work: () => Promise<T>): Promise<T> {
		const step = async () => {
			await this.repair();
			return await work();
		};
		const { lock, id } = this;
		return await runExclusive(this.name, async () => await (lock?.(id, step) ?? step()));
	}

	/** Whether it holds no key; writes nothing. @throws RequestError */
	async isEmpty(): Promise<boolean> {
		return await this.access(async () => (await this.rows.keys.count()) === 0);
	}

	/** The given entries that the row holds, in its order. @throws RequestError */
	async find(row: RowName, entries: string[]): Promise<string[]> {
		return await this.access(async () => await this.rows[row].find(entries));
	}

	/**
	 * To be called when n8n has said that it holds the key.
	 * @throws RequestError when a read says otherwise, as in an n8n that keeps hashes of another kind
	 */
	async requireReadable(key: string): Promise<void> {
		if ((await this.find('keys', [key])).length > 0) return;
		throw storeError(new Error('this version of the package cannot read it'));
	}

	/**
	 * Adds entries, and returns the ones that the row held before; beyond `most`, the oldest are dropped. @throws
	 * RequestError
	 */
	async add(row: RowName, entries: string[], most?: number): Promise<string[]> {
		return await this.access(async () => await this.rows[row].add(entries, most));
	}

	/** @throws RequestError */
	async remove(row: RowName, entries: string[]): Promise<void> {
		await this.access(async () => await this.rows[row].remove(entries));
	}

	/** Says what the row must hold, or must not, where a write has failed. */
	expect(row: RowName, entries: string[], rest: Pick<Expectation, 'isThere' | 'holds'>): void {
		const expected = processState().watched.get(this.name)?.expected;
		for (const entry of entries) expected?.set(`${row} ${entry}`, { row, entry, ...rest });
	}

	/** Makes the rows what they must be, if a write has failed. To be called in a step. @throws RequestError */
	async repair(): Promise<void> {
		const { watched } = processState();
		const watch = watched.get(this.name);
		if (watch === undefined) return;
		for (const [name, { holds }] of watch.expected) {
			if ((await holds?.()) === false) watch.expected.delete(name);
		}
		const all = [...watch.expected.values()];
		for (const row of ['keys', 'details'] as const) {
			const entries = (isThere: boolean) =>
				all.filter((one) => one.row === row && one.isThere === isThere).map(({ entry }) => entry);
			if (entries(true).length > 0) await this.add(row, entries(true));
			if (entries(false).length > 0) await this.remove(row, entries(false));
		}
		if (performance.now() >= watch.untilMs) watched.delete(this.name);
	}

	private row(workflowId: string, name: RowName): DeduplicationRow {
		const row = DeduplicationRow.of(workflowId, `businessData:${this.id}:${name}`);
		if (row !== undefined) return row;
		throw new InvalidSettingError(
			'Send Once Key',
			'this version of n8n has no deduplication store',
			'Update n8n to use this option, or remove it.',
		);
	}

	private async access<T>(access: () => Promise<T>): Promise<T> {
		try {
			return await access();
		} catch (error) {
			this.watch();
			throw storeError(error);
		}
	}

	private watch(): void {
		const { watched } = processState();
		const untilMs = performance.now() + WATCHED_MS;
		const watch = watched.get(this.name);
		if (watch !== undefined) watch.untilMs = untilMs;
		else {
			watched.set(this.name, { untilMs, expected: new Map() });
			this.repairAfter(FIRST_PAUSE_MS);
		}
	}

	private repairAfter(ms: number): void {
		const repair = async () => {
			await this.step(async () => await Promise.resolve()).catch(() => undefined);
			if (processState().watched.has(this.name)) this.repairAfter(2 * ms);
		};
		setTimeout(() => void repair(), ms).unref();
	}
}
