/**
 * One connection per Redis server and process, made when it is needed and closed when it was not needed
 * for a while. It never keeps a process alive, and never sends a command twice by itself. The limiter counts
 * in it, and Send Once keeps its record there.
 */
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';

import type * as Ioredis from 'ioredis';

import { abortController, onceAborted, sleep } from '../waiting';
import { RedisError } from './redisError';

/** Where a Redis is. */
export interface RedisAddress {
	host: string;
	port: number;
	user: string;
	password: string;
	database: number;
	tls: boolean;
}

/** A script that Redis runs as one step, and that may safely be repeated when its reply was lost. */
export class RedisScript {
	readonly hash: string;

	constructor(readonly lua: string) {
		this.hash = createHash('sha1').update(lua).digest('hex');
	}
}

type Client = Ioredis.Redis;

/** How long (ms) commands are tried again while the server cannot be reached. */
const LONGEST_OUTAGE_MS = 15_000;
const CONNECT_TIMEOUT_MS = 5_000;
const COMMAND_TIMEOUT_MS = 2_000;
const RETRY_MS = 200;
const IDLE_MS = 30_000;
/** What ioredis says of a command without a reply. */
const TIMED_OUT = 'Command timed out';

/** Trouble that waiting does not cure: passwords, rights, certificates, a server that speaks no TLS. */
const LASTING_TROUBLE =
	/^(WRONGPASS|NOAUTH|NOPERM|ERR (invalid password|AUTH|Client sent AUTH|DB index|unknown command))|CERT|SELF_SIGNED|UNABLE_TO_VERIFY|EPROTO|SSL|TLS/i;

export class RedisConnection {
	private connecting: Promise<Client> | undefined;

	/** The connection that is in use, or being made. */
	private current: Client | undefined;

	private lastTrouble: unknown;

	private idleTimer: NodeJS.Timeout | undefined;

	private underWay = 0;

	constructor(private readonly address: RedisAddress) {}

	/**
	 * Runs a script, again and again while the server cannot be reached.
	 * @returns what the script returns; its caller knows what that is
	 * @throws RedisError after 15 s, or at once when waiting cannot help; the signal's reason on abort
	 */
	async run<T>(
		script: RedisScript,
		keys: string[],
		parameters: Array<string | number>,
		signal: AbortSignal = abortController().signal,
	): Promise<T> {
		const giveUpAt = performance.now() + LONGEST_OUTAGE_MS;
		this.underWay++;
		clearTimeout(this.idleTimer);
		try {
			for (;;) {
				signal.throwIfAborted();
				try {
					const result = await onceAborted(this.once(script, keys, parameters), signal);
					this.lastTrouble = undefined;
					return result as T;
				} catch (error) {
					signal.throwIfAborted();
					this.lastTrouble = error;
					if (isLasting(error) || performance.now() >= giveUpAt) throw this.explain(error);
					await sleep(RETRY_MS, signal);
				}
			}
		} finally {
			if (--this.underWay === 0) {
				this.idleTimer = setTimeout(() => void this.close(), IDLE_MS).unref();
			}
		}
	}

	/** The error of the last command, as long as none has succeeded since. */
	trouble(): RedisError | undefined {
		return this.lastTrouble === undefined ? undefined : this.explain(this.lastTrouble);
	}

	private async once(
		{ hash, lua }: RedisScript,
		keys: string[],
		parameters: Array<string | number>,
	): Promise<unknown> {
		const client = await this.client();
		try {
			return await client
				.evalsha(hash, keys.length, ...keys, ...parameters)
				.catch(async (error) => {
					if (!messageOf(error).startsWith('NOSCRIPT')) throw error;
					// Redis forgets scripts when it is restarted.
					return await client.eval(lua, keys.length, ...keys, ...parameters);
				});
		} catch (error) {
			if (messageOf(error) === TIMED_OUT) this.replace(client);
			throw error;
		}
	}

	/** Does without a connection that does not answer, for good: a firewall may have forgotten it. */
	private replace(client: Client): void {
		if (this.current !== client) return;
		this.current = undefined;
		this.connecting = undefined;
		client.disconnect();
	}

	private async client(): Promise<Client> {
		this.connecting ??= this.connect();
		try {
			return await this.connecting;
		} catch (error) {
			this.connecting = undefined;
			throw error;
		}
	}

	private async connect(): Promise<Client> {
		// Loaded only where it is used: most installations count in memory. Not by `import()`, which does
		// not work everywhere that n8n loads packages.
		// eslint-disable-next-line @typescript-eslint/no-require-imports
		const { Redis: RedisClient } = require('ioredis') as typeof Ioredis;
		const { host, port, user, password, database, tls } = this.address;
		const client = new RedisClient({
			host,
			port,
			username: user === '' ? undefined : user,
			password: password === '' ? undefined : password,
			db: database,
			tls: tls ? { servername: isIP(host) === 0 ? host : undefined } : undefined,
			connectionName: 'n8n-nodes-business-data',
			lazyConnect: true,
			connectTimeout: CONNECT_TIMEOUT_MS,
			commandTimeout: COMMAND_TIMEOUT_MS,
			// Closed when nothing is under way: the timer of a slow farewell would only keep the process.
			disconnectTimeout: 0,
			// Whether a command may be sent again is decided here, command by command.
			autoResendUnfulfilledCommands: false,
			enableOfflineQueue: false,
			maxRetriesPerRequest: 0,
			retryStrategy: () => null,
		});
		this.current = client;
		let trouble: Error | undefined;
		client.on('error', (error: Error) => (trouble = error));
		client.on('end', () => {
			// An old connection has nothing to say of a newer one.
			if (this.current === client) this.connecting = undefined;
		});
		try {
			await client.connect();
			await client.ping();
			// A database that does not exist is reported in no other way; the first one would be used.
			if (trouble !== undefined) throw trouble;
		} catch (error) {
			client.disconnect();
			// The event tells the cause where the rejection only says that the connection is closed.
			throw trouble ?? (error as Error);
		}
		client.stream.unref();
		return client;
	}

	private async close(): Promise<void> {
		const { connecting } = this;
		this.connecting = undefined;
		const client = await connecting?.catch(() => undefined);
		client?.disconnect();
	}

	private explain(error: unknown): RedisError {
		const { host, port, password, tls } = this.address;
		const cause = messageOf(error);
		const safe = password === '' ? cause : cause.replaceAll(password, '***');
		return new RedisError(
			`Redis at ${host}:${port}${tls ? ' (TLS)' : ''} cannot be used: ${safe}`,
			isLasting(error)
				? 'Nothing was sent. Check the Redis user, password, database and TLS in the credential.'
				: 'Nothing was sent, because requests cannot be counted together with other n8n processes. Check the Redis host, port and TLS in the credential and whether Redis is up, then run the node again.',
		);
	}
}

const connections = new Map<string, RedisConnection>();

/** The process's connection to a server, shared by all credentials that name it. */
export function connectionTo(address: RedisAddress): RedisConnection {
	const key = createHash('sha256').update(JSON.stringify(address)).digest('hex');
	let connection = connections.get(key);
	if (connection === undefined) connections.set(key, (connection = new RedisConnection(address)));
	return connection;
}

function isLasting(error: unknown): boolean {
	const { code } = error as { code?: unknown };
	return [messageOf(error), code].some((text) => LASTING_TROUBLE.test(String(text)));
}

function messageOf(error: unknown): string {
	const { message } = error as { message?: unknown };
	return typeof message === 'string' && message !== '' ? message : String(error);
}
