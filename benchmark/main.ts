// `npm run bench` compares the node with other ways to keep limits in a real n8n, and writes docs/benchmark.md and its
// plots from the results. Work items can be named, as in `npm run bench -- reads-30-50ms sends`; their results are only
// printed. Build the package before. Queue mode needs redis-server.
import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import manifest from '../package.json';
import type { Cleanup } from '../scripts/cleanup';
import { N8nInstance, prepareN8n } from '../scripts/host/n8nInstance';
import { withProgress } from '../scripts/host/progress';
import { runToEnd } from '../scripts/runToEnd';
import { startQueueMode, WORKERS } from '../test/support/queueMode';
import { RedisServer } from '../test/support/redisServer';
import { BenchmarkN8n } from './benchmarkN8n';
import { goalsTable, pageOf } from './page';
import { writePage } from './writePage';
import type { BenchmarkResults, ItemResult } from './results';
import { runRound } from './runRound';
import { WARM_UP, WARM_UP_IN_QUEUE_MODE, WORK_ITEMS, type WorkItem } from './workItems';

const SETTINGS = {
	// For the benchmark's own nodes.
	N8N_CUSTOM_EXTENSIONS: join(__dirname, 'contenders'),
	// So many that no execution waits for another to end.
	N8N_CONCURRENCY_PRODUCTION_LIMIT: '100',
};

async function startOneProcess(cleanup: Cleanup): Promise<N8nInstance> {
	const { N8N_CUSTOM_EXTENSIONS } = SETTINGS;
	const instance = new N8nInstance(await prepareN8n(cleanup), { N8N_CUSTOM_EXTENSIONS });
	cleanup.add(() => instance.end());
	await instance.startAgain();
	return instance;
}

/** Runs work items in an n8n in queue mode, with a separate Redis for the limits. */
async function runInQueueMode(items: WorkItem[], cleanup: Cleanup): Promise<ItemResult[]> {
	const redis = await RedisServer.start();
	cleanup.add(() => redis.dispose());
	const instance = await startQueueMode(cleanup, SETTINGS);
	const n8n = new BenchmarkN8n(instance, WORKERS, redis.port);
	await runRound(n8n, [WARM_UP_IN_QUEUE_MODE]);
	const results = await runRound(n8n, items);
	await instance.end();
	return results;
}

async function runAll(workItems: WorkItem[], cleanup: Cleanup): Promise<BenchmarkResults> {
	const startedAt = performance.now();
	const instance = await withProgress('Starting n8n', () => startOneProcess(cleanup));
	const n8n = new BenchmarkN8n(instance);
	await withProgress('Warming up', () => runRound(n8n, [WARM_UP]));
	const items: ItemResult[] = [];
	// Queue mode first, so that problems with its start show before the rest is measured.
	const inQueueMode = workItems.filter((item) => item.inQueueMode);
	for (const round of new Set([...inQueueMode, ...workItems].map((item) => item.round))) {
		const ofRound = workItems.filter((item) => item.round === round);
		const title = ofRound.map((item) => item.title).join('; ');
		const isInQueueMode = ofRound.some((item) => item.inQueueMode);
		const run = async () =>
			await (isInQueueMode ? runInQueueMode(ofRound, cleanup) : runRound(n8n, ofRound));
		items.push(...(await withProgress(title, run)));
	}
	const { n8nVersion, nodePath } = instance.host;
	const nodeOfN8n = execFileSync(nodePath, ['--version'], { encoding: 'utf8' }).trim().slice(1);
	return {
		versions: {
			package: manifest.version,
			n8n: n8nVersion,
			nodeOfN8n,
			node: process.versions.node,
		},
		cpuCount: availableParallelism(),
		minutes: (performance.now() - startedAt) / 60_000,
		items,
	};
}

runToEnd(async (cleanup) => {
	const named = process.argv.slice(2);
	const items = WORK_ITEMS.filter(({ id }) => named.length === 0 || named.includes(id));
	if (items.length < named.length) {
		throw new Error(`The work items are: ${WORK_ITEMS.map(({ id }) => id).join(', ')}`);
	}
	const results = await runAll(items, cleanup);
	if (named.length > 0) console.log(`\n${pageOf(results)}`);
	else console.log(`\n${goalsTable(results)}\n\nWritten: ${await writePage(results)}`);
});
