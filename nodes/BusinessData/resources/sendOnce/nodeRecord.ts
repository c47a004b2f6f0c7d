/**
 * The keys that a node has sent, in n8n's deduplication store: for good, as far as the node remembers. The
 * store reads the record, changes it and writes it back without a lock, and has no way to only look. Here
 * each step on the record has its turn, and none comes between the parts of another.
 */
import type { ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';

import { RequestError } from '../../transport/requestError';
import { unusable } from './options';
import { inTurn, repair, repairLater } from './processState';

type Store = Pick<
	IExecuteFunctions['helpers'],
	'checkProcessedAndRecord' | 'removeProcessed' | 'getProcessedDataCount'
>;

/** Runs a step on the record when no other process is at it. */
export type RecordLock = <T>(step: () => Promise<T>) => Promise<T>;

const MODE: ICheckProcessedOptions = { mode: 'entries' };
/** How long (ms) to wait before each further try to take a key back. */
const REMOVAL_RETRIES_MS = [100, 500, 2_000];

export class NodeRecord {
	private readonly store: Store;

	/** @throws InvalidSettingError where n8n has no store */
	constructor(
		/** Stands for the node in its workflow. */
		private readonly name: string,
		{ helpers }: Pick<IExecuteFunctions, 'helpers'>,
		/** How many keys are remembered. */
		private readonly maxEntries: number,
		private readonly lock: RecordLock,
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
		return await this.step(async (count) => {
			if (!(await this.record(key, count))) return true;
			try {
				await this.remove(key);
			} catch (error) {
				repairLater(this.name, async () => await this.remove(key));
				throw error;
			}
			return false;
		});
	}

	/**
	 * Puts the key on record, and forgets the oldest where there are too many.
	 * @returns false when it was there
	 * @throws RequestError when the store fails; the key is not on record then, unless it was before
	 */
	async add(key: string): Promise<boolean> {
		return await this.step(async (count) => {
			const isNew = await this.record(key, count);
			if (isNew && count >= this.maxEntries) {
				await this.store.checkProcessedAndRecord([], 'node', {
					...MODE,
					maxEntries: this.maxEntries,
				});
			}
			return isNew;
		});
	}

	/** Takes the key back, because it was not sent. What the store refuses is done before its next step. */
	async takeBack(key: string): Promise<void> {
		const remove = async () => await this.step(async () => await this.remove(key));
		for (const delayMs of [...REMOVAL_RETRIES_MS, undefined]) {
			try {
				return await remove();
			} catch {
				if (delayMs === undefined) repairLater(this.name, async () => await this.remove(key));
				else await new Promise((resolve) => setTimeout(resolve, delayMs));
			}
		}
	}

	/** Runs a step in its turn, with the number of keys before it. @throws RequestError */
	private async step<T>(work: (count: number) => Promise<T>): Promise<T> {
		return await inTurn(
			this.name,
			async () =>
				await this.lock(async () => {
					try {
						await repair(this.name);
						return await work(await this.count());
					} catch (error) {
						throw storeError(error);
					}
				}),
		);
	}

	/** Puts the key on record. Returns false when it was there. */
	private async record(key: string, countBefore: number): Promise<boolean> {
		try {
			const { processed } = await this.store.checkProcessedAndRecord([key], 'node', MODE);
			return processed.length === 0;
		} catch (error) {
			// The error may have come after the key was written: then there is one more than before.
			repairLater(this.name, async () => {
				if ((await this.count()) > countBefore) await this.remove(key);
			});
			throw error;
		}
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
