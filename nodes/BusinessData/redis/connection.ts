/**
 * One connection per address and process, which opens on use and closes when idle. It never keeps the process alive. The
 * limit store and Send Once share it.
 */
import { abortable, never } from '../async';
import { hashOf } from '../values/hash';
import { processWide } from '../values/processWide';
import { messageOf } from '../values/text';
import { describeAddress, type RedisAddress, type RedisNode } from './address';
import { connect, type RedisClient, type RedisScript } from './client';
import { howToFix, isPermanent, needsNewConnection, RedisError } from './failure';

/** How long (ms) scripts are retried while Redis cannot be used. */
const LONGEST_OUTAGE_MS = 15_000;
/** The same with failover: by default, a cluster notices an outage after 15 s, and Sentinels after 30 s. */
const LONGEST_FAILOVER_MS = 45_000;
const RETRY_MS = 200;
/** After this long (ms) without an attempt, a failure begins a new outage. */
const FORGOTTEN_MS = 1_000;
const IDLE_MS = 30_000;

export class RedisConnection {
	private client: Promise<RedisClient> | undefined;
	/** The servers of a cluster, as the last client knew them. */
	private readonly known: RedisNode[] = [];
	/** When (ms, `performance.now()`) the current outage began, and its last failure. */
	private outage: { since: number; lastAt: number; error: unknown } | undefined;
	private idleTimer: NodeJS.Timeout | undefined;
	private underWay = 0;

	constructor(private readonly address: RedisAddress) {}

	get name(): string {
		return describeAddress(this.address);
	}

	/**
	 * Runs a script, and retries it while Redis cannot be used.
	 * @throws RedisError when Redis has failed for 15 s (45 s if another server may take over), or at once if waiting cannot
	 * help; the signal's reason on abort
	 */
	async run<T>(
		script: RedisScript,
		keys: string[],
		parameters: Array<string | number>,
		signal = never,
	): Promise<T> {
		const { topology } = this.address;
		const outageMs = topology === 'standalone' ? LONGEST_OUTAGE_MS : LONGEST_FAILOVER_MS;
		const startedAt = performance.now();
		// In an outage, each script does not wait for the whole time anew.
		if (this.outage && startedAt - this.outage.lastAt > FORGOTTEN_MS) this.outage.since = startedAt;
		this.underWay++;
		clearTimeout(this.idleTimer);
		try {
			for (let failures = 0; ; failures++) {
				// The first retry needs no pause, as it replaces a closed connection.
				if (failures > 1) await abortable(pause(), signal);
				signal.throwIfAborted();
				try {
					const result = await abortable(this.runOnce(script, keys, parameters, signal), signal);
					this.outage = undefined;
					return result as T;
				} catch (error) {
					signal.throwIfAborted();
					const lastAt = performance.now();
					this.outage = { since: this.outage?.since ?? startedAt, lastAt, error };
					const failedMs = lastAt - Math.min(this.outage.since, startedAt);
					if (isPermanent(error) || failedMs >= outageMs) throw this.explain(error);
				}
			}
		} finally {
			if (--this.underWay === 0) {
				this.idleTimer = setTimeout(() => this.replace(this.client), IDLE_MS).unref();
			}
		}
	}

	/** The error of the last script, if none has succeeded since. */
	failure(): RedisError | undefined {
		return this.outage && this.explain(this.outage.error);
	}

	private async runOnce(...script: Parameters<RedisClient['run']>): Promise<unknown> {
		const used = (this.client ??= connect(this.address, this.known));
		let client: RedisClient | undefined;
		try {
			client = await used;
			return await client.run(...script);
		} catch (error) {
			// A client that failed to connect never will.
			if (client === undefined || needsNewConnection(error)) this.replace(used);
			throw error;
		}
	}

	/** Closes the client unless another one has taken its place. The next script opens a new one. */
	private replace(used: Promise<RedisClient> | undefined): void {
		if (this.client !== used) return;
		this.client = undefined;
		used?.then(
			(client) => client.close(),
			() => undefined,
		);
	}

	private explain(error: unknown): RedisError {
		const { topology, password, sentinelPassword = '' } = this.address;
		const cause = [password, sentinelPassword]
			.filter((secret) => secret !== '')
			.reduce((text, secret) => text.replaceAll(secret, '***'), messageOf(error))
			// Redis quotes what it refuses. Of a long password, it quotes only the beginning, which is not masked above.
			.replace(/,? with args beginning with:.*/s, '');
		const fields = topology === 'standalone' ? 'Redis Host, Redis Port' : 'Redis Nodes';
		const checkFields = `Requests cannot be counted together with other n8n processes. Check ${fields} and Redis TLS in the credential and whether Redis is up.`;
		return new RedisError(
			`Redis at ${this.name} cannot be used: ${cause}`,
			`Nothing was sent. ${howToFix(error) ?? checkFields}`,
			isPermanent(error),
		);
	}
}

/** The timer does not keep the process alive: that is up to the request that waits. */
async function pause(): Promise<void> {
	await new Promise<void>((resolve) => void setTimeout(resolve, RETRY_MS).unref());
}

const connections = processWide('redis/1', () => new Map<string, RedisConnection>());

/** This process's connection to an address, shared by all credentials with that address. */
export function connectionTo(address: RedisAddress): RedisConnection {
	const key = hashOf(address);
	const connection = connections().get(key) ?? new RedisConnection(address);
	connections().set(key, connection);
	return connection;
}
