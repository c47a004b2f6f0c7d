/** Redis as operators run it, all real, under one face for tests of outages. */
import type { ICredentialDataDecryptedObject } from 'n8n-workflow';

import type { RedisAddress } from '../../nodes/BusinessData/redis';
import { RedisCluster } from './redisCluster';
import { redisCommand } from './redisCommand';
import { RedisSentinel } from './redisSentinel';
import type { RedisServer } from './redisServer';
import { RedisTls } from './redisTls';
import type { TcpProxy } from './tcpProxy';

const PASSWORD = 'a-password-of-redis';
const SENTINEL_PASSWORD = 'a-password-of-sentinels';
/** How long a server has to be silent until another takes over. */
const DOWN_AFTER_MS = 4_000;

export interface Topology {
	name: 'cluster' | 'Sentinel' | 'TLS';
	/** The credential's fields for it. */
	fields: ICredentialDataDecryptedObject;
	/** Whether another server takes over by itself when the primary is lost. */
	isWatched: boolean;
	/** The server that counts, and the way to it. */
	primary: () => Promise<{ server: RedisServer; proxy: TcpProxy }>;
	/** A command to a server of it. */
	ask: (server: RedisServer, ...command: string[]) => Promise<string>;
	/** Another server becomes the primary. */
	failOver: () => Promise<void>;
	flushAll: () => Promise<void>;
	/** Moves what is counted to another shard, where there are shards. */
	reshard?: () => Promise<void>;
	/** Repairs everything, and resolves when it is. */
	untilWhole: () => Promise<void>;
	dispose: () => Promise<void>;
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

/** What the topologies have in common, unless `own` says otherwise. */
function topologyOf(
	name: Topology['name'],
	redis: RedisCluster | RedisSentinel | RedisTls,
	own: Pick<Topology, 'primary'> & Partial<Topology>,
): Topology {
	return {
		name,
		fields: fieldsOf(redis.address),
		isWatched: true,
		ask: async (server, ...command) => await redisCommand(server.port, PASSWORD, ...command),
		failOver: async () => await (await own.primary()).server.stop('SIGKILL'),
		flushAll: async () => await redis.flushAll(),
		untilWhole: async () => await redis.untilWhole(),
		dispose: async () => await redis.dispose(),
		...own,
	};
}

/** @param pattern of the keys whose shard is the one that counts */
export async function startCluster(pattern: string): Promise<Topology> {
	const cluster = await RedisCluster.start(PASSWORD);
	const counted = async () => await cluster.keyLike(pattern);
	return topologyOf('cluster', cluster, {
		primary: async () => await cluster.primaryOf(await counted()),
		reshard: async () => await cluster.moveSlotOf(await counted(), 1_000),
	});
}

export async function startSentinel(): Promise<Topology> {
	const sentinel = await RedisSentinel.start(PASSWORD, SENTINEL_PASSWORD, DOWN_AFTER_MS);
	return topologyOf('Sentinel', sentinel, { primary: async () => await sentinel.primary() });
}

/** One address with TLS, behind which an operator fails over by hand. */
export async function startTls(): Promise<Topology> {
	const tls = await RedisTls.start(PASSWORD);
	return topologyOf('TLS', tls, {
		isWatched: false,
		primary: async () => await Promise.resolve({ server: tls.primary, proxy: tls.proxy }),
		ask: async (server, ...command) => await tls.ask(server, ...command),
		failOver: async () => await tls.failOver(),
	});
}
