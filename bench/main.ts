// `npm run bench` compares the node with other ways to keep limits in a real n8n, and writes docs/benchmark.md and its
// plots from the results. Build the package before. Queue mode needs redis-server.
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from '../scripts/cleanup';
import { withProgress } from '../scripts/host/progress';
import { runToEnd } from '../scripts/runToEnd';
import { BenchN8n } from './benchN8n';
import { BENCH_HELP, type BenchOptions, readBenchOptions } from './commandLine';
import { checkQueueMode, startOneProcess, startQueueMode } from './instances';
import { goalsTable, pageOf } from './page';
import { writePage } from './writePage';
import type { BenchmarkResults, ItemResult } from './results';
import { runRound } from './runRound';
import { WARM_UP, WARM_UP_IN_QUEUE_MODE, type WorkItem } from './workItems';

/** So many that no execution waits for another to end. */
const MOST_EXECUTIONS_AT_ONCE = 100;

async function packageVersion(): Promise<string> {
	const manifest = await readFile(join(__dirname, '..', 'package.json'), 'utf8');
	return (JSON.parse(manifest) as { version: string }).version;
}

async function startWarmQueueMode(cleanup: Cleanup): Promise<BenchN8n> {
	const n8n = new BenchN8n(await startQueueMode(cleanup, MOST_EXECUTIONS_AT_ONCE));
	await withProgress('Warming up', (note) => runRound(() => n8n, [WARM_UP_IN_QUEUE_MODE], note));
	return n8n;
}

/** The rounds, with queue mode first, so that problems with its start show before the rest is measured. */
function roundsOf(workItems: WorkItem[]): Set<string> {
	const inQueueMode = workItems.filter((item) => item.inQueueMode);
	return new Set([...inQueueMode, ...workItems].map(({ round }) => round));
}

async function runAll(workItems: WorkItem[], cleanup: Cleanup): Promise<BenchmarkResults> {
	const startedAt = performance.now();
	if (workItems.some(({ inQueueMode }) => inQueueMode)) checkQueueMode();
	const n8n = new BenchN8n(await startOneProcess(cleanup));
	await withProgress('Warming up', (note) => runRound(() => n8n, [WARM_UP], note));
	const items: ItemResult[] = [];
	for (const round of roundsOf(workItems)) {
		const ofRound = workItems.filter((item) => item.round === round);
		const isInQueueMode = ofRound.some(({ inQueueMode }) => inQueueMode);
		const queueN8n = isInQueueMode ? await startWarmQueueMode(cleanup) : undefined;
		const n8nFor = ({ inQueueMode }: WorkItem) => (inQueueMode && queueN8n) || n8n;
		const title = ofRound.map((item) => item.title).join('; ');
		items.push(...(await withProgress(title, (note) => runRound(n8nFor, ofRound, note))));
		await queueN8n?.stop();
	}
	return {
		versions: {
			package: await packageVersion(),
			...n8n.versions,
			node: process.versions.node,
		},
		cpuCount: availableParallelism(),
		minutes: (performance.now() - startedAt) / 60_000,
		items,
	};
}

async function bench(options: BenchOptions, cleanup: Cleanup): Promise<void> {
	const results =
		options.from === undefined
			? await runAll(options.items, cleanup)
			: (JSON.parse(await readFile(options.from, 'utf8')) as BenchmarkResults);
	if (options.save !== undefined) await writeFile(options.save, JSON.stringify(results));
	if (options.isWhole) {
		const file = await writePage(results);
		console.log(`\n${goalsTable(results)}\n\nWritten: ${file}`);
	} else {
		console.log(`\n${pageOf(results)}`);
	}
}

runToEnd(async (cleanup) => {
	const options = readBenchOptions(process.argv.slice(2));
	if (options.help) console.log(BENCH_HELP);
	else await bench(options, cleanup);
});
