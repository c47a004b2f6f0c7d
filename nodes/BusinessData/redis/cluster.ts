/** A connection to a cluster: one to each of its primaries that is needed, by ioredis. */
import type { Cluster, Redis } from 'ioredis';

import type { ClusterAddress, RedisNode } from './address';
import {
	CLIENT_NAME,
	COMMAND_TIMEOUT_MS,
	firstResponse,
	ioredis,
	optionsOf,
	type Server,
	tlsOf,
} from './server';
import { isPermanent } from './failure';

/** How many redirections a command follows while slots move between servers. */
const MOST_REDIRECTIONS = 6;

/**
 * @param known further servers of the cluster, which are kept up to date
 * @returns the connection, and a getter of its last failure
 */
export async function connectToCluster(address: ClusterAddress, known: RedisNode[]) {
	const { Cluster: ClusterClient } = ioredis();
	const cluster = new ClusterClient([await serverThatIsUp(address, known)], {
		lazyConnect: true,
		enableReadyCheck: false,
		scaleReads: 'master',
		maxRedirections: MOST_REDIRECTIONS,
		retryDelayOnFailover: 0,
		retryDelayOnClusterDown: 0,
		slotsRefreshTimeout: COMMAND_TIMEOUT_MS,
		clusterRetryStrategy: () => null,
		// Names stay names: certificates are for them.
		dnsLookup: (host, done) => done(null, host),
		redisOptions: { ...optionsOf(address), connectionName: CLIENT_NAME },
	});
	let failure: Error | undefined;
	cluster.on('error', (error: Error) => (failure = error));
	cluster.on('node error', (error: Error) => (failure = error));
	cluster.on('+node', (redis: Redis) => {
		redis.options.tls = tlsOf(address, redis.options.host ?? '');
		redis.on('connect', () => redis.stream.unref());
		// ioredis ignores the reply to ASKING; the command after it reports a failure.
		const asking = redis.asking.bind(redis);
		redis.asking = async () => await asking().catch(() => 'OK' as const);
	});
	cluster.on('refresh', () => known.splice(0, known.length, ...nodesOf(cluster)));
	try {
		await cluster.connect();
	} catch (error) {
		cluster.disconnect();
		throw failure ?? error;
	}
	return { cluster, failure: () => failure };
}

/** ioredis reports little of why it cannot connect to a cluster, so a server is asked first. */
async function serverThatIsUp(address: ClusterAddress, known: RedisNode[]): Promise<RedisNode> {
	try {
		return await firstResponse(address.nodes, address, isUp);
	} catch (error) {
		if (known.length === 0 || isPermanent(error)) throw error;
		return await firstResponse([...known], address, isUp).catch(() => {
			throw error;
		});
	}
}

async function isUp({ node, redis }: Server): Promise<RedisNode> {
	const info = await redis.call('CLUSTER', 'INFO');
	if (String(info).includes('cluster_state:ok')) return node;
	throw new Error('CLUSTERDOWN The cluster is down');
}

function nodesOf(cluster: Cluster): RedisNode[] {
	return cluster.nodes().map(({ options: { host = '', port = 0 } }) => ({ host, port }));
}
