/**
 * The keys that were sent or are being sent, in the Redis that n8n's processes share. It stands beside
 * the record in n8n's store, so that neither an emptied Redis nor a lost update there forgets a document.
 */
import { randomUUID } from 'node:crypto';

import { KEY_PREFIX, type RedisConnection, type RedisScript } from '../redis';
import { abortController, never, sleep } from '../async';
import type { BucketLock } from './buckets';
import {
	ACQUIRE,
	COMPLETE,
	IS_LAST,
	LOCK,
	RENEW_LEASE,
	RENEWED_EVERY_MS,
	UNLOCK,
} from './redisScripts';
import type { SentState } from './storedKey';

/** In the order of the scripts. */
const STATES = ['notSent', 'underWay', 'perhapsSent', 'sent'] as const;

export type KeyState = (typeof STATES)[number];

/** What Redis knows of a key. */
export interface FoundInRedis {
	state: KeyState;
	/** For how long (ms) Redis, new or emptied, may lack leases that their owners have not entered again. */
	missingMs: number;
}

/** A process that died with the lock holds up the others for so long; one that lives extends it. */
const LOCK_MS = 5_000;
const LOCK_RETRY_MS = 25;
/** How long (ms) a lock or a lease is renewed: where n8n's store never responds, others must go on. */
const LONGEST_KEEP_MS = 10 * 60_000;

export class RedisRecord {
	/** How all Redis keys of the record begin; the hash tag keeps them in one place of a cluster. */
	private readonly prefix: string;

	/**
	 * @param name a hash of workflow, business and endpoint
	 * @param key a hash of the key
	 * @param maxEntries how many keys are remembered
	 */
	constructor(
		private readonly connection: RedisConnection,
		name: string,
		private readonly key: string,
		private readonly maxEntries: number,
	) {
		this.prefix = `${KEY_PREFIX}:{sendOnce:${name}}`;
	}

	/** @throws RedisError, or the signal's reason */
	async lookUp(signal: AbortSignal): Promise<FoundInRedis> {
		const parameters = [this.key, '', 0, 0];
		return foundBy(await this.connection.run<Reply>(ACQUIRE, this.keysFor(''), parameters, signal));
	}

	/**
	 * Acquires the key if it is free, or leased by the same token. Not to be broken off: it would be unknown whether
	 * the key is leased.
	 * @param token identifies one lease of a sender
	 * @param durationMs some seconds after that time (ms) the lease counts as "may have been sent"
	 * @param isForced also if it was sent
	 * @throws RedisError; it may be leased all the same
	 */
	async acquire(token: string, durationMs: number, isForced: boolean): Promise<FoundInRedis> {
		const parameters = [this.key, token, durationMs, Number(isForced)];
		return foundBy(await this.connection.run<Reply>(ACQUIRE, this.keysFor(token), parameters));
	}

	/** Renews the lease, again and again. Returns what ends that. */
	keepRenewing(token: string, durationMs: number): () => void {
		const parameters = [this.key, token, durationMs];
		return this.keep(RENEW_LEASE, this.keysFor(token), parameters, durationMs);
	}

	/**
	 * Ends the lease.
	 * @param state what became of it; undefined when it is as it was
	 * @throws RedisError; then it counts as "may have been sent" when its time is over
	 */
	async complete(token: string, state?: SentState): Promise<void> {
		const parameters = [this.key, token, state ?? '', this.maxEntries];
		await this.connection.run(COMPLETE, this.keysFor(token), parameters);
	}

	/** Whether no other sender has acquired the key since, as far as Redis knows. @throws RedisError */
	async isLast(token: string): Promise<boolean> {
		const parameters = [this.key, token];
		return (await this.connection.run<number>(IS_LAST, this.keysFor(token), parameters)) === 1;
	}

	/** Lets one process at a time run a step on a bucket in n8n's store. */
	readonly lock: BucketLock = async (bucket, step) => {
		const keys = [`${this.prefix}:lock:${bucket}`];
		const parameters = [randomUUID(), LOCK_MS];
		while ((await this.connection.run<number>(LOCK, keys, parameters)) === 0) {
			await sleep(LOCK_RETRY_MS, never);
		}
		const stopKeeping = this.keep(LOCK, keys, parameters, LOCK_MS);
		try {
			return await step();
		} finally {
			stopKeeping();
			// Not given back, it ends by itself.
			await this.connection.run(UNLOCK, keys, parameters).catch(() => undefined);
		}
	};

	private keysFor(token: string): string[] {
		const { prefix, key } = this;
		const ofAll = [`${prefix}:sent`, `${prefix}:unended`, `${prefix}:leases`];
		return [...ofAll, `${prefix}:ended:${token}`, `${prefix}:last:${key}`];
	}

	/** Runs a script that renews something for `durationMs`, well before that has passed. */
	private keep(
		script: RedisScript,
		keys: string[],
		parameters: Array<string | number>,
		durationMs: number,
	): () => void {
		const stop = abortController();
		const everyMs = Math.min(durationMs / 3, RENEWED_EVERY_MS);
		const renew = async () => {
			for (let ms = 0; ms < LONGEST_KEEP_MS; ms += everyMs) {
				await sleep(everyMs, stop.signal);
				// What cannot be renewed now is renewed next time. Nothing is retried when it has ended.
				await this.connection.run(script, keys, parameters, stop.signal).catch(() => undefined);
			}
		};
		renew().catch(() => undefined);
		return () => stop.abort();
	}
}

type Reply = [state: number, missingMs: number];

function foundBy([state, missingMs]: Reply): FoundInRedis {
	return { state: STATES[state] as KeyState, missingMs };
}
