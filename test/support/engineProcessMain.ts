/** The program of an `EngineProcess`: runs tasks until it is killed. */
import { NODE } from './bench';
import { startDeduplicator } from './deduplicator';
import { Engine } from './engine';
import { Channel, type ExecutionEnd, type RemoteTable, type Task } from './engineProcess';
import { workflowOf } from './engineWorkflow';
import { apiRequest } from './parameters';
import type { ProcessedDataRepository } from './processedData';

/** @throws if an item has no outcome */
async function run(task: Task): Promise<ExecutionEnd> {
	const { keys, timeoutSeconds, credential, workflowId: id } = task;
	const options = { sendOnceKey: '={{ $json.key }}', timeout: timeoutSeconds };
	const parameters = {
		...apiRequest('POST', '/sandbox/echo', options),
		dataMode: 'autoMapInputData',
	};
	const items = keys.map((key) => ({ key }));
	const workflow = workflowOf(items, parameters, { onError: 'continueRegularOutput' });
	const engine = await Engine.load();
	const result = await engine.run({ ...workflow, id }, { key: credential });
	const ends = result.items(NODE).map(({ json, error }) => {
		if (error !== undefined) return error.context.outcome === 'unknown' ? 'unknown' : 'failed';
		return json.skipped === true ? 'skipped' : 'sent';
	});
	if (ends.length === keys.length) return ends;
	throw new Error(`${ends.length} of ${keys.length} items came out, status ${result.run.status}`);
}

async function main(): Promise<void> {
	const channel = new Channel(process, async (name, [task]) =>
		name === 'run' ? await run(task as Task) : await ready,
	);
	const complain = (reason: unknown) => void channel.call('complain', String(reason));
	for (const event of ['unhandledRejection', 'uncaughtException', 'warning']) {
		process.on(event, complain);
	}
	// It must not outlive its parent.
	process.once('disconnect', () => process.exit());
	const accesses = ['findOne', 'insert', 'update', 'delete'].map((name) => [
		name,
		async (...parameters: unknown[]) => await channel.call(name, ...parameters),
	]);
	const table = Object.fromEntries(accesses) as RemoteTable;
	const ready = Promise.all([
		Engine.load(),
		startDeduplicator(table as unknown as ProcessedDataRepository),
	]).then(() => true);
	await ready;
}

void main();
