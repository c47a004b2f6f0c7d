/**
 * The keys that a node has sent, in n8n's deduplication store: for good, as far as the node remembers. The
 * store reads the record, changes it and writes it back without a lock, and has no way to only look. Here
 * each step on the record has its turn, and none comes between the parts of another.
 */
import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';

import { RequestError } from '../../transport/requestError';
import { unusable } from './options';
import { inTurn, isToBeRepaired, repair, repairLater } from './processState';
import { retried } from './retried';

type Store = Pick<
	IExecuteFunctions['helpers'],
	'checkProcessedAndRecord' | 'removeProcessed' | 'getProcessedDataCount'
>;

/** Runs a step on the record when no other process is at it. */
export type RecordLock = <T>(step: () => Promise<T>) => Promise<T>;

const MODE: ICheckProcessedOptions = { mode: 'entries' };
/** How long (ms) to wait before each further try to find out what became of a write that failed. */
const PAUSES_MS = [100, 500, 2_000];

export class NodeRecord {
	private readonly store: Store;

	/** @throws InvalidSettingError where n8n has no store */
	constructor(
		/** Stands for the node in its workflow. */
		private readonly name: string,
		{ helpers }: Pick<IExecuteFunctions, 'helpers'>,
		/** How many keys are remembered. */
		private readonly maxEntries: number,
		/** Undefined where no other process changes the record. */
		private readonly lock: RecordLock | undefined,
	) {
		if (typeof (helpers as Partial<Store>).checkProcessedAndRecord !== 'function') {
			throw unusable(
				'this version of n8n has no deduplication store',
				'Update n8n to use this option, or remove it.',
			);
		}
		this.store = helpers;
	}

	/** Whether the key is on record; leaves no trace. @throws RequestError when the store fails */
	async has(key: string): Promise<boolean> {
		try {
			return await this.step(async (count) => {
				if (!(await this.record(key, count))) return true;
				this.takeBack(key);
				await repair(this.name);
				return false;
			});
		} catch (error) {
			// Before anybody hears of it, in case this process ends then.
			await retried(async () => await this.mend(), PAUSES_MS).catch(() => undefined);
			throw error;
		}
	}

	/**
	 * Puts the key on record, and forgets the oldest where there are too many.
	 * @returns false when it was there
	 * @throws RequestError when the store fails; the key is not on record then, unless it was before
	 */
	async add(key: string): Promise<boolean> {
		return await this.step(async (count) => {
			const isNew = await this.record(key, count);
			// Many at once, because the store writes all keys each time.
			const most = this.maxEntries + Math.floor(this.maxEntries / 100);
			if (isNew && count >= most) await this.forgetOldest();
			return isNew;
		});
	}

	/** Leaves a key to be taken back, because it was not sent: by `mend`, or before the next step. */
	takeBack(key: string): void {
		repairLater(this.name, async () => await this.remove(key));
	}

	/** Does what was left to be done. @throws RequestError when the store fails */
	async mend(): Promise<void> {
		if (isToBeRepaired(this.name)) await this.step(async () => await Promise.resolve());
	}

	/** Runs a step in its turn, with the number of keys before it. @throws RequestError */
	private async step<T>(work: (count: number) => Promise<T>): Promise<T> {
		const step = async () => {
			try {
				await repair(this.name);
				return await work(await this.count());
			} catch (error) {
				throw storeError(error);
			}
		};
		const { lock } = this;
		return await inTurn(this.name, lock === undefined ? step : async () => await lock(step));
	}

	/** Puts the key on record. Returns false when it was there. */
	private async record(key: string, countBefore: number): Promise<boolean> {
		try {
			const { processed } = await this.store.checkProcessedAndRecord([key], 'node', MODE);
			return processed.length === 0;
		} catch (error) {
			await this.undo(key, countBefore);
			throw error;
		}
	}

	/** An error may have come after the key was written: then there is one more than before. Never rejects. */
	private async undo(key: string, countBefore: number): Promise<void> {
		const undo = async () => {
			if ((await this.count()) > countBefore) await this.remove(key);
		};
		try {
			await retried(undo, PAUSES_MS);
		} catch {
			// When other processes have had their turn, the count says nothing: the key counts as it stands.
			if (this.lock === undefined) repairLater(this.name, undo);
		}
	}

	/** What fails here is done with the next key. */
	private async forgetOldest(): Promise<void> {
		const options = { ...MODE, maxEntries: this.maxEntries };
		await this.store.checkProcessedAndRecord([], 'node', options).catch(() => undefined);
	}

	private async count(): Promise<number> {
		return await this.store.getProcessedDataCount('node', MODE);
	}

	private async remove(key: string): Promise<void> {
		await this.store.removeProcessed([key], 'node', MODE);
	}
}

function storeError(error: unknown): RequestError {
	const words = error instanceof Error ? error.message : String(error);
	return new RequestError(`Send Once Key: n8n's deduplication store failed (${words})`, {
		outcome: 'notSent',
		description:
			"Nothing was sent for this item, because nobody could tell whether it was sent before. Check n8n's database, then run the node again.",
	});
}
