/** A connection to one server. */
import { isIP } from 'node:net';

import type * as Ioredis from 'ioredis';

import type { RedisAccess, RedisNode } from './address';
import { isPermanent } from './failure';

export const CLIENT_NAME = 'n8n-nodes-business-data';
export const COMMAND_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** Shorter than most firewalls remember a connection. */
const KEEP_ALIVE_MS = 10_000;

let loaded: typeof Ioredis | undefined;

/** ioredis, loaded only where it is used: most installations count in memory. */
export function ioredis(): typeof Ioredis {
	// eslint-disable-next-line @typescript-eslint/no-require-imports -- n8n loads packages where `import()` fails
	return (loaded ??= require('ioredis') as typeof Ioredis);
}

/** What all connections have in common. */
export function optionsOf({ user, password }: RedisAccess): Ioredis.RedisOptions {
	return {
		username: user === '' ? undefined : user,
		password: password === '' ? undefined : password,
		connectTimeout: CONNECT_TIMEOUT_MS,
		commandTimeout: COMMAND_TIMEOUT_MS,
		keepAlive: KEEP_ALIVE_MS,
		// Closed when nothing is under way: the timer of a slow farewell would only keep the process.
		disconnectTimeout: 0,
		// A server that is loading its data says so to the first command.
		enableReadyCheck: false,
		disableClientInfo: true,
		// The caller decides about reconnecting and retrying.
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

export class Server {
	readonly redis: Ioredis.Redis;

	/** Why it has failed. */
	failure: Error | undefined;

	constructor(
		readonly node: RedisNode,
		access: RedisAccess,
		database = 0,
	) {
		const { Redis } = ioredis();
		const { host, port } = node;
		this.redis = new Redis({
			...optionsOf(access),
			host,
			port,
			db: database,
			tls: tlsOf(access, host),
			lazyConnect: true,
			enableOfflineQueue: false,
		});
		this.redis.on('error', (error: Error) => (this.failure = error));
	}

	/** Resolves when the server accepts commands. @throws why it does not */
	async ready(): Promise<void> {
		try {
			await this.redis.connect();
			// Nothing waits for it: a server that hangs shall not hang twice.
			this.redis.client('SETNAME', CLIENT_NAME).catch(() => undefined);
			await this.redis.ping();
		} catch (error) {
			// The event has the cause where the rejection only says that the connection is closed.
			throw this.failure ?? error;
		}
		// Only the event reports a database that does not exist; the first one would be used.
		if (this.failure !== undefined) throw this.failure;
		this.redis.stream.unref();
	}

	close(): void {
		this.redis.disconnect();
	}
}

/** Asks all servers side by side for the first good response. @throws the failure of one of them */
export async function firstResponse<T>(
	nodes: RedisNode[],
	access: RedisAccess,
	ask: (server: Server) => Promise<T>,
): Promise<T> {
	const servers = nodes.map((node) => new Server(node, access));
	const responses = servers.map(async (server) => {
		await server.ready();
		return await ask(server);
	});
	try {
		return await Promise.any(responses);
	} catch (error) {
		const { errors } = error as AggregateError;
		throw errors.find(isPermanent) ?? errors[0];
	} finally {
		for (const server of servers) server.close();
	}
}
