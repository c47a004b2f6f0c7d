/** n8n's own deduplication store, over a table of the tests in place of n8n's database. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compileFunction } from 'node:vm';

import type { IDataDeduplicator } from 'n8n-workflow';

import { ensureN8nSources } from '../../scripts/host/n8nSources';
import type { ProcessedRows } from './processedRows';

/** @param table returns the current table */
export async function loadDeduplicator(
	table: () => ProcessedRows | undefined,
): Promise<IDataDeduplicator> {
	const file = join(await ensureN8nSources(), 'deduplication', 'deduplication-helper.js');
	const { DeduplicationHelper } = load(file, {
		'@n8n/db': {},
		'@n8n/di': { Container: { get: table } },
	}) as { DeduplicationHelper: new () => IDataDeduplicator };
	return new DeduplicationHelper();
}

/** Loads a file of n8n as Node.js does, with the packages of the tests except the replaced ones. */
function load(file: string, replaced: Record<string, unknown>): unknown {
	const module = { exports: {} };
	const requireFrom = (name: string): unknown => {
		if (name in replaced) return replaced[name];
		if (name.startsWith('.')) return load(join(dirname(file), `${name}.js`), replaced);
		// eslint-disable-next-line @typescript-eslint/no-require-imports -- named by n8n's file
		return require(name);
	};
	const parameters = ['module', 'exports', 'require'];
	const run = compileFunction(readFileSync(file, 'utf8'), parameters, { filename: file });
	(run as (...values: unknown[]) => void)(module, module.exports, requireFrom);
	return module.exports;
}
