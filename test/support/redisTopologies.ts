/** Redis as operators run it, all real, under one face for tests of outages. */
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { RedisAddress } from '../../nodes/BusinessData/redis';
import type { RedisServer } from './redisServer';
import type { TcpProxy } from './tcpProxy';

/** A server, and the way to it. */
export interface ReachedServer {
	server: RedisServer;
	proxy: TcpProxy;
}

export interface Topology {
	readonly address: RedisAddress;
	/** Whether another server takes over by itself when the primary is lost. */
	readonly isWatched: boolean;
	/** The server that counts. */
	primary(): Promise<ReachedServer>;
	/** A command to a server of it. */
	ask(server: RedisServer, ...command: string[]): Promise<string>;
	/** Another server becomes the primary. */
	failOver(): Promise<void>;
	flushAll(): Promise<void>;
	/** Moves what is counted to another shard, where there are shards. */
	reshard?(): Promise<void>;
	/** Repairs everything, and resolves when it is. */
	untilWhole(): Promise<void>;
	dispose(): Promise<void>;
}

/** The credential's fields, as a user fills them in. */
export function fieldsOf(address: RedisAddress): ICredentialDataDecryptedObject {
	const { topology, nodes, user, password, tls, tlsServerName = '', tlsCa = '' } = address;
	const { database = 0, group = '', sentinelPassword = '' } = address;
	const access = {
		...{ limitStore: 'redis', redisTopology: topology },
		...{ redisUser: user, redisPassword: password, redisTls: tls },
		...{ redisTlsServerName: tlsServerName, redisTlsCa: tlsCa },
	};
	if (topology === 'standalone') {
		const [{ host, port } = { host: '', port: 0 }] = nodes;
		return { ...access, redisHost: host, redisPort: port, redisDatabase: database };
	}
	const redisNodes = nodes.map(({ host, port }) => `${host}:${port}`).join(', ');
	if (topology === 'cluster') return { ...access, redisNodes };
	return {
		...{ ...access, redisNodes, redisDatabase: database },
		...{ redisSentinelGroup: group, redisSentinelPassword: sentinelPassword },
	};
}
