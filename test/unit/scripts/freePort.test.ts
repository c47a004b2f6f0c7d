/** Ports for servers of tests and of `npm start`. */
import { once } from 'node:events';
import { createServer } from 'node:net';

import { assertPortIsFree, freePort } from '../../../scripts/host/freePort';

test('a port is given once, as who asked for it may not listen yet', async () => {
	const ports: number[] = [];
	for (let count = 0; count < 500; count += 1) ports.push(await freePort());
	expect(new Set(ports).size).toBe(ports.length);
	// From there on, systems take ports for outgoing connections, also while a program starts.
	expect(Math.max(...ports)).toBeLessThan(32_768);
});

test('a port that is taken is an error that says how to go on', async () => {
	const port = await freePort();
	await expect(assertPortIsFree(port)).resolves.toBeUndefined();
	const server = createServer().listen(port, '127.0.0.1');
	await once(server, 'listening');
	await expect(assertPortIsFree(port)).rejects.toThrow(
		`Port ${port} on 127.0.0.1 cannot be used. Choose another with --port`,
	);
	await once(server.close(), 'close');
});
