/** An address in front of a sandbox: connections are refused until it is opened. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';

export interface Door {
	baseUrl: string;
	/** Lets connections through from now on. */
	open(): Promise<void>;
	close(): Promise<void>;
}

/** A door, closed, in front of what listens at `baseUrl`. */
export async function doorTo(baseUrl: string): Promise<Door> {
	const { hostname, port: inner } = new URL(baseUrl);
	const sockets = new Set<Socket>();
	const server = createServer((outside) => {
		const inside = connect(Number(inner), hostname);
		for (const socket of [outside, inside]) {
			sockets.add(socket);
			socket.once('close', () => sockets.delete(socket));
		}
		pipeline(outside, inside, outside, () => undefined);
	});
	const close = async () => {
		for (const socket of sockets) socket.destroy();
		if (!server.listening) return;
		server.close();
		await once(server, 'close');
	};
	// A port that was free a moment ago.
	server.listen(0, hostname);
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	await close();
	return {
		baseUrl: `http://${hostname}:${port}`,
		open: async () => {
			server.listen(port, hostname);
			await once(server, 'listening');
		},
		close,
	};
}
