/**
 * n8n's deduplication store in memory: in n8n it is a table of the database, here only its contract.
 * One for all engines of a test file, as n8n has one.
 */
import { DataDeduplicationService } from 'n8n-core';
import type {
	DeduplicationItemTypes,
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IDataDeduplicator,
	IDeduplicationOutput,
} from 'n8n-workflow';

type Scope = Parameters<IDataDeduplicator['checkProcessedAndRecord']>[1];

class DeduplicatorInMemory implements IDataDeduplicator {
	readonly entries = new Map<string, DeduplicationItemTypes[]>();

	async checkProcessedAndRecord(
		items: DeduplicationItemTypes[],
		scope: Scope,
		contextData: ICheckProcessedContextData,
		{ maxEntries = Infinity }: ICheckProcessedOptions,
	): Promise<IDeduplicationOutput> {
		const known = this.of(scope, contextData);
		const processed = items.filter((item) => known.includes(item));
		const fresh = items.filter((item) => !known.includes(item));
		known.push(...fresh);
		known.splice(0, Math.max(0, known.length - maxEntries));
		return await Promise.resolve({ new: fresh, processed });
	}

	async removeProcessed(
		items: DeduplicationItemTypes[],
		scope: Scope,
		contextData: ICheckProcessedContextData,
	): Promise<void> {
		const known = this.of(scope, contextData);
		for (const item of items) {
			if (known.includes(item)) known.splice(known.indexOf(item), 1);
		}
		await Promise.resolve();
	}

	async clearAllProcessedItems(): Promise<void> {
		await Promise.resolve(this.entries.clear());
	}

	async getProcessedDataCount(
		scope: Scope,
		contextData: ICheckProcessedContextData,
	): Promise<number> {
		return await Promise.resolve(this.of(scope, contextData).length);
	}

	private of(scope: Scope, { workflow, node }: ICheckProcessedContextData) {
		const key = `${workflow.id} ${scope === 'node' ? node?.name : ''}`;
		const known = this.entries.get(key) ?? [];
		this.entries.set(key, known);
		return known;
	}
}

/** Gives the engine a deduplication store; returns it to look at. */
export async function useDeduplicator(): Promise<DeduplicatorInMemory> {
	const deduplicator = new DeduplicatorInMemory();
	await DataDeduplicationService.init(deduplicator);
	return deduplicator;
}
