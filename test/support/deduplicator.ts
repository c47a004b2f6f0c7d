/**
 * n8n's own deduplication store over a table with latency, see `processedData.ts`. All engines of a test file share
 * one, as in n8n.
 */
import { DataDeduplicationService } from 'n8n-core';

import { loadDeduplicator } from './loadDeduplicator';
import { ProcessedDataRepository } from './processedData';
import type { ProcessedRows } from './processedRows';

/** Gives the engines of a test file n8n's deduplication store. Returns its table for inspection and faults. */
export function useDeduplicator(): ProcessedDataRepository {
	const table = new ProcessedDataRepository();
	beforeAll(async () => await startDeduplicator(table));
	beforeEach(() => table.clear());
	return table;
}

/** n8n refuses a second initialization, and `test/mutation` loads several test files as one. */
let initialized: Promise<void> | undefined;
let current: ProcessedRows | undefined;

export async function startDeduplicator(table: ProcessedRows): Promise<void> {
	current = table;
	await (initialized ??= loadDeduplicator(() => current).then(
		async (deduplicator) => await DataDeduplicationService.init(deduplicator),
	));
}
