/**
 * n8n's own deduplication store over a table with latency, see `processedData.ts`. One for all engines of
 * a test file, as n8n has one.
 */
import { DataDeduplicationService } from 'n8n-core';

import { loadDeduplicator } from './loadDeduplicator';
import { ProcessedDataRepository } from './processedData';
import type { ProcessedRows } from './processedRows';

/** Gives the engines of a test file n8n's deduplication store; returns its table, to look at and to disturb. */
export function useDeduplicator(): ProcessedDataRepository {
	const table = new ProcessedDataRepository();
	beforeAll(async () => await startDeduplicator(table));
	beforeEach(() => table.clear());
	return table;
}

/** n8n refuses a second time; `test/mutation` loads several test files as one. */
let initialized: Promise<void> | undefined;
let current: ProcessedRows | undefined;

export async function startDeduplicator(table: ProcessedRows): Promise<void> {
	current = table;
	await (initialized ??= loadDeduplicator(() => current).then(
		async (deduplicator) => await DataDeduplicationService.init(deduplicator),
	));
}
