/**
 * A real primary with a replica and three Sentinels that watch over them. Everybody reaches the two servers
 * through proxies, the Sentinels too: a server that is swallowed is lost for all.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import type { RedisAddress } from '../../nodes/BusinessData/redis';
import { redisCommand } from './redisCommand';
import { RedisServer, withReplication } from './redisServer';
import type { ReachedServer, Topology } from './redisTopologies';
import { TcpProxy } from './tcpProxy';
import { waitUntil } from './waitUntil';

const GROUP = 'our-group';
const SENTINELS = 3;
const QUORUM = 2;

export class RedisSentinel implements Topology {
	readonly isWatched = true;

	private readonly folder = mkdtempSync(join(tmpdir(), 'sentinels-'));

	private readonly sentinels: RedisServer[] = [];

	private constructor(
		private readonly servers: ReachedServer[],
		readonly password: string,
		readonly sentinelPassword: string,
	) {}

	/** @param downAfterMs how long a server has to be silent until another takes over */
	static async start(
		password: string,
		sentinelPassword: string,
		downAfterMs: number,
	): Promise<RedisSentinel> {
		const servers: ReachedServer[] = [];
		for (const isReplica of [false, true]) {
			const proxy = await TcpProxy.to(0);
			const [primary] = servers;
			const server = await RedisServer.start([
				...withReplication(password),
				...['--replica-announce-ip', '127.0.0.1', '--replica-announce-port', String(proxy.port)],
			]);
			proxy.leadTo(server.port);
			if (isReplica) {
				// Not for good: when it is restarted, it may be the primary.
				await redisCommand(
					server.port,
					password,
					...['REPLICAOF', '127.0.0.1', String(primary?.proxy.port)],
				);
			}
			servers.push({ server, proxy });
		}
		const group = new RedisSentinel(servers, password, sentinelPassword);
		await group.startSentinels(downAfterMs);
		await group.untilWhole();
		return group;
	}

	get address(): RedisAddress {
		return {
			topology: 'sentinel',
			nodes: this.sentinels.map(({ port }) => ({ host: '127.0.0.1', port })),
			group: GROUP,
			sentinelPassword: this.sentinelPassword,
			user: '',
			password: this.password,
			database: 0,
			tls: false,
		};
	}

	/** The one that the Sentinels name. */
	async primary(): Promise<ReachedServer> {
		const [, port] = (await this.askSentinels('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', GROUP)).split(
			'\n',
		);
		const found = this.servers.find(({ proxy }) => proxy.port === Number(port));
		if (found === undefined) throw new Error(`no server behind the port ${port}`);
		return found;
	}

	async ask(server: RedisServer, ...command: string[]): Promise<string> {
		return await redisCommand(server.port, this.password, ...command);
	}

	async failOver(): Promise<void> {
		await (await this.primary()).server.stop('SIGKILL');
	}

	async flushAll(): Promise<void> {
		await this.ask((await this.primary()).server, 'FLUSHALL');
	}

	/** Both servers run, one follows the other, and all Sentinels agree. */
	async untilWhole(): Promise<void> {
		for (const { server, proxy } of this.servers) {
			proxy.open();
			if (!server.isRunning) await server.start();
			server.resume();
		}
		await waitUntil(async () => {
			const roles = await Promise.all(
				this.servers.map(async ({ server }) => await this.ask(server, 'INFO', 'replication')),
			);
			const isLinked = roles.some((role) => role.includes('master_link_status:up'));
			const states = await Promise.all(
				this.sentinels.map(
					async ({ port }) =>
						await redisCommand(port, this.sentinelPassword, 'SENTINEL', 'MASTER', GROUP),
				),
			);
			return (
				isLinked &&
				states.every((state) => /^flags\nmaster$/m.test(state)) &&
				states.every((state) => /^num-slaves\n1$/m.test(state)) &&
				states.every((state) => /^num-other-sentinels\n2$/m.test(state))
			);
		}, 60_000);
	}

	async dispose(): Promise<void> {
		for (const sentinel of this.sentinels) await sentinel.dispose();
		for (const { server, proxy } of this.servers) {
			await server.dispose();
			await proxy.close();
		}
		rmSync(this.folder, { recursive: true, force: true });
	}

	private async startSentinels(downAfterMs: number): Promise<void> {
		const [primary] = this.servers;
		for (let number = 1; number <= SENTINELS; number++) {
			// They keep in it what they learn.
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

	private async askSentinels(...command: string[]): Promise<string> {
		const asked = this.sentinels.map(
			async ({ port }) => await redisCommand(port, this.sentinelPassword, ...command),
		);
		return await Promise.any(asked);
	}
}
