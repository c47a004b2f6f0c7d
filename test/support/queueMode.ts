/**
 * A real n8n in queue mode with this package installed from its tarball: a main process and two workers that share a
 * folder, a PostgreSQL, as n8n recommends for queue mode, and the Redis of n8n's queue.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { endPrograms } from '../../scripts/host/childProcesses';
import { ensureHost, type N8nHost } from '../../scripts/host/installN8n';
import { N8nClient } from '../../scripts/host/n8nClient';
import { type N8nProcess, type N8nRole, startN8n } from '../../scripts/host/n8nProcess';
import { installPackedNode, packNode } from '../../scripts/host/packNode';
import { openUserFolder, type UserFolder } from '../../scripts/host/userFolder';
import { PostgresServer, settingsFor } from './postgresServer';
import { RedisServer } from './redisServer';

const PROJECT_FOLDER = join(__dirname, '..', '..');
const MAIN = 'main';

export const WORKERS = ['worker-1', 'worker-2'] as const;
export type WorkerName = (typeof WORKERS)[number];

const SETTINGS_OF_TESTS = {
	// Half of the six executions of a run, so that each worker gets its share.
	N8N_CONCURRENCY_PRODUCTION_LIMIT: '3',
	// The job of a dead worker is found sooner than with n8n's defaults of 60 s and 30 s.
	QUEUE_WORKER_LOCK_DURATION: '8000',
	QUEUE_WORKER_LOCK_RENEW_TIME: '2000',
	QUEUE_WORKER_STALLED_INTERVAL: '4000',
};

export class QueueMode {
	private readonly processes = new Map<string, N8nProcess>();
	private loggedIn: N8nClient | undefined;

	private constructor(
		private readonly host: N8nHost,
		private readonly userFolder: UserFolder,
		private readonly queueRedis: RedisServer,
		private readonly database: PostgresServer,
		private readonly ownSettings: Record<string, string>,
	) {}

	/**
	 * Prepares n8n; `startAll` starts its processes.
	 * @param settings of all processes, besides those of queue mode
	 */
	static async prepare(settings: Record<string, string> = SETTINGS_OF_TESTS): Promise<QueueMode> {
		const host = await ensureHost({ version: 'n8n-2' });
		const userFolder = await openUserFolder();
		const packed = await packNode(PROJECT_FOLDER, join(userFolder.path, 'packages'));
		await installPackedNode(packed, userFolder.path, host);
		const queueRedis = await RedisServer.start();
		const database = await PostgresServer.start();
		return new QueueMode(host, userFolder, queueRedis, database, { ...settings });
	}

	/**
	 * Starts what is not running: the main process first, which prepares the database.
	 * @param settings from now on, besides the present ones
	 */
	async startAll(settings: Record<string, string> = {}): Promise<void> {
		Object.assign(this.ownSettings, settings);
		if (!this.processes.has(MAIN)) {
			const main = await this.start(MAIN, 'start');
			this.loggedIn = new N8nClient(main.url);
			await this.loggedIn.logInAsOwner(this.userFolder.owner);
		}
		const missing = WORKERS.filter((name) => !this.processes.has(name));
		await Promise.all(missing.map(async (name) => await this.start(name, 'worker')));
	}

	/** Stops the main process and the workers, as a user does. */
	async stopAll(): Promise<void> {
		await Promise.all([...this.processes.values()].map(async (process) => await process.stop()));
		this.processes.clear();
	}

	/** Kills a worker with SIGKILL. */
	async killWorker(name: WorkerName): Promise<void> {
		await this.processes.get(name)?.kill();
		this.processes.delete(name);
	}

	/** The client of the owner, logged in to the main process. */
	get client(): N8nClient {
		if (this.loggedIn === undefined) throw new Error('n8n was not started');
		return this.loggedIn;
	}

	webhookUrl(path: string): string {
		return `${this.processes.get(MAIN)?.url}/webhook/${path}`;
	}

	/** All output of a worker. */
	logOf(worker: WorkerName): string {
		return readFileSync(join(this.userFolder.logFolder, `n8n-${worker}.log`), 'utf8');
	}

	/** The IDs of the executions that a worker has started, by its log. */
	executionsOf(worker: WorkerName): string[] {
		const begun = this.logOf(worker).matchAll(/Worker started execution (\d+)/g);
		return [...begun].map(([, id]) => id ?? '');
	}

	/** Stops everything and removes its data. */
	async dispose(): Promise<void> {
		await this.stopAll();
		// Programs that were still starting when something failed.
		await endPrograms();
		await this.queueRedis.dispose();
		await this.database.dispose();
		await this.userFolder.dispose();
	}

	private async start(name: string, role: N8nRole): Promise<N8nProcess> {
		const { host, userFolder } = this;
		const process = await startN8n({ host, userFolder, role, name, environment: this.settings() });
		this.processes.set(name, process);
		return process;
	}

	private settings(): Record<string, string> {
		return {
			EXECUTIONS_MODE: 'queue',
			N8N_DISABLE_UI: 'true',
			// Manual executions run in the main process, unless a test sets it otherwise.
			OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'false',
			QUEUE_BULL_REDIS_HOST: '127.0.0.1',
			QUEUE_BULL_REDIS_PORT: String(this.queueRedis.port),
			...settingsFor(this.database.port),
			...this.ownSettings,
		};
	}
}
