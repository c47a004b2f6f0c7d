/**
 * n8n's deduplication store, with rows of our own. n8n offers a node only its own row, which a copied node loses, and
 * that of its workflow, which Remove Duplicates clears. The service behind both is the same in n8n 1.123 and 2.41.
 */
import type { ICheckProcessedOptions } from 'n8n-workflow';

import { hasMethods } from './services';

const SCOPE = 'node';
const METHODS = ['checkProcessedAndRecord', 'removeProcessed', 'clearAllProcessedItems'] as const;

/** How n8n identifies a row. */
interface RowId {
	node: { id: string };
	workflow: { id: string };
}

type Arguments = [scope: string, row: RowId, options: ICheckProcessedOptions];

interface Service {
	checkProcessedAndRecord(entries: string[], ...of: Arguments): Promise<{ new: unknown[] }>;
	removeProcessed(entries: string[], ...of: Arguments): Promise<void>;
	clearAllProcessedItems(...of: Arguments): Promise<void>;
	/** The part of the service that accesses the rows. */
	deduplicator: {
		findProcessedData(scope: string, row: RowId): Promise<{ value: { data: unknown } } | null>;
		constructor: { createValueHash(entry: string): string };
	};
}

/**
 * A row: a set of texts, kept as hashes in the order in which they were added. n8n changes a row without a lock, but if
 * several processes insert the same new row, only one succeeds.
 */
export class DeduplicationRow {
	private constructor(
		private readonly service: Service,
		private readonly row: RowId,
	) {}

	/** @returns undefined if this n8n has no such store */
	static of(workflowId: string, name: string): DeduplicationRow | undefined {
		try {
			// eslint-disable-next-line @typescript-eslint/no-require-imports -- n8n's, and not there in every n8n
			const { DataDeduplicationService } = require('n8n-core') as {
				DataDeduplicationService: { getInstance(): Service };
			};
			const service = DataDeduplicationService.getInstance();
			const { deduplicator } = service;
			const isKnown =
				hasMethods(service, METHODS) &&
				hasMethods(deduplicator, ['findProcessedData']) &&
				hasMethods(deduplicator.constructor, ['createValueHash']);
			if (!isKnown) return undefined;
			return new DeduplicationRow(service, { node: { id: name }, workflow: { id: workflowId } });
		} catch {
			return undefined;
		}
	}

	/** Adds entries, and returns those that are new. Beyond `most`, the oldest are dropped. */
	async add(entries: string[], most?: number): Promise<string[]> {
		const options = { mode: 'entries' as const, maxEntries: most };
		const checked = await this.service.checkProcessedAndRecord(entries, SCOPE, this.row, options);
		return checked.new as string[];
	}

	async remove(entries: string[]): Promise<void> {
		await this.service.removeProcessed(entries, SCOPE, this.row, { mode: 'entries' });
	}

	/** Deletes the row. */
	async clear(): Promise<void> {
		await this.service.clearAllProcessedItems(SCOPE, this.row, { mode: 'entries' });
	}

	/**
	 * What the row holds, in order: the given entries as text, all others as hashes.
	 * @returns undefined if there is no such row, or it is empty
	 */
	async read(entries: string[]): Promise<unknown[] | undefined> {
		const { deduplicator } = this.service;
		const found = await deduplicator.findProcessedData(SCOPE, this.row);
		const data = found === null ? [] : [found.value.data].flat();
		const hashOf = (entry: string) => deduplicator.constructor.createValueHash(entry);
		const byHash = new Map<unknown, string>(entries.map((entry) => [hashOf(entry), entry]));
		return data.length === 0 ? undefined : data.map((hash) => byHash.get(hash) ?? hash);
	}
}
