/**
 * A real primary with a replica that speak TLS under a private authority, behind one address that leads to
 * the primary, as managed Redis has it. The certificates are for a name, which is not that address.
 */
import type { RedisAddress } from '../../nodes/BusinessData/redis';
import { PrivateAuthority } from './privateAuthority';
import { redisCommand } from './redisCommand';
import { RedisServer, withReplication } from './redisServer';
import type { ReachedServer, Topology } from './redisTopologies';
import { TcpProxy } from './tcpProxy';
import { waitUntil } from './waitUntil';

const SERVER_NAME = 'redis.our-company.example';

export class RedisTls implements Topology {
	readonly isWatched = false;

	private constructor(
		readonly authority: PrivateAuthority,
		private server: RedisServer,
		private replica: RedisServer,
		private readonly proxy: TcpProxy,
		readonly password: string,
	) {}

	static async start(password: string): Promise<RedisTls> {
		const authority = new PrivateAuthority();
		const certificate = authority.settingsFor(SERVER_NAME);
		const [primary, replica] = await Promise.all(
			[1, 2].map(
				async () =>
					await RedisServer.start((port) => [...withReplication(password), ...certificate(port)]),
			),
		);
		if (primary === undefined || replica === undefined) throw new Error('no servers');
		const proxy = await TcpProxy.to(primary.port);
		const tls = new RedisTls(authority, primary, replica, proxy, password);
		await tls.untilWhole();
		return tls;
	}

	get address(): RedisAddress {
		return {
			topology: 'standalone',
			nodes: [{ host: '127.0.0.1', port: this.proxy.port }],
			database: 0,
			user: '',
			password: this.password,
			tls: true,
			tlsServerName: SERVER_NAME,
			tlsCa: this.authority.certificate,
		};
	}

	async primary(): Promise<ReachedServer> {
		const { server, proxy } = this;
		return await Promise.resolve({ server, proxy });
	}

	/** The other server takes over. The demoted one keeps its connections, and refuses to write. */
	async failOver(): Promise<void> {
		[this.server, this.replica] = [this.replica, this.server];
		await this.ask(this.server, 'REPLICAOF', 'NO', 'ONE');
		this.proxy.leadTo(this.server.port);
		await this.follow();
	}

	async flushAll(): Promise<void> {
		await this.ask(this.server, 'FLUSHALL');
	}

	async untilWhole(): Promise<void> {
		this.proxy.open();
		for (const server of [this.server, this.replica]) {
			if (!server.isRunning) await server.start();
			server.resume();
		}
		await this.follow();
		await waitUntil(async () => {
			const role = await this.ask(this.replica, 'INFO', 'replication');
			return role.includes('master_link_status:up');
		}, 60_000);
	}

	async dispose(): Promise<void> {
		await this.server.dispose();
		await this.replica.dispose();
		await this.proxy.close();
		this.authority.dispose();
	}

	private async follow(): Promise<void> {
		const port = String(this.server.port);
		await this.ask(this.replica, 'REPLICAOF', '127.0.0.1', port);
	}

	async ask(server: RedisServer, ...command: string[]): Promise<string> {
		return await redisCommand(server.port, this.password, '--tls', '--insecure', ...command);
	}
}
