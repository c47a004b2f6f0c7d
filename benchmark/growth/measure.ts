/** Runs one measurement in this process, and prints the result as JSON. */
import { Engine } from '../../test/support/engine';
import { inMs } from '../../test/support/scaledLimits';
import { DOCUMENTED_LIMITS } from './built';
import { median } from './figures';
import { type Load, memoryOfIdleKeys, memoryOfQueue, processorTimePerRequest } from './limiterLoad';
import { loadNode, loadNodeOverHttp, OPERATIONS } from './nodeLoad';
import { loadSqlite } from './sendOnceLoad';
import { loadPolls, type PollParameters } from './pollLoad';
import { loadRedis, startCluster, startServer } from './redisLoad';

const ROUNDS = 9;
const REQUESTS_PER_ROUND = 500;
const MANY = 10_000;
const ITEMS_OVER_HTTP = 3_000;
const ITEMS_WITH_KEY = 1_000;
/** As many as a machine can carry, so that the shards get similar shares. */
const REDIS_KEYS = 50;
const REDIS_SECONDS = 10;

async function node(operation: string, load: typeof loadNode, items: number) {
	const engine = await Engine.load();
	const parameters = OPERATIONS[operation] ?? {};
	await load(engine, parameters, items / 10);
	return await load(engine, parameters, items);
}

/** By name. Each takes one parameter as JSON. */
const measurements = {
	processorTime: async (load: Load) =>
		median(await processorTimePerRequest(load, ROUNDS, REQUESTS_PER_ROUND)),
	queue: async (manyRuns: boolean) => await memoryOfQueue(MANY, manyRuns),
	idleKeys: async () =>
		await memoryOfIdleKeys(MANY, {
			general: DOCUMENTED_LIMITS.general.map(inMs),
			endpoints: {},
		}),
	node: async (operation: string) => await node(operation, loadNode, MANY),
	nodeOverHttp: async (operation: string) =>
		await node(operation, loadNodeOverHttp, ITEMS_OVER_HTTP),
	sendOnce: async () => await loadSqlite(await Engine.load(), ITEMS_WITH_KEY),
	polls: async (parameters: PollParameters) => await loadPolls(await Engine.load(), parameters),
	redis: async (isCluster: boolean) =>
		await loadRedis(isCluster ? startCluster : startServer, REDIS_KEYS, REDIS_SECONDS),
};

export type Measurements = typeof measurements;

if (require.main === module) {
	const [name = '', parameter = 'null'] = process.argv.slice(2);
	const measurement = Reflect.get(measurements, name) as (value: unknown) => Promise<unknown>;
	measurement(JSON.parse(parameter)).then(
		(figures) => {
			process.stdout.write(JSON.stringify(figures));
			process.exit(0);
		},
		(error: unknown) => {
			console.error(error);
			process.exit(1);
		},
	);
}
