// Finds ports that nothing listens on.
import { type AddressInfo, createServer } from 'node:net';

function listenOnce(port: number): Promise<number> {
	return new Promise((resolve, reject) => {
		const server = createServer();
		server.once('error', reject);
		server.listen(port, '127.0.0.1', () => {
			const { port: given } = server.address() as AddressInfo;
			server.close(() => resolve(given));
		});
	});
}

/** A port on 127.0.0.1 that is free at this moment. */
export function freePort(): Promise<number> {
	return listenOnce(0);
}

/** Throws an error that says how to go on when a port on 127.0.0.1 is taken. */
export async function assertPortIsFree(port: number): Promise<void> {
	await listenOnce(port).catch((error: unknown) => {
		throw new Error(
			`Port ${port} on 127.0.0.1 cannot be used. Choose another with --port, or leave it out.`,
			{
				cause: error,
			},
		);
	});
}
