// Finds free ports. get-port has no CommonJS build; with it and portfinder, parallel jest workers try the same
// ports.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Above the ports that browsers refuse, and below those that systems use for outgoing connections. */
const PORTS = { from: 11_000, to: 32_768 };
const MOST_TRIES = 1_000;

async function listenOnce(port: number): Promise<void> {
	const server = createServer().listen(port, '127.0.0.1');
	await once(server, 'listening');
	await once(server.close(), 'close');
}

const given = new Set<number>();

/**
 * A port on 127.0.0.1 that is free now. No port is returned twice, and none that the system may use for a connection
 * before the program listens there.
 */
export async function freePort(): Promise<number> {
	for (let tries = 0; tries < MOST_TRIES; tries++) {
		const port = randomInt(PORTS.from, PORTS.to);
		if (given.has(port)) continue;
		given.add(port);
		const isFree = await listenOnce(port).then(
			() => true,
			() => false,
		);
		if (isFree) return port;
	}
	throw new Error(`None of ${MOST_TRIES} ports on 127.0.0.1 was free.`);
}

/** @throws an error that says how to fix it if a port on 127.0.0.1 is taken */
export async function assertPortIsFree(port: number): Promise<void> {
	await listenOnce(port).catch((cause: unknown) => {
		throw new Error(
			`Port ${port} on 127.0.0.1 cannot be used. Choose another with --port, or leave it out.`,
			{ cause },
		);
	});
}
