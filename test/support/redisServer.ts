/** A real Redis for one test, on a loopback port, in a folder that is removed with it. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { Redis } from 'ioredis';

import type { RedisAddress } from '../../nodes/BusinessData/redis';
import { startProgram } from '../../scripts/host/childProcesses';
import { freePort } from '../../scripts/host/freePort';
import { waitUntil } from './waitUntil';

const LONGEST_COMMAND_MS = 60_000;

/** The output of Debian's `redis-cli` for a command to a server. @throws if it fails */
export async function redisCommand(
	port: number,
	password: string,
	...command: string[]
): Promise<string> {
	const environment = { ...process.env, REDISCLI_AUTH: password };
	const { stdout } = await promisify(execFile)(
		'redis-cli',
		['-h', '127.0.0.1', '-p', String(port), ...command],
		{ env: environment, timeout: LONGEST_COMMAND_MS, killSignal: 'SIGKILL' },
	);
	return stdout.trim();
}

/** The settings of servers that speak TLS only, by their port. */
export type TlsSettings = (port: number) => string[];

/** Settings of a server with replicas: without a disk, and quick to notice that one is lost. */
export function withReplication(password: string): string[] {
	return [
		...['--requirepass', password, '--masterauth', password],
		...['--appendonly', 'no', '--save', ''],
		...['--repl-timeout', '3', '--repl-ping-replica-period', '1'],
		...['--repl-diskless-sync-delay', '0'],
	];
}

async function acceptsConnections(port: number): Promise<boolean> {
	const socket = createConnection(port, '127.0.0.1');
	await once(socket, 'connect');
	socket.destroy();
	return true;
}

export class RedisServer {
	private program: ReturnType<typeof startProgram> | undefined;

	private constructor(
		readonly port: number,
		private readonly folder: string,
		private readonly parameters: string[],
	) {}

	/** @param file the configuration, which the Sentinel changes */
	static async startSentinel(file: string): Promise<RedisServer> {
		return await RedisServer.startWith((place) => [file, '--sentinel', ...place]);
	}

	/** @param settings as on the command line, for example `['--requirepass', 'secret']` */
	static async start(settings: string[] | ((port: number) => string[]) = []): Promise<RedisServer> {
		return await RedisServer.startWith((place, port) => {
			const own = Array.isArray(settings) ? settings : settings(port);
			return [...place, '--appendonly', 'yes', ...own];
		});
	}

	/** @param parametersOf adds the rest of the command line to these parameters for port and folder */
	private static async startWith(
		parametersOf: (place: string[], port: number) => string[],
	): Promise<RedisServer> {
		const port = await freePort();
		const folder = mkdtempSync(join(tmpdir(), 'redis-'));
		const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
		const server = new RedisServer(port, folder, parametersOf(place, port));
		await server.start();
		return server;
	}

	/** The address in the credential of a single Redis. */
	address(password = '', port = this.port): RedisAddress {
		const nodes = [{ host: '127.0.0.1', port }];
		return { topology: 'standalone', nodes, user: '', password, tls: false };
	}

	/** A connection to it that survives its restart. */
	client(password?: string): Redis {
		const redis = new Redis({ port: this.port, password, retryStrategy: () => 50 });
		return redis.on('error', () => undefined);
	}

	async start(): Promise<void> {
		this.program = startProgram('redis-server', this.parameters, { stdio: 'ignore' });
		await waitUntil(async () => await acceptsConnections(this.port));
	}

	/** Stops it. After `SIGKILL`, only what it had written before is saved. */
	async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
		const { program } = this;
		this.program = undefined;
		program?.child.kill(signal);
		await program?.ended;
	}

	/** Whether it was started and not stopped. */
	get isRunning(): boolean {
		return this.program !== undefined;
	}

	/** Suspends it, so that it responds to nothing while its connections stay open. */
	pause(): void {
		this.program?.child.kill('SIGSTOP');
	}

	resume(): void {
		this.program?.child.kill('SIGCONT');
	}

	/** Removes its files. It must be stopped. */
	forget(): void {
		rmSync(this.folder, { recursive: true, force: true });
		mkdirSync(this.folder);
	}

	/** Stops it and removes its data. */
	async dispose(): Promise<void> {
		await this.stop('SIGKILL');
		rmSync(this.folder, { recursive: true, force: true });
	}
}
