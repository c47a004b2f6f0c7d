/** The program of an `EngineProcess`: runs what it is told to, until it is killed. */
import { startDeduplicator } from './deduplicator';
import { Engine, readRun } from './engine';
import {
	type FromProcess,
	type RemoteTable,
	TABLE_ACCESSES,
	type TableAccess,
	type ToProcess,
} from './engineProcess';
import { endOf, overlapWorkflow } from './overlapWorkflow';
import type { ProcessedDataRepository } from './processedData';

type Reported<Kind> = Extract<ToProcess, { kind: Kind }>;

const tell = (message: FromProcess) => process.send?.(message);

/** The accesses to the table in the parent process that have no reply yet. */
const accesses = new Map<number, (reply: Reported<'accessed'>) => void>();
let lastAccess = 0;

async function accessTable(access: TableAccess, parameters: unknown[]): Promise<unknown> {
	const id = ++lastAccess;
	const { error, value } = await new Promise<Reported<'accessed'>>((resolve) => {
		accesses.set(id, resolve);
		tell({ kind: 'access', id, access, parameters });
	});
	accesses.delete(id);
	if (error !== undefined) throw new Error(error);
	return value;
}

const table = Object.fromEntries(
	TABLE_ACCESSES.map((access) => [
		access,
		async (...parameters: unknown[]) => await accessTable(access, parameters),
	]),
) as RemoteTable;

const stops = new Map<number, () => void>();

async function start(engine: Engine, { id, task, timeoutSeconds, credential }: Reported<'start'>) {
	const workflow = overlapWorkflow(task, timeoutSeconds);
	const execution = engine.start(workflow, { key: credential });
	stops.set(id, () => execution.cancel());
	try {
		tell({ kind: 'ended', id, end: endOf(readRun(await execution), task) });
	} catch (error) {
		tell({ kind: 'failed', id, error: String(error) });
	} finally {
		stops.delete(id);
	}
}

async function main(): Promise<void> {
	const complain = (reason: unknown) => tell({ kind: 'complaint', words: String(reason) });
	for (const event of ['unhandledRejection', 'uncaughtException', 'warning']) {
		process.on(event, complain);
	}
	// Never outlives its parent.
	process.once('disconnect', () => process.exit());
	const engine = await Engine.load();
	await startDeduplicator(table as unknown as ProcessedDataRepository);
	process.on('message', (message: ToProcess) => {
		if (message.kind === 'start') void start(engine, message);
		if (message.kind === 'stop') stops.get(message.id)?.();
		if (message.kind === 'accessed') accesses.get(message.id)?.(message);
	});
	tell({ kind: 'ready' });
}

void main();
