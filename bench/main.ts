// `npm run bench`: compares the node with what else a user of n8n can do about the limits, in one real
// n8n, and writes docs/benchmark.md and its plots from what was measured. Build the package before.
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from '../scripts/cleanup';
import { withProgress } from '../scripts/host/progress';
import { runToEnd } from '../scripts/runToEnd';
import { BenchN8n } from './benchN8n';
import { BENCH_HELP, type BenchOptions, readBenchOptions } from './commandLine';
import { goalsTable, pageOf } from './page';
import { writePage } from './writePage';
import type { BenchmarkResults, ItemResult } from './results';
import { runRound } from './runRound';
import { WARM_UP, type WorkItem } from './workItems';

async function packageVersion(): Promise<string> {
	const manifest = await readFile(join(__dirname, '..', 'package.json'), 'utf8');
	return (JSON.parse(manifest) as { version: string }).version;
}

async function runAll(workItems: WorkItem[], cleanup: Cleanup): Promise<BenchmarkResults> {
	const startedAt = performance.now();
	const n8n = await BenchN8n.start(cleanup);
	await withProgress('Warming up', (note) => runRound(n8n, [WARM_UP], note));
	const items: ItemResult[] = [];
	for (const round of new Set(workItems.map((item) => item.round))) {
		const ofRound = workItems.filter((item) => item.round === round);
		const title = ofRound.map((item) => item.title).join('; ');
		items.push(...(await withProgress(title, (note) => runRound(n8n, ofRound, note))));
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
