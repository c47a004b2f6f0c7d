/**
 * n8n's deduplication store: n8n's own code in each process, on one database table that all processes share. Every
 * access takes time, and nothing locks a row between reading and writing.
 */
import { join } from 'node:path';

import { ProcessedRows, type RowAccess } from '../../support/processedRows';
import { load, type ModuleCache } from '../process/modules';
import type { SimulatedProcess } from '../process/simulatedProcess';
import type { Random } from '../world/random';
import type { World } from '../world/world';

export type StoreFault = 'before' | 'after';

export class DeduplicationTable {
	readonly rows = new Map<string, string>();
	readonly random: Random;

	constructor(
		readonly world: World,
		/** How long (ms) an access takes, mostly near the first value. */
		readonly latencyMs: [number, number],
		readonly faultOf: (access: 'read' | 'write') => StoreFault | undefined,
	) {
		this.random = world.random.of('table');
	}

	get text(): string {
		return [...this.rows.values()].join('\n');
	}
}

class TableOfProcess extends ProcessedRows {
	constructor(
		private readonly table: DeduplicationTable,
		private readonly process: SimulatedProcess,
	) {
		super(table.rows, process.realm.global.JSON.parse);
	}

	/** The database executes every statement that it receives, even if the process dies meanwhile. */
	protected async access<T>(access: RowAccess, effect: () => T): Promise<T> {
		const { process } = this;
		const { world, random, latencyMs, faultOf } = this.table;
		const fault = faultOf(access === 'findOne' ? 'read' : 'write');
		const failed = (message: string) => new process.realm.global.Error(message);
		const oneWay = () => random.skewed(...latencyMs) / 2;
		return await new Promise((resolve, reject) => {
			world.after(oneWay(), () => {
				let settle: () => void;
				try {
					if (fault === 'before') throw failed('the database is away');
					const value = effect();
					if (fault === 'after') throw failed('the connection to the database was lost');
					settle = () => resolve(value);
				} catch (thrown) {
					const error = thrown as Error;
					settle = () => reject(error);
				}
				world.after(oneWay(), settle, process);
			});
		});
	}
}

/**
 * Loads n8n's `DeduplicationHelper` into a process, whose nodes use it through n8n-core.
 * @param sources the folder with n8n's own files
 */
export function loadDeduplicator(
	process: SimulatedProcess,
	table: DeduplicationTable,
	sources: string,
): object {
	const { realm } = process;
	const repository = new TableOfProcess(table, process);
	const own: ModuleCache = new Map();
	const file = join(sources, 'deduplication', 'deduplication-helper.js');
	const { DeduplicationHelper } = load(file, {
		context: realm.global,
		builtin: (name) => realm.builtin(name),
		cacheOf: () => own,
		patches: [],
		replaced: {
			'n8n-workflow': realm.n8nWorkflow(),
			'@n8n/db': { ProcessedDataRepository: class {} },
			'@n8n/di': { Container: { get: () => repository } },
		},
	}) as { DeduplicationHelper: new () => object };
	return new DeduplicationHelper();
}
