// A real n8n on PostgreSQL. Statements wait for a lock, and then fail, or take effect seconds after their error.
import { PostgresServer, settingsFor } from '../support/postgresServer';
import { TcpProxy } from '../support/tcpProxy';
import { databaseTests } from './databaseTests';
import { useRealN8n } from './useRealN8n';

const TABLE = 'processed_data';
const BETWEEN_MS = 100;

let server: PostgresServer;
let proxy: TcpProxy;
const real = useRealN8n('n8n-2', async (cleanup) => {
	server = await PostgresServer.start();
	cleanup.add(async () => await server.dispose());
	proxy = await TcpProxy.to(server.port);
	cleanup.add(async () => await proxy.close());
	return settingsFor(proxy.port);
});

/** Makes writes wait for a lock, and disturbs the waiting ones periodically. Returns the function that ends this. */
async function disturbWrites(disturb: (waiting: string) => Promise<void> | void) {
	const unlock = await server.lock(TABLE);
	const waiting = `FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%${TABLE}%'`;
	let isOver = false;
	const disturbing = (async () => {
		while (!isOver) {
			await disturb(waiting);
			await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
		}
	})();
	return async () => {
		isOver = true;
		await disturbing;
		await unlock();
	};
}

databaseTests(
	real,
	'writes that fail',
	async () =>
		await disturbWrites((waiting) => void server.query(`SELECT pg_cancel_backend(pid) ${waiting}`)),
);

databaseTests(real, 'writes that land after their error', async () => {
	let landing = 0;
	const unlock = await disturbWrites(async (waiting) => {
		const count = Number(server.query(`SELECT count(*) ${waiting}`));
		if (count <= landing) return;
		landing = count;
		// The server does not notice that its client is gone until the lock is released.
		await proxy.close();
		proxy.accept();
	});
	return async () => {
		await unlock();
		expect(landing).toBeGreaterThan(0);
	};
});
