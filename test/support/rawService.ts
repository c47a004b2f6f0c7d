/** A service that handles its connections as a test says, in raw bytes, with a journal of what reached it. */
import { once } from 'node:events';
import {
	type AddressInfo,
	createServer as createTcpServer,
	type Server,
	type Socket,
} from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** What is done with a connection; the data that came by it is in `received`. */
export type Handle = (socket: Socket, connection: Connection) => void;

export interface Connection {
	/** What it has carried so far, after TLS where there is TLS. */
	received: string;
}

export class RawService {
	readonly connections: Connection[] = [];
	private readonly sockets = new Set<Socket>();

	private constructor(
		private readonly server: Server,
		private readonly isSecure: boolean,
	) {}

	/** @param tls with it, `handle` gets connections whose handshake is done */
	static async start(handle: Handle, tls?: TlsOptions): Promise<RawService> {
		const server =
			tls === undefined
				? createTcpServer({ allowHalfOpen: true })
				: createTlsServer({ allowHalfOpen: true, ...tls });
		const service = new RawService(server, tls !== undefined);
		server.on('connection', (socket: Socket) => service.keep(socket));
		server.on(tls === undefined ? 'connection' : 'secureConnection', (socket: Socket) => {
			const connection: Connection = { received: '' };
			service.connections.push(connection);
			service.keep(socket);
			socket.on('data', (data) => (connection.received += data.toString('latin1')));
			handle(socket, connection);
		});
		server.listen(0, '127.0.0.1');
		await once(server, 'listening');
		return service;
	}

	get port(): number {
		return (this.server.address() as AddressInfo).port;
	}

	get baseUrl(): string {
		return `${this.isSecure ? 'https' : 'http'}://127.0.0.1:${this.port}`;
	}

	/** The request lines that have arrived. */
	get requests(): string[] {
		return this.connections.flatMap(({ received }) => received.match(/[A-Z]+ \S+ HTTP\/1/g) ?? []);
	}

	async stop(): Promise<void> {
		this.server.close();
		for (const socket of this.sockets) socket.destroy();
		await once(this.server, 'close');
	}

	private keep(socket: Socket): void {
		this.sockets.add(socket);
		socket.on('error', () => undefined);
		socket.on('close', () => this.sockets.delete(socket));
	}
}
