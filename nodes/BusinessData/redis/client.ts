/**
 * Connects by ioredis to a server, to the primary that Sentinels name, or to a cluster. It is loaded on first use, because
 * most installations count in memory. A client never reconnects or retries by itself: that is up to its caller.
 */
import { hash } from 'node:crypto';
import { isIP } from 'node:net';

import type * as Ioredis from 'ioredis';

import type { RedisAddress, RedisNode } from './address';
import { isPermanent, UNKNOWN_SENTINEL_GROUP } from './failure';
import { PACKAGE } from './keyPrefix';
import { messageOf } from '../values/text';

const COMMAND_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** Sooner than most firewalls forget a connection. */
const KEEP_ALIVE_MS = 10_000;
/** For the time in which slots move between servers. */
const MOST_REDIRECTIONS = 6;

let loaded: typeof Ioredis | undefined;

function ioredis(): typeof Ioredis {
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- n8n loads packages where `import()` fails
	return (loaded ??= require('ioredis') as typeof Ioredis);
}

function optionsOf({ user, password }: RedisAddress): Ioredis.RedisOptions {
	return {
		username: user === '' ? undefined : user,
		password: password === '' ? undefined : password,
		connectTimeout: CONNECT_TIMEOUT_MS,
		commandTimeout: COMMAND_TIMEOUT_MS,
		keepAlive: KEEP_ALIVE_MS,
		// Otherwise a timer would keep the process alive.
		disconnectTimeout: 0,
		// A server that is still loading its data says so in reply to the first command.
		enableReadyCheck: false,
		disableClientInfo: true,
		retryStrategy: () => null,
	};
}

function tlsOf({ tls, tlsServerName = '', tlsCa = '' }: RedisAddress, host: string) {
	if (!tls) return undefined;
	const name = isIP(host) === 0 ? host : undefined;
	return {
		servername: tlsServerName === '' ? name : tlsServerName,
		ca: tlsCa === '' ? undefined : tlsCa,
	};
}

/** A script must tolerate a retry after its reply was lost. */
export class RedisScript {
	readonly hash: string;

	constructor(readonly lua: string) {
		this.hash = hash('sha1', lua);
	}
}

export class RedisClient {
	/** The last failure of the connection. */
	failure: Error | undefined;

	constructor(
		readonly redis: Ioredis.Redis | Ioredis.Cluster,
		private readonly open: () => Promise<void>,
	) {
		redis.on('error', (error: Error) => (this.failure = error));
	}

	/** @throws why there is no connection, within some seconds */
	async connect(): Promise<this> {
		try {
			await this.open();
			return this;
		} catch (error) {
			this.close();
			// The rejection may only say that the connection is closed; the event has the cause.
			throw this.failure ?? error;
		}
	}

	/**
	 * @param keys with the same hash tag, so that a cluster has them on one server
	 * @param signal when it aborts, nothing more is sent
	 * @throws what Redis replies, or why there was no reply
	 */
	async run(
		{ hash, lua }: RedisScript,
		keys: string[],
		parameters: Array<string | number>,
		signal: AbortSignal,
	): Promise<unknown> {
		const { redis } = this;
		const count = keys.length;
		const all = [...keys, ...parameters];
		try {
			return await redis.evalsha(hash, count, ...all).catch(async (error: unknown) => {
				// Redis forgets scripts when it restarts.
				if (!messageOf(error).startsWith('NOSCRIPT') || signal.aborted) throw error;
				return await redis.eval(lua, count, ...all);
			});
		} catch (error) {
			throw messageOf(error) === 'Connection is closed.' ? (this.failure ?? error) : error;
		}
	}

	/** Commands under way fail. */
	close(): void {
		this.redis.disconnect();
	}
}

/**
 * @param known servers of the cluster, as last seen; kept up to date
 * @throws why there is no connection, within some seconds
 */
export async function connect(address: RedisAddress, known: RedisNode[]): Promise<RedisClient> {
	const { topology, nodes } = address;
	if (topology === 'cluster') return await connectToCluster(address, known);
	const [server] = topology === 'sentinel' ? [await primaryOf(address)] : nodes;
	return await serverAt(server as RedisNode, address).connect();
}

/** A client of one server, not connected yet. */
function serverAt({ host, port }: RedisNode, address: RedisAddress): RedisClient {
	const redis = new (ioredis().Redis)({
		...optionsOf(address),
		host,
		port,
		db: address.database ?? 0,
		tls: tlsOf(address, host),
		lazyConnect: true,
		enableOfflineQueue: false,
	});
	const client = new RedisClient(redis, async () => {
		await redis.connect();
		// Not awaited, because a server that hangs would take two timeouts.
		redis.client('SETNAME', PACKAGE).catch(() => undefined);
		await redis.ping();
		// Only the event reports that the database does not exist; ioredis would use the first one.
		if (client.failure !== undefined) throw client.failure;
		redis.stream.unref();
	});
	return client;
}

/** Asks all servers in parallel, and returns the first good response. @throws the failure of one of them */
async function firstResponse<T>(
	nodes: RedisNode[],
	address: RedisAddress,
	ask: (client: RedisClient, node: RedisNode) => Promise<T>,
): Promise<T> {
	const servers = nodes.map((node) => ({ node, client: serverAt(node, address) }));
	try {
		return await Promise.any(
			servers.map(async ({ node, client }) => await ask(await client.connect(), node)),
		);
	} catch (error) {
		const { errors } = error as AggregateError;
		throw errors.find(isPermanent) ?? errors[0];
	} finally {
		for (const { client } of servers) client.close();
	}
}

/** ioredis's own Sentinel support asks one after another, and does not report why one of them fails. */
async function primaryOf(address: RedisAddress): Promise<RedisNode> {
	const { nodes, group = '', sentinelPassword = '' } = address;
	const ofSentinels = { ...address, user: '', password: sentinelPassword, database: 0 };
	return await firstResponse(nodes, ofSentinels, async ({ redis }) => {
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
	cluster.on('+node', (redis: Ioredis.Redis) => {
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
