/**
 * A real primary and replica with TLS certificates of a private authority, behind one address that leads to the primary,
 * as in managed Redis. The certificates are for a name, not for that address.
 */
import type { RedisAddress } from '../../nodes/BusinessData/redis';
import { PrivateAuthority } from './privateAuthority';
import { RedisServer, withReplication } from './redisServer';
import { type ReachedServer, Topology } from './redisTopologies';
import { TcpProxy } from './tcpProxy';

const SERVER_NAME = 'redis.our-company.example';

export class RedisTls extends Topology {
	override readonly isWatched = false;

	private constructor(
		private readonly authority: PrivateAuthority,
		/** The primary comes first; both have the same proxy. */
		servers: [ReachedServer, ReachedServer],
		password: string,
	) {
		super(servers, password, true);
	}

	static async start(password: string): Promise<RedisTls> {
		const authority = new PrivateAuthority();
		const certificate = authority.settingsFor(SERVER_NAME);
		const start = async () =>
			await RedisServer.start((port) => [...withReplication(password), ...certificate(port)]);
		const [primary, replica] = await Promise.all([start(), start()]);
		const proxy = await TcpProxy.to(primary.port);
		const servers = [primary, replica].map((server) => ({ server, proxy }));
		const tls = new RedisTls(authority, servers as [ReachedServer, ReachedServer], password);
		await tls.untilWhole();
		return tls;
	}

	get address(): RedisAddress {
		return {
			topology: 'standalone',
			user: '',
			password: this.password,
			database: 0,
			nodes: [{ host: '127.0.0.1', port: this.pair[0].proxy.port }],
			tls: true,
			tlsServerName: SERVER_NAME,
			tlsCa: this.authority.certificate,
		};
	}

	async primary(): Promise<ReachedServer> {
		return await Promise.resolve(this.pair[0]);
	}

	/** The demoted server keeps its connections, but refuses writes. */
	override async failOver(): Promise<void> {
		const [{ server, proxy }] = this.pair.reverse() as typeof this.pair;
		await this.ask(server, 'REPLICAOF', 'NO', 'ONE');
		proxy.leadTo(server.port);
		await this.follow();
	}

	protected async isWhole(): Promise<boolean> {
		await this.follow();
		const role = await this.ask(this.pair[1].server, 'INFO', 'replication');
		return role.includes('master_link_status:up');
	}

	override async dispose(): Promise<void> {
		await super.dispose();
		this.authority.dispose();
	}

	private get pair() {
		return this.servers as [ReachedServer, ReachedServer];
	}

	private async follow(): Promise<void> {
		const [primary, replica] = this.pair;
		await this.ask(replica.server, 'REPLICAOF', '127.0.0.1', String(primary.server.port));
	}
}
