/**
 * n8n's deduplication store: its own code in each process, over one table of the database that all processes
 * share. Every access takes time, and nothing locks a row between reading and writing.
 */
import { join } from 'node:path';

import { load, type ModuleCache } from '../process/modules';
import type { SimulatedProcess } from '../process/simulatedProcess';
import type { Random } from '../world/random';
import type { World } from '../world/world';

interface Row {
	workflowId: string;
	context: string;
	value: { mode: string; data: string[] };
}

type Key = Pick<Row, 'workflowId' | 'context'>;

/** What goes wrong with an access. */
export type StoreFault = 'before' | 'after';

export interface StoreHooks {
	faultOf(access: 'read' | 'write'): StoreFault | undefined;
}

const keyOf = ({ workflowId, context }: Key) => JSON.stringify([workflowId, context]);

export class DeduplicationTable {
	private readonly rows = new Map<string, string>();

	private readonly random: Random;

	constructor(
		private readonly world: World,
		/** How long (ms) an access takes: mostly near the first. */
		private readonly latencyMs: [number, number],
		private readonly hooks: StoreHooks,
	) {
		this.random = world.random.of('table');
	}

	/** Everything in it, as text. */
	get text(): string {
		return [...this.rows.values()].join('\n');
	}

	/** As n8n's code in a process sees it. */
	repository(process: SimulatedProcess) {
		const access = async <T>(kind: 'read' | 'write', effect: () => T) =>
			await this.access(process, kind, effect);
		return {
			findOne: async ({ where }: { where: Key }): Promise<Row | null> => {
				const row = await access('read', () => this.rows.get(keyOf(where)));
				return row === undefined ? null : (process.realm.global.JSON.parse(row) as Row);
			},
			insert: async (row: Row) => {
				// As it is at the call, not when the database gets to it.
				const text = JSON.stringify(row);
				await access('write', () => {
					if (this.rows.has(keyOf(row)))
						throw new Error('UNIQUE constraint failed: processed_data');
					this.rows.set(keyOf(row), text);
				});
			},
			update: async (where: Key, row: Row) => {
				const text = JSON.stringify(row);
				await access('write', () => {
					if (this.rows.has(keyOf(where))) this.rows.set(keyOf(where), text);
				});
			},
			delete: async (where: Key) => {
				await access('write', () => this.rows.delete(keyOf(where)));
			},
		};
	}

	/** What is sent to the database happens there, whatever becomes of the process meanwhile. */
	private async access<T>(
		process: SimulatedProcess,
		kind: 'read' | 'write',
		effect: () => T,
	): Promise<T> {
		const fault = this.hooks.faultOf(kind);
		const failed = (message: string) => ({ error: new process.realm.global.Error(message) });
		const oneWay = () => this.random.skewed(...this.latencyMs) / 2;
		const outcome = await new Promise<{ value: T } | { error: unknown }>((resolve) => {
			this.world.after(oneWay(), () => {
				const done = fault === 'before' ? failed('the database is away') : attempt(effect);
				const reported =
					fault === 'after' ? failed('the connection to the database was lost') : done;
				this.world.after(oneWay(), () => resolve(reported), process);
			});
		});
		if ('error' in outcome) throw outcome.error;
		return outcome.value;
	}
}

function attempt<T>(effect: () => T): { value: T } | { error: unknown } {
	try {
		return { value: effect() };
	} catch (error) {
		return { error };
	}
}

/** n8n's own helper, which the nodes of a process reach through n8n-core. */
interface Deduplicator {
	checkProcessedAndRecord(...parameters: unknown[]): Promise<unknown>;
	removeProcessed(...parameters: unknown[]): Promise<unknown>;
}

/**
 * n8n's `DeduplicationHelper`, loaded into a process.
 * @param sources the folder with n8n's own files
 */
export function loadDeduplicator(
	process: SimulatedProcess,
	table: DeduplicationTable,
	sources: string,
): Deduplicator {
	const { realm } = process;
	const repository = table.repository(process);
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
	}) as { DeduplicationHelper: new () => Deduplicator };
	return new DeduplicationHelper();
}
