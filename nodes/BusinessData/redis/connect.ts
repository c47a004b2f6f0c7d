/** Connects to a server, to the primary that Sentinels name, or to a cluster. */
import type { Redis } from 'ioredis';

import type { RedisAddress, RedisNode } from './address';
import {
	COMMAND_TIMEOUT_MS,
	firstResponse,
	ioredis,
	optionsOf,
	RedisClient,
	serverAt,
	tlsOf,
} from './client';
import { UNKNOWN_SENTINEL_GROUP } from './failure';
import { PACKAGE } from './keyPrefix';

/** For the time in which slots move between servers. */
const MOST_REDIRECTIONS = 6;

/**
 * @param known servers of the cluster, as last seen; kept up to date
 * @throws why there is no connection, within some seconds
 */
export async function connect(address: RedisAddress, known: RedisNode[]): Promise<RedisClient> {
	const { topology, nodes, database } = address;
	if (topology === 'cluster') return await connectToCluster(address, known);
	const [server] = topology === 'sentinel' ? [await primaryOf(address)] : nodes;
	return await serverAt(server as RedisNode, address, database).connect();
}

/** ioredis's own Sentinel support asks one after another, and does not report why one of them fails. */
async function primaryOf(address: RedisAddress): Promise<RedisNode> {
	const { nodes, group = '', sentinelPassword = '' } = address;
	const access = { ...address, user: '', password: sentinelPassword };
	return await firstResponse(nodes, access, async ({ redis }) => {
		const reply = await redis.call('SENTINEL', 'get-master-addr-by-name', group);
		if (Array.isArray(reply)) return { host: String(reply[0]), port: Number(reply[1]) };
		const error = new Error(`the Sentinels know no group "${group}"`);
		throw Object.assign(error, { code: UNKNOWN_SENTINEL_GROUP });
	});
}

async function connectToCluster(address: RedisAddress, known: RedisNode[]): Promise<RedisClient> {
	const cluster = new (ioredis().Cluster)([await nodeThatIsUp(address, known)], {
		lazyConnect: true,
		enableReadyCheck: false,
		scaleReads: 'master',
		maxRedirections: MOST_REDIRECTIONS,
		retryDelayOnFailover: 0,
		retryDelayOnClusterDown: 0,
		slotsRefreshTimeout: COMMAND_TIMEOUT_MS,
		clusterRetryStrategy: () => null,
		// Not resolved to addresses, because certificates are for names.
		dnsLookup: (host, done) => done(null, host),
		redisOptions: { ...optionsOf(address), connectionName: PACKAGE },
	});
	const client = new RedisClient(cluster, async () => await cluster.connect());
	cluster.on('node error', (error: Error) => (client.failure = error));
	cluster.on('+node', (redis: Redis) => {
		redis.options.tls = tlsOf(address, redis.options.host ?? '');
		redis.on('connect', () => redis.stream.unref());
		// ioredis ignores the reply to ASKING; the command after it reports a failure.
		const asking = redis.asking.bind(redis);
		redis.asking = async () => await asking().catch(() => 'OK' as const);
	});
	cluster.on('refresh', () => {
		const nodes = cluster.nodes().map(({ options: { host = '', port = 0 } }) => ({ host, port }));
		known.splice(0, known.length, ...nodes);
	});
	return await client.connect();
}

/** ioredis hardly says why it cannot connect to a cluster, so the servers are asked first. */
async function nodeThatIsUp(address: RedisAddress, known: RedisNode[]): Promise<RedisNode> {
	return await firstResponse([...address.nodes, ...known], address, async ({ redis }, node) => {
		const info = await redis.call('CLUSTER', 'INFO');
		if (String(info).includes('cluster_state:ok')) return node;
		throw new Error('CLUSTERDOWN The cluster is down');
	});
}
