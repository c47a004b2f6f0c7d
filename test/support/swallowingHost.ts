/** A host that drops connection attempts, like an overloaded one or a firewall: a stopped process with a full backlog. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** A server that writes its port, and then a line for each request that reaches it. */
const PROGRAM = `
const server = require('node:net').createServer((socket) => {
	socket.on('error', () => undefined);
	socket.on('data', (data) => console.log(String(data).split('\\r\\n')[0]));
});
server.listen({ port: Number(process.argv[2]), host: process.argv[1], backlog: 1 }, () => console.log(server.address().port));
process.stdin.resume().once('end', () => process.exit());
`;

export class SwallowingHost {
	/** The request lines that have arrived. */
	readonly requests: string[] = [];
	private readonly backlog: Socket[] = [];

	private constructor(
		private readonly child: ChildProcess,
		readonly address: string,
		readonly port: number,
		lines: NodeJS.EventEmitter,
	) {
		lines.on('line', (line: string) => this.requests.push(line));
	}

	static async start(address = '127.0.0.1', port = 0): Promise<SwallowingHost> {
		const child = spawn(process.execPath, ['-e', PROGRAM, address, `${port}`], {
			stdio: ['pipe', 'pipe', 'inherit'],
		});
		const lines = createInterface({ input: child.stdout });
		const [listensOn] = (await once(lines, 'line')) as [string];
		const host = new SwallowingHost(child, address, Number(listensOn), lines);
		child.kill('SIGSTOP');
		while (await host.accepts());
		return host;
	}

	/** Accepts connections again, including those that wait. */
	wakeUp(): void {
		for (const socket of this.backlog) socket.destroy();
		this.child.kill('SIGCONT');
	}

	async stop(): Promise<void> {
		this.wakeUp();
		const gone = once(this.child, 'exit');
		this.child.kill('SIGKILL');
		await gone;
	}

	/** Adds one connection to the backlog. Returns whether there was room. */
	private async accepts(): Promise<boolean> {
		const socket = connect(this.port, this.address).on('error', () => undefined);
		this.backlog.push(socket);
		const connected = once(socket, 'connect').then(() => true);
		connected.catch(() => undefined);
		const timedOut = new Promise<false>((resolve) => setTimeout(resolve, 200, false));
		return await Promise.race([connected, timedOut]);
	}
}
