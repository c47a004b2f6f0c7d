/** A service whose connections the test handles in raw bytes, with a journal of what reached it. */
import { once } from 'node:events';
import {
	type AddressInfo,
	createServer as createTcpServer,
	type Server,
	type Socket,
} from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** Handles a connection; the data received so far is in `received`. */
export type Handle = (socket: Socket, connection: Connection) => void;

export interface Connection {
	/** The data received so far, decrypted if there is TLS. */
	received: string;
}

export class RawService {
	readonly connections: Connection[] = [];
	private readonly sockets = new Set<Socket>();

	private constructor(
		private readonly server: Server,
		private readonly isSecure: boolean,
	) {}

	/** @param tls if given, `handle` gets connections after their handshake */
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
