/**
 * Runs scripts at an address: on a server, on the primary that Sentinels name, or on the shard of a cluster that has
 * the keys. A client never connects again and never retries a script by itself: its caller decides about both.
 */
import { createHash } from 'node:crypto';

import type { Cluster, Redis } from 'ioredis';

import type { RedisAccess, RedisAddress, RedisNode } from './address';
import { connectToCluster } from './cluster';
import { primaryOf } from './sentinel';
import { Server } from './server';
import { messageOf } from '../values/text';

/** A script that Redis runs as one step, and that may safely be retried when its reply was lost. */
export class RedisScript {
	readonly hash: string;

	constructor(readonly lua: string) {
		this.hash = createHash('sha1').update(lua).digest('hex');
	}
}

export class RedisClient {
	private constructor(
		private readonly redis: Redis | Cluster,
		/** The last failure of the connection. */
		private readonly failure: () => Error | undefined,
	) {}

	/**
	 * @param known further servers of a cluster, which are kept up to date
	 * @throws why there is no connection, within some seconds
	 */
	static async connect(address: RedisAddress, known: RedisNode[]): Promise<RedisClient> {
		if (address.topology === 'cluster') {
			const { cluster, failure } = await connectToCluster(address, known);
			return new RedisClient(cluster, failure);
		}
		const node = address.topology === 'sentinel' ? await primaryOf(address) : address;
		return await RedisClient.connectToServer(node, address, address.database);
	}

	private static async connectToServer(node: RedisNode, access: RedisAccess, database: number) {
		const server = new Server(node, access, database);
		try {
			await server.ready();
		} catch (error) {
			server.close();
			throw error;
		}
		return new RedisClient(server.redis, () => server.failure);
	}

	/**
	 * @param keys all of one hash tag, so that a cluster has them in one place
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
		try {
			return await redis.evalsha(hash, keys.length, ...keys, ...parameters).catch(
				// Redis forgets scripts when it is restarted.
				async (error: unknown) => {
					if (!messageOf(error).startsWith('NOSCRIPT') || signal.aborted) throw error;
					return await redis.eval(lua, keys.length, ...keys, ...parameters);
				},
			);
		} catch (error) {
			// The event has the cause where the rejection only says that the connection is closed.
			throw messageOf(error) === 'Connection is closed.' ? (this.failure() ?? error) : error;
		}
	}

	/** Closes at once; commands under way fail. */
	close(): void {
		this.redis.disconnect();
	}
}
