// Finds ports that nothing listens on.
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

async function listenOnce(port: number): Promise<number> {
	const server = createServer().listen(port, '127.0.0.1');
	await once(server, 'listening');
	const { port: found } = server.address() as AddressInfo;
	await once(server.close(), 'close');
	return found;
}

const given = new Set<number>();

/**
 * A port on 127.0.0.1 that is free at this moment. No port is given twice: the system would do so while
 * the first program that is to listen there is still starting.
 */
export async function freePort(): Promise<number> {
	let port = await listenOnce(0);
	while (given.has(port)) port = await listenOnce(0);
	given.add(port);
	return port;
}

/** Throws an error that says how to go on when a port on 127.0.0.1 is taken. */
export async function assertPortIsFree(port: number): Promise<void> {
	await listenOnce(port).catch((cause: unknown) => {
		throw new Error(
			`Port ${port} on 127.0.0.1 cannot be used. Choose another with --port, or leave it out.`,
			{ cause },
		);
	});
}
