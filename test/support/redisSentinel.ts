/**
 * A real primary with a replica and three Sentinels. All clients, including the Sentinels, reach the two servers through
 * proxies, so a server whose proxy drops traffic is lost for all.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { RedisAddress } from '../../nodes/BusinessData/redis';
import { redisCommand, RedisServer, withReplication } from './redisServer';
import { type ReachedServer, Topology } from './redisTopologies';
import { TcpProxy } from './tcpProxy';

const GROUP = 'our-group';
const SENTINELS = 3;
const QUORUM = 2;

export class RedisSentinel extends Topology {
	private readonly folder = mkdtempSync(join(tmpdir(), 'sentinels-'));
	private readonly sentinels: RedisServer[] = [];

	private constructor(
		servers: ReachedServer[],
		password: string,
		private readonly sentinelPassword: string,
	) {
		super(servers, password);
	}

	/** @param downAfterMs how long a server must be silent before another takes over */
	static async start(
		password: string,
		sentinelPassword: string,
		downAfterMs: number,
	): Promise<RedisSentinel> {
		const servers: ReachedServer[] = [];
		for (const isReplica of [false, true]) {
			const proxy = await TcpProxy.to(0);
			const server = await RedisServer.start([
				...withReplication(password),
				...['--replica-announce-ip', '127.0.0.1', '--replica-announce-port', String(proxy.port)],
			]);
			proxy.leadTo(server.port);
			if (isReplica) {
				// Not in its configuration, because it may be the primary when it is restarted.
				const follow = ['REPLICAOF', '127.0.0.1', String(servers[0]?.proxy.port)];
				await redisCommand(server.port, password, ...follow);
			}
			servers.push({ server, proxy });
		}
		const group = new RedisSentinel(servers, password, sentinelPassword);
		await group.startSentinels(downAfterMs);
		await group.untilWhole();
		return group;
	}

	get address(): RedisAddress {
		const { password, sentinelPassword } = this;
		return {
			topology: 'sentinel',
			group: GROUP,
			database: 0,
			tls: false,
			sentinelPassword,
			user: '',
			password,
			nodes: this.sentinels.map(({ port }) => ({ host: '127.0.0.1', port })),
		};
	}

	/** The primary according to the Sentinels. */
	async primary(): Promise<ReachedServer> {
		const address = await Promise.any(this.askSentinels('GET-MASTER-ADDR-BY-NAME'));
		return this.behind(Number(address.split('\n')[1]));
	}

	/** Whether one server follows the other, and all Sentinels agree. */
	protected async isWhole(): Promise<boolean> {
		const roles = await Promise.all(
			this.servers.map(async ({ server }) => await this.ask(server, 'INFO', 'replication')),
		);
		const states = await Promise.all(this.askSentinels('MASTER'));
		const signs = [/^flags\nmaster$/m, /^num-slaves\n1$/m, /^num-other-sentinels\n2$/m];
		return (
			roles.some((role) => role.includes('master_link_status:up')) &&
			states.every((state) => signs.every((sign) => sign.test(state)))
		);
	}

	override async dispose(): Promise<void> {
		for (const sentinel of this.sentinels) await sentinel.dispose();
		await super.dispose();
		rmSync(this.folder, { recursive: true, force: true });
	}

	private async startSentinels(downAfterMs: number): Promise<void> {
		const [primary] = this.servers;
		for (let number = 1; number <= SENTINELS; number++) {
			// Sentinels write their state to it.
			const file = join(this.folder, `sentinel-${number}.conf`);
			const lines = [
				`requirepass ${this.sentinelPassword}`,
				`sentinel sentinel-pass ${this.sentinelPassword}`,
				`sentinel monitor ${GROUP} 127.0.0.1 ${primary?.proxy.port} ${QUORUM}`,
				`sentinel auth-pass ${GROUP} ${this.password}`,
				`sentinel down-after-milliseconds ${GROUP} ${downAfterMs}`,
				`sentinel failover-timeout ${GROUP} 3000`,
			];
			writeFileSync(file, `${lines.join('\n')}\n`);
			this.sentinels.push(await RedisServer.startSentinel(file));
		}
	}

	/** The responses of all Sentinels about the group. */
	private askSentinels(command: string): Array<Promise<string>> {
		return this.sentinels.map(
			async ({ port }) =>
				await redisCommand(port, this.sentinelPassword, 'SENTINEL', command, GROUP),
		);
	}
}
