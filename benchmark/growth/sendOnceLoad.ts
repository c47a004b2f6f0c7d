/** Measures the cost of a Send Once Key per item when many keys are remembered. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ensureHost } from '../../scripts/host/installN8n';
import { startDeduplicator } from '../../test/support/deduplicator';
import type { Engine } from '../../test/support/engine';
import { send } from '../../test/support/parameters';
import type { ProcessedDataRepository } from '../../test/support/processedData';
import { loadNode, type NodeLoad } from './nodeLoad';

type Row = Parameters<ProcessedDataRepository['insert']>[0];
type Table = Pick<ProcessedDataRepository, 'find' | 'findOne' | 'insert' | 'update' | 'delete'>;

export interface SendOnceLoad {
	withoutKey: NodeLoad;
	withKey: NodeLoad;
	/** With a key: reads and writes of the table per item, and entries per write. */
	reads: number;
	writes: number;
	entriesPerWrite: number;
	/** Without a key: all reads and writes of the table. */
	withoutKeyUses: number;
}

const REMEMBERED = 50_000;
/** Enough to create nearly all lists of keys. */
const SENT_FIRST = 200;

/** Sends items without a key and with one, when the table remembers many other keys. */
export async function loadSendOnce(
	engine: Engine,
	table: Table,
	items: number,
): Promise<SendOnceLoad> {
	const uses = { reads: 0, writes: 0, entries: 0 };
	const { findOne, insert, update, delete: remove } = table;
	table.findOne = async (...args) => {
		uses.reads++;
		return await findOne.apply(table, args);
	};
	const countWrite = (row?: Row) => {
		uses.writes++;
		uses.entries += row?.value.data.length ?? 0;
	};
	table.insert = async (row) => {
		countWrite(row);
		await insert.call(table, row);
	};
	table.update = async (where, row) => {
		countWrite(row);
		await update.call(table, where, row);
	};
	table.delete = async (where) => {
		countWrite();
		await remove.call(table, where);
	};
	await startDeduplicator(table as ProcessedDataRepository);
	await loadNode(engine, send({ sendOnceKey: '=first {{ $json.id }}' }), SENT_FIRST);
	const lists = (await table.find()).filter(({ context }) => /:keys:\d+$/.test(context));
	for (const row of lists) {
		const { workflowId, context } = row;
		const count = Math.floor(REMEMBERED / lists.length);
		const keys = Array.from({ length: count }, () => randomUUID().slice(0, 24));
		await update.call(
			table,
			{ workflowId, context },
			{ ...row, value: { ...row.value, data: keys } },
		);
		const value = { mode: 'entries', data: ['token', 'known', 'content'] };
		await Promise.all(
			keys.map(async (key) => {
				const rowOfKey = { ...row, context: context.replace(/keys:\d+$/, key), value };
				await insert.call(table, rowOfKey);
			}),
		);
	}
	Object.assign(uses, { reads: 0, writes: 0, entries: 0 });
	const withoutKey = await loadNode(engine, send(), items);
	const withoutKeyUses = uses.reads + uses.writes;
	const withKey = await loadNode(engine, send({ sendOnceKey: '=then {{ $json.id }}' }), items);
	const reads = (uses.reads - withoutKeyUses) / items;
	const writes = uses.writes / items;
	return {
		withoutKey,
		withKey,
		withoutKeyUses,
		reads,
		writes,
		entriesPerWrite: uses.entries / uses.writes,
	};
}

/** Like `loadSendOnce`, in n8n's own SQLite. It must run on the Node.js of that n8n. */
export async function loadSqlite(engine: Engine, items: number): Promise<SendOnceLoad> {
	const { modulesFolder } = await ensureHost({ version: 'n8n-2' });
	const load = createRequire(join(modulesFolder, 'n8n', 'package.json'));
	const { DataSource } = load('@n8n/typeorm') as {
		DataSource: new (options: object) => { initialize(): Promise<unknown> };
	};
	const { ProcessedData, ProcessedDataRepository: Repository } = load('@n8n/db') as {
		ProcessedData: unknown;
		ProcessedDataRepository: new (source: object) => Table;
	};
	const folder = mkdtempSync(join(tmpdir(), 'send-once-'));
	const source = new DataSource({
		// n8n's own settings.
		type: 'sqlite-pooled',
		poolSize: 3,
		enableWAL: true,
		acquireTimeout: 60_000,
		destroyTimeout: 5_000,
		entities: [ProcessedData],
		synchronize: true,
		database: join(folder, 'database.sqlite'),
	});
	try {
		await source.initialize();
		return await loadSendOnce(engine, new Repository(source), items);
	} finally {
		rmSync(folder, { recursive: true });
	}
}
