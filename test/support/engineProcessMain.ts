/** The program of an `EngineProcess`: runs what it is told to, until it is killed. */
import { NODE } from './bench';
import { startDeduplicator } from './deduplicator';
import { Engine } from './engine';
import {
	type ExecutionEnd,
	type FromProcess,
	type RemoteTable,
	TABLE_ACCESSES,
	type TableAccess,
	type Task,
	type ToProcess,
} from './engineProcess';
import { workflowOf } from './engineWorkflow';
import { apiRequest } from './parameters';
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

/** @throws when it has not told something of every item */
async function run(engine: Engine, task: Task): Promise<ExecutionEnd> {
	const { keys, timeoutSeconds, credential, workflowId: id } = task;
	const parameters = {
		...apiRequest('POST', '/sandbox/echo', {
			sendOnceKey: '={{ $json.key }}',
			timeout: timeoutSeconds,
		}),
		dataMode: 'autoMapInputData',
	};
	const items = keys.map((key) => ({ key }));
	const workflow = workflowOf(items, parameters, { onError: 'continueRegularOutput' });
	const result = await engine.run({ ...workflow, id }, { key: credential });
	const ends = result.items(NODE).map(({ json, error }) => {
		if (error !== undefined) return error.context.outcome === 'unknown' ? 'unknown' : 'failed';
		return json.skipped === true ? 'skipped' : 'sent';
	});
	if (ends.length === keys.length) return ends;
	throw new Error(`${ends.length} of ${keys.length} items came out, status ${result.run.status}`);
}

async function start(engine: Engine, { id, task }: Reported<'start'>) {
	try {
		tell({ kind: 'ended', id, end: await run(engine, task) });
	} catch (error) {
		tell({ kind: 'failed', id, error: String(error) });
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
		if (message.kind === 'accessed') accesses.get(message.id)?.(message);
	});
	tell({ kind: 'ready' });
}

void main();
