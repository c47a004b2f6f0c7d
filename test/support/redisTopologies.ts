/** Real Redis topologies as operators run them, with one interface for tests of outages. */
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { RedisAddress } from '../../nodes/BusinessData/redis';
import { redisCommand, type RedisServer } from './redisServer';
import type { TcpProxy } from './tcpProxy';
import { waitUntil } from './waitUntil';

/** A server and the proxy in front of it. */
export interface ReachedServer {
	server: RedisServer;
	proxy: TcpProxy;
}

export abstract class Topology<Server extends ReachedServer = ReachedServer> {
	abstract readonly address: RedisAddress;

	/** Whether another server takes over automatically when the primary is lost. */
	readonly isWatched: boolean = true;

	constructor(
		readonly servers: Server[],
		readonly password: string,
		protected readonly tls = false,
	) {}

	/** The server that holds the counts. */
	abstract primary(): Promise<ReachedServer>;

	protected abstract isWhole(): Promise<boolean>;

	/** Moves the counts to another shard, if there are shards. */
	reshard?(): Promise<void>;

	async ask(server: RedisServer, ...command: string[]): Promise<string> {
		const tls = this.tls ? ['--tls', '--insecure'] : [];
		return await redisCommand(server.port, this.password, ...tls, ...command);
	}

	/** Makes another server the primary. */
	async failOver(): Promise<void> {
		await (await this.primary()).server.stop('SIGKILL');
	}

	async flushAll(): Promise<void> {
		await this.ask((await this.primary()).server, 'FLUSHALL');
	}

	/** Repairs all servers, and resolves once they are in order. */
	async untilWhole(): Promise<void> {
		for (const { server, proxy } of this.servers) {
			proxy.open();
			if (!server.isRunning) await server.start();
			server.resume();
		}
		await waitUntil(async () => await this.isWhole());
	}

	async dispose(): Promise<void> {
		for (const { server, proxy } of this.servers) {
			await server.dispose();
			await proxy.close();
		}
	}

	protected behind(port: number): Server {
		const found = this.servers.find(({ proxy }) => proxy.port === port);
		if (found === undefined) throw new Error(`no server behind the port ${port}`);
		return found;
	}
}

/** The credential's fields, as a user fills them in. */
export function fieldsOf(address: RedisAddress): ICredentialDataDecryptedObject {
	const { topology, nodes, user, password, tls, tlsServerName = '', tlsCa = '' } = address;
	const { database = 0, group = '', sentinelPassword = '' } = address;
	const access = {
		limitStore: 'redis',
		redisTopology: topology,
		redisUser: user,
		redisPassword: password,
		redisTls: tls,
		redisTlsServerName: tlsServerName,
		redisTlsCa: tlsCa,
	};
	if (topology === 'standalone') {
		const [{ host, port } = { host: '', port: 0 }] = nodes;
		return { ...access, redisHost: host, redisPort: port, redisDatabase: database };
	}
	const redisNodes = nodes.map(({ host, port }) => `${host}:${port}`).join(', ');
	if (topology === 'cluster') return { ...access, redisNodes };
	return {
		...access,
		redisNodes,
		redisDatabase: database,
		redisSentinelGroup: group,
		redisSentinelPassword: sentinelPassword,
	};
}
