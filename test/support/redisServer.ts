/** A real Redis of the test's own, on a loopback port, in a folder that goes with it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const STARTUP_MS = 10_000;

async function freePort(): Promise<number> {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	server.close();
	await once(server, 'close');
	return port;
}

async function acceptsConnections(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = createConnection(port, '127.0.0.1');
		socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
		socket.once('connect', () => socket.destroy());
	});
}

export class RedisServer {
	private process: ChildProcess | undefined;

	private readonly folder = mkdtempSync(join(tmpdir(), 'redis-'));

	private constructor(
		readonly port: number,
		private readonly settings: string[],
	) {}

	/** @param settings as on the command line, for example `['--requirepass', 'secret']` */
	static async start(settings: string[] = []): Promise<RedisServer> {
		const server = new RedisServer(await freePort(), settings);
		await server.start();
		return server;
	}

	async start(): Promise<void> {
		const settings = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.folder];
		this.process = spawn('redis-server', [...settings, '--appendonly', 'yes', ...this.settings], {
			stdio: 'ignore',
		});
		const deadline = performance.now() + STARTUP_MS;
		while (!(await acceptsConnections(this.port))) {
			if (performance.now() > deadline) throw new Error('redis-server did not start');
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
	}

	/** Ends it; `SIGKILL` gives it no time to save anything beyond what it has written already. */
	async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
		const { process } = this;
		this.process = undefined;
		if (process === undefined) return;
		const ended = once(process, 'exit');
		process.kill(signal);
		await ended;
	}

	/** Ends it and removes its data. */
	async dispose(): Promise<void> {
		await this.stop('SIGKILL');
		rmSync(this.folder, { recursive: true, force: true });
	}
}
