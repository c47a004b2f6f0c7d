/**
 * A proxy in front of a server that can drop traffic, like firewalls, load balancers and networks. Toxiproxy cannot be
 * installed from npm.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

export class TcpProxy {
	private isSwallowing = false;
	private readonly sockets = new Set<Socket>();
	/** Sockets through which nothing passes any more. */
	private readonly forgotten = new Set<Socket>();

	private constructor(
		private readonly server: Server,
		readonly port: number,
		private target: number,
	) {
		server.on('connection', (outside) => this.connect(outside));
	}

	/** @param port of the server on the loopback address */
	static async to(port: number): Promise<TcpProxy> {
		const server = createServer().listen(0, '127.0.0.1');
		await once(server, 'listening');
		return new TcpProxy(server, (server.address() as AddressInfo).port, port);
	}

	/** The number of open connections through it. */
	get connections(): number {
		return this.sockets.size;
	}

	/** Leads new connections to this port; existing ones stay. */
	leadTo(port: number): void {
		this.target = port;
	}

	/** Drops all traffic in both directions: connections stay open and new ones are accepted. */
	swallow(): void {
		this.isSwallowing = true;
		for (const socket of this.sockets) this.forgotten.add(socket);
	}

	/** Lets new connections through again; earlier ones stay silently dead. */
	open(): void {
		this.isSwallowing = false;
	}

	/** Refuses new connections. */
	async refuse(): Promise<void> {
		if (!this.server.listening) return;
		this.server.close();
		await once(this.server, 'close');
	}

	/** Accepts new connections again. */
	accept(): void {
		this.server.listen(this.port, '127.0.0.1');
	}

	async close(): Promise<void> {
		for (const socket of this.sockets) socket.destroy();
		await this.refuse();
	}

	private connect(outside: Socket): void {
		const inside = connect(this.target, '127.0.0.1');
		for (const [from, to] of [
			[outside, inside],
			[inside, outside],
		] as const) {
			this.sockets.add(from);
			if (this.isSwallowing) this.forgotten.add(from);
			from.on('data', (data) => {
				if (!this.forgotten.has(from)) to.write(data);
			});
			from.on('error', () => undefined);
			from.on('close', () => {
				this.sockets.delete(from);
				if (!this.forgotten.delete(from)) to.destroy();
			});
		}
	}
}
