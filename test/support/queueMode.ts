/**
 * A real n8n in queue mode with this package: a main process and two workers that share a folder, a PostgreSQL, as n8n
 * recommends for queue mode, and the Redis of n8n's queue.
 */
import type { Cleanup } from '../../scripts/cleanup';
import { N8nInstance, prepareN8n } from '../../scripts/host/n8nInstance';
import { PostgresServer, settingsFor } from './postgresServer';
import { RedisServer } from './redisServer';

export const WORKERS = ['worker-1', 'worker-2'] as const;

/** @param settings of all processes, besides those of queue mode */
export async function startQueueMode(
	cleanup: Cleanup,
	settings: Record<string, string>,
): Promise<N8nInstance> {
	const redis = await RedisServer.start();
	cleanup.add(async () => await redis.dispose());
	const database = await PostgresServer.start();
	cleanup.add(async () => await database.dispose());
	const environment = {
		EXECUTIONS_MODE: 'queue',
		// Manual executions run in the main process, unless a test sets it otherwise.
		OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'false',
		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(redis.port),
		...settingsFor(database.port),
		...settings,
	};
	const n8n = new N8nInstance(await prepareN8n(cleanup), environment, WORKERS);
	cleanup.add(async () => await n8n.end());
	await n8n.startAgain();
	return n8n;
}
