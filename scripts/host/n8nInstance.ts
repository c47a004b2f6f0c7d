// An n8n with this package, in a folder of its own: a main process and, in queue mode, workers.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cleanup } from '../cleanup';
import { endPrograms } from './childProcesses';
import type { HostName } from './hosts';
import { ensureHost, type N8nHost } from './installN8n';
import { N8nClient } from './n8nClient';
import { type N8nProcess, startN8n } from './n8nProcess';
import { installThisPackage } from './packPackage';
import { openUserFolder, type UserFolder } from './userFolder';

/** The name of the main process. */
const MAIN = 'start';

/** Without its editor and its task runner, the process for Code nodes, n8n starts faster. */
const FAST_START = {
	N8N_DISABLE_UI: 'true',
	N8N_RUNNERS_MODE: 'external',
	N8N_RUNNERS_AUTH_TOKEN: 'unused',
};

/** An installed n8n, and a folder for its data with this package in it. */
export interface Installation {
	host: N8nHost;
	userFolder: UserFolder;
}

/**
 * Installs n8n, and this package from its tarball, as a user does. Build the package before.
 * @param cleanup stops all programs and removes the data, even if the installation fails
 */
export async function prepareN8n(
	cleanup: Cleanup,
	version: HostName = 'n8n-2',
): Promise<Installation> {
	const host = await ensureHost({ version });
	const userFolder = await openUserFolder();
	cleanup.add(() => userFolder.dispose());
	cleanup.add(endPrograms);
	await installThisPackage(userFolder.path, host);
	return { host, userFolder };
}

export class N8nInstance {
	readonly host: N8nHost;
	protected readonly userFolder: UserFolder;
	private readonly processes = new Map<string, N8nProcess>();
	private readonly environment: Record<string, string>;
	private signedIn: N8nClient | undefined;

	/**
	 * @param environment settings of all processes
	 * @param workers their names
	 */
	constructor(
		{ host, userFolder }: Installation,
		environment: Record<string, string> = {},
		private readonly workers: readonly string[] = [],
	) {
		this.host = host;
		this.userFolder = userFolder;
		this.environment = { ...environment };
	}

	get isRunning(): boolean {
		return this.processes.has(MAIN);
	}

	/** The address of the editor. */
	get url(): string {
		const main = this.processes.get(MAIN);
		if (main === undefined) throw new Error('n8n is not running');
		return main.url;
	}

	/** A client that is signed in as the owner of the instance. */
	get client(): N8nClient {
		if (this.signedIn === undefined) throw new Error('n8n is not running');
		return this.signedIn;
	}

	/** Everything that a process has logged since its first start. */
	log(name = MAIN): string {
		return readFileSync(join(this.userFolder.logFolder, `n8n-${name}.log`), 'utf8');
	}

	/** The IDs of the executions that a worker has started, by its log. */
	executionsOf(worker: string): string[] {
		const begun = this.log(worker).matchAll(/Worker started execution (\d+)/g);
		return [...begun].map(([, id]) => id ?? '');
	}

	/**
	 * Starts what is not running: the main process first, which prepares the database.
	 * @param settings from now on, besides the present ones
	 */
	async startAgain(settings: Record<string, string> = {}): Promise<void> {
		Object.assign(this.environment, settings);
		if (!this.isRunning) {
			await this.start(MAIN);
			this.signedIn = new N8nClient(this.url);
			await this.signedIn.logInAsOwner(this.userFolder.owner);
		}
		const missing = this.workers.filter((name) => !this.processes.has(name));
		await Promise.all(missing.map((name) => this.start(name)));
	}

	/** Stops all processes as a user does, with SIGTERM. */
	async end(): Promise<void> {
		await Promise.all([...this.processes.values()].map((process) => process.stop()));
		this.processes.clear();
		this.signedIn = undefined;
	}

	/** Kills a process, as a power failure does: it cannot save or finish anything. */
	async kill(name = MAIN): Promise<void> {
		const process = this.processes.get(name);
		if (process === undefined) throw new Error(`${name} is not running`);
		await process.kill();
		// What is left of it.
		await process.stop();
		this.processes.delete(name);
	}

	private async start(name: string): Promise<void> {
		const { host, userFolder, environment } = this;
		const role = name === MAIN ? 'start' : 'worker';
		const process = await startN8n({
			host,
			userFolder,
			role,
			name,
			environment: { ...FAST_START, ...environment },
		});
		this.processes.set(name, process);
	}
}
