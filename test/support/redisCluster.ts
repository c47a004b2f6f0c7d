/**
 * A real cluster for one test: three primaries with a replica each, made by `redis-cli --cluster create`. Clients reach
 * every server through a proxy that can drop traffic; the cluster bus bypasses it.
 */
import { setTimeout as pause } from 'node:timers/promises';

import type { RedisAddress } from '../../nodes/BusinessData/redis';
import { freePort } from '../../scripts/host/freePort';
import { RedisServer, type TlsSettings, withReplication } from './redisServer';
import { type ReachedServer, Topology } from './redisTopologies';
import { TcpProxy } from './tcpProxy';

const PRIMARIES = 3;
const SERVERS = 2 * PRIMARIES;
/** How long a server must be silent before another takes over. */
const NODE_TIMEOUT_MS = 4_000;

/** The keys whose shard holds the counts. */
const COUNTED = '*:slots:general';
/** How long (ms) before keys move to another shard, and again before their slot does. */
const RESHARDING_MS = 1_000;

interface ClusterServer extends ReachedServer {
	busPort: number;
}

export class RedisCluster extends Topology<ClusterServer> {
	/** @param tls for servers that speak TLS only */
	static async start(password: string, tls?: TlsSettings): Promise<RedisCluster> {
		const servers: ClusterServer[] = [];
		for (let count = 0; count < SERVERS; count++) {
			const busPort = await freePort();
			// Its target is known only once the server listens.
			const proxy = await TcpProxy.to(0);
			const server = await RedisServer.start((port) => [
				...['--cluster-enabled', 'yes', '--cluster-port', String(busPort)],
				...['--cluster-node-timeout', String(NODE_TIMEOUT_MS)],
				...[`--cluster-announce-${tls === undefined ? 'port' : 'tls-port'}`, String(proxy.port)],
				...withReplication(password),
				...(tls?.(port) ?? []),
			]);
			proxy.leadTo(server.port);
			servers.push({ server, proxy, busPort });
		}
		const cluster = new RedisCluster(servers, password, tls !== undefined);
		const nodes = servers.map(({ server, busPort }) => `127.0.0.1:${server.port}@${busPort}`);
		const create = ['--cluster', 'create', ...nodes, '--cluster-replicas', '1', '--cluster-yes'];
		for (const { server } of servers.slice(0, 1)) await cluster.ask(server, ...create);
		await cluster.untilWhole();
		return cluster;
	}

	/** The address in the credential: all servers, in no particular order. */
	get address(): RedisAddress {
		const nodes = this.servers.map(({ proxy }) => ({ host: '127.0.0.1', port: proxy.port }));
		return { topology: 'cluster', nodes, user: '', password: this.password, tls: this.tls };
	}

	async primary(): Promise<ReachedServer> {
		return await this.primaryOf(await this.countedKey());
	}

	/** The server that now has the slot of a key, according to most servers. */
	async primaryOf(key: string): Promise<ClusterServer> {
		const slot = Number(await this.askAny('CLUSTER', 'KEYSLOT', key));
		const owner = (await this.table()).find(
			({ isPrimary, slots }) => isPrimary && slots.some(([from, to]) => slot >= from && slot <= to),
		);
		return this.behind(owner?.port ?? 0);
	}

	/** The ports of the servers themselves, not of their proxies. */
	async primaryPorts(): Promise<number[]> {
		const primaries = (await this.table()).filter(({ isPrimary }) => isPrimary);
		return primaries.map(({ port }) => this.behind(port).server.port);
	}

	private async countedKey(): Promise<string> {
		const lists = this.servers.map(async ({ server }) => await this.ask(server, 'KEYS', COUNTED));
		const key = (await Promise.all(lists)).join('\n').trim().split('\n')[0];
		if (key === undefined || key === '') throw new Error('nothing is counted');
		return key;
	}

	/** Moves a slot to another primary with the commands of `redis-cli --cluster reshard`, only slower. */
	override async reshard(): Promise<void> {
		const key = await this.countedKey();
		const slot = await this.askAny('CLUSTER', 'KEYSLOT', key);
		const source = await this.primaryOf(key);
		const table = await this.table();
		const idOf = ({ proxy }: ClusterServer) =>
			table.find(({ port }) => port === proxy.port)?.id ?? '';
		const other = table.find(({ port, isPrimary }) => isPrimary && port !== source.proxy.port);
		const target = this.behind(other?.port ?? 0);
		await this.ask(target.server, 'CLUSTER', 'SETSLOT', slot, 'IMPORTING', idOf(source));
		await this.ask(source.server, 'CLUSTER', 'SETSLOT', slot, 'MIGRATING', idOf(target));
		await pause(RESHARDING_MS);
		const migrate = ['MIGRATE', '127.0.0.1', String(target.server.port), '', '0', '5000'];
		const keys = await this.ask(source.server, 'CLUSTER', 'GETKEYSINSLOT', slot, '1000');
		for (const name of keys.split('\n').filter((line) => line !== '')) {
			await this.ask(source.server, ...migrate, 'REPLACE', 'AUTH', this.password, 'KEYS', name);
		}
		await pause(RESHARDING_MS);
		for (const { server } of [target, source]) {
			await this.ask(server, 'CLUSTER', 'SETSLOT', slot, 'NODE', idOf(target));
		}
	}

	/** How many connections of this name each server has, in descending order. */
	async clientsPerServer(name: string): Promise<number[]> {
		const counts = this.servers.map(async ({ server }) => {
			const list = await this.ask(server, 'CLIENT', 'LIST');
			return list.split('\n').filter((line) => line.includes(`name=${name} `)).length;
		});
		return (await Promise.all(counts)).sort((a, b) => b - a);
	}

	override async flushAll(): Promise<void> {
		for (const { isPrimary, port } of await this.table()) {
			if (isPrimary) await this.ask(this.behind(port).server, 'FLUSHALL');
		}
	}

	/** Whether all servers see each other, and every primary has a replica that follows it. */
	protected async isWhole(): Promise<boolean> {
		for (const { server } of this.servers) {
			const state = await this.ask(server, 'CLUSTER', 'INFO');
			const replication = await this.ask(server, 'INFO', 'replication');
			const isLinked = /role:master|master_link_status:up/.test(replication);
			if (!state.includes('cluster_state:ok') || !isLinked) return false;
			const nodes = await this.ask(server, 'CLUSTER', 'NODES');
			if (/fail|handshake|noaddr/.test(nodes)) return false;
		}
		return true;
	}

	/** The node table of the first server that responds. */
	private async table() {
		const lines = (await this.askAny('CLUSTER', 'NODES')).split('\n');
		return lines.map((line) => {
			const [id = '', address = '', flags = '', , , , , , ...ranges] = line.split(' ');
			const slots = ranges
				.filter((range) => !range.startsWith('['))
				.map((range) => range.split('-').map(Number))
				.map(([from = 0, to = from]): [number, number] => [from, to]);
			const port = Number(/:(\d+)@/.exec(address)?.[1]);
			const isPrimary = slots.length > 0 && !flags.includes('fail');
			return { id, port, isPrimary, slots };
		});
	}

	private async askAny(...command: string[]): Promise<string> {
		const asked = this.servers.map(async ({ server }) => await this.ask(server, ...command));
		return await Promise.any(asked);
	}
}
