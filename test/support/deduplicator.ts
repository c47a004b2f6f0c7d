/**
 * n8n's own deduplication store over a table with latency, see `processedData.ts`. One for all engines of
 * a test file, as n8n has one.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compileFunction } from 'node:vm';

import { Container } from '@n8n/di';
import { DataDeduplicationService } from 'n8n-core';
import type { IDataDeduplicator } from 'n8n-workflow';

import { ensureN8nSources } from '../../scripts/host/n8nSources';
import { ProcessedDataRepository } from './processedData';

/** Gives the engines of a test file n8n's deduplication store; returns its table, to look at and to disturb. */
export function useDeduplicator(): ProcessedDataRepository {
	const table = new ProcessedDataRepository();
	beforeAll(async () => await startDeduplicator(table));
	beforeEach(() => table.clear());
	return table;
}

/** n8n refuses a second time; `test/mutation` loads several test files as one. */
let initialized: Promise<void> | undefined;

export async function startDeduplicator(table: ProcessedDataRepository): Promise<void> {
	const file = join(await ensureN8nSources(), 'deduplication', 'deduplication-helper.js');
	const { DeduplicationHelper } = load(file) as {
		DeduplicationHelper: new () => IDataDeduplicator;
	};
	Container.set(ProcessedDataRepository, table);
	await (initialized ??= DataDeduplicationService.init(new DeduplicationHelper()));
}

/** Loads a file of n8n as Node does, with the table in place of n8n's database and the tests' packages. */
function load(file: string): unknown {
	const module = { exports: {} };
	const requireFrom = (name: string): unknown => {
		if (name === '@n8n/db') return { ProcessedDataRepository };
		if (name.startsWith('.')) return load(join(dirname(file), `${name}.js`));
		// eslint-disable-next-line @typescript-eslint/no-require-imports -- named by n8n's file
		return require(name);
	};
	const parameters = ['module', 'exports', 'require'];
	const run = compileFunction(readFileSync(file, 'utf8'), parameters, { filename: file });
	(run as (...values: unknown[]) => void)(module, module.exports, requireFrom);
	return module.exports;
}
