// Starts the real n8n of the contenders, with the packed node and the benchmark's own nodes: as one process, or in queue
// mode with two workers.
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Cleanup } from '../scripts/cleanup';
import { endPrograms } from '../scripts/host/childProcesses';
import { ensureHost, type N8nHost } from '../scripts/host/installN8n';
import { N8nClient } from '../scripts/host/n8nClient';
import { startN8n } from '../scripts/host/n8nProcess';
import { installPackedNode, packNode } from '../scripts/host/packNode';
import { withProgress } from '../scripts/host/progress';
import { openUserFolder } from '../scripts/host/userFolder';
import { QueueMode, WORKERS } from '../test/support/queueMode';
import { RedisServer } from '../test/support/redisServer';
import { compileContenders } from './compileContenders';

const PROJECT_FOLDER = join(__dirname, '..');

/** A running n8n. */
export interface Instance {
	versions: { n8n: string; nodeOfN8n: string };
	/** A client that is signed in as the owner. */
	client: N8nClient;
	webhookUrl(path: string): string;
	/** Only in queue mode. */
	queue?: {
		/** The port of the Redis on 127.0.0.1 for the limits. */
		redisPort: number;
		/** The IDs of the executions that each worker has begun. */
		executionsByWorker(): string[][];
	};
	stop(): Promise<void>;
}

function versionsOf({ n8nVersion, nodePath }: N8nHost): Instance['versions'] {
	const nodeOfN8n = execFileSync(nodePath, ['--version'], { encoding: 'utf8' }).trim().slice(1);
	return { n8n: n8nVersion, nodeOfN8n };
}

/**
 * Starts n8n as one process. Build the package before.
 * @param cleanup stops everything again, even if the start fails
 */
export async function startOneProcess(cleanup: Cleanup): Promise<Instance> {
	const host = await ensureHost({ version: 'n8n-2' });
	const userFolder = await openUserFolder();
	cleanup.add(() => userFolder.dispose());
	cleanup.add(endPrograms);
	await withProgress('Installing the packed node into n8n', async () => {
		const packed = await packNode(PROJECT_FOLDER, join(userFolder.path, 'packages'));
		await installPackedNode(packed, userFolder.path, host);
	});
	const environment = { N8N_CUSTOM_EXTENSIONS: await compileContenders(cleanup) };
	const n8n = await withProgress(`Starting n8n ${host.n8nVersion}`, () =>
		startN8n({ host, userFolder, environment }),
	);
	cleanup.add(() => n8n.stop());
	const client = new N8nClient(n8n.url);
	await client.logInAsOwner(userFolder.owner);
	return {
		versions: versionsOf(host),
		client,
		webhookUrl: (path) => `${n8n.url}/webhook/${path}`,
		stop: () => n8n.stop(),
	};
}

/** Throws if queue mode cannot start on this machine, before anything is measured. */
export function checkQueueMode(): void {
	const { error } = spawnSync('redis-server', ['--version']);
	if (error === undefined) return;
	const remedy = 'Install it, or name other work items with --only.';
	throw new Error(`Queue mode needs redis-server. ${remedy}`, { cause: error });
}

/**
 * Starts n8n in queue mode, with a separate Redis for the limits. Build the package before.
 * @param cleanup stops everything again, even if the start fails
 * @param executionsAtOnce how many executions a worker runs concurrently
 */
export async function startQueueMode(
	cleanup: Cleanup,
	executionsAtOnce: number,
): Promise<Instance> {
	const host = await ensureHost({ version: 'n8n-2' });
	const limitsRedis = await RedisServer.start();
	cleanup.add(() => limitsRedis.dispose());
	const n8n = await withProgress('Starting n8n in queue mode', async () => {
		const queueMode = await QueueMode.prepare({
			N8N_CONCURRENCY_PRODUCTION_LIMIT: String(executionsAtOnce),
			N8N_CUSTOM_EXTENSIONS: await compileContenders(cleanup),
		});
		cleanup.add(() => queueMode.dispose());
		await queueMode.startAll();
		return queueMode;
	});
	return {
		versions: versionsOf(host),
		client: n8n.client,
		webhookUrl: (path) => n8n.webhookUrl(path),
		queue: {
			redisPort: limitsRedis.port,
			executionsByWorker: () => WORKERS.map((worker) => n8n.executionsOf(worker)),
		},
		stop: () => n8n.stopAll(),
	};
}
