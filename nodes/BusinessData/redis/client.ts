/**
 * Connections by ioredis, which is loaded on first use because most installations count in memory. A client never
 * reconnects or retries by itself: that is up to its caller.
 */
import { hash } from 'node:crypto';
import { isIP } from 'node:net';

import type * as Ioredis from 'ioredis';

import type { RedisAccess, RedisNode } from './address';
import { isPermanent } from './failure';
import { PACKAGE } from './keyPrefix';
import { messageOf } from '../values/text';

export const COMMAND_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** Sooner than most firewalls forget a connection. */
const KEEP_ALIVE_MS = 10_000;

let loaded: typeof Ioredis | undefined;

export function ioredis(): typeof Ioredis {
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- n8n loads packages where `import()` fails
	return (loaded ??= require('ioredis') as typeof Ioredis);
}

export function optionsOf({ user, password }: RedisAccess): Ioredis.RedisOptions {
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

export function tlsOf({ tls, tlsServerName = '', tlsCa = '' }: RedisAccess, host: string) {
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

/** A client of one server, not connected yet. */
export function serverAt(
	{ host, port }: RedisNode,
	access: RedisAccess,
	database = 0,
): RedisClient {
	const redis = new (ioredis().Redis)({
		...optionsOf(access),
		host,
		port,
		db: database,
		tls: tlsOf(access, host),
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
export async function firstResponse<T>(
	nodes: RedisNode[],
	access: RedisAccess,
	ask: (client: RedisClient, node: RedisNode) => Promise<T>,
): Promise<T> {
	const servers = nodes.map((node) => ({ node, client: serverAt(node, access) }));
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
