/**
 * The keys that a node has sent or is sending, in the Redis that n8n's processes share. It stands beside
 * the record in n8n's store, so that neither an emptied Redis nor a lost update there forgets a document.
 */
import { createHash, randomUUID } from 'node:crypto';

import { KEY_PREFIX, type RedisConnection, type RedisScript } from '../../redis';
import type { RecordLock } from './nodeRecord';
import { CLAIM, EXTEND_CLAIM, EXTEND_LOCK, LOCK, SETTLE, UNLOCK } from './redisScripts';

/** What is known of a key: it was sent or may have been, somebody is sending it, or neither. */
export type KeyState = 'used' | 'claimed' | 'free';

/** A process that died with the lock holds up the others for so long; one that lives extends it. */
const LOCK_MS = 5_000;
const LOCK_RETRY_MS = 25;
/** How long (ms) a lock or a claim is extended: where n8n's store never answers, others must go on. */
const LONGEST_KEEP_MS = 10 * 60_000;

export class RedisRecord {
	/** Of what was sent, and of the claims. */
	private readonly keys: string[];

	private readonly lockKeys: string[];

	/** @param name stands for the node in its workflow */
	constructor(
		private readonly connection: RedisConnection,
		name: string,
		/** How many keys are remembered. */
		private readonly maxEntries: number,
	) {
		// The hash tag keeps all of a record in one place of a cluster.
		const key = (part: string) => `${KEY_PREFIX}:{sendOnce:${hashOf(name)}}:${part}`;
		this.keys = [key('sent'), key('claims')];
		this.lockKeys = [key('lock')];
	}

	/** @throws RedisError, or the signal's reason */
	async look(key: string, signal: AbortSignal): Promise<KeyState> {
		return stateOf(await this.connection.run(CLAIM, this.keys, [hashOf(key), '', 0], signal));
	}

	/**
	 * Claims the key if it is free, or claimed by the same token. Not to be broken off: nobody would know
	 * whether it is claimed.
	 * @param token stands for whoever claims it, once
	 * @param durationMs after that time (ms) the claim counts as "may have been sent"
	 * @throws RedisError; it may be claimed all the same
	 */
	async claim(key: string, token: string, durationMs: number): Promise<KeyState> {
		return stateOf(await this.connection.run(CLAIM, this.keys, [hashOf(key), token, durationMs]));
	}

	/** Extends the claim, again and again. Returns what ends that. */
	keepClaim(key: string, token: string, durationMs: number): () => void {
		return this.keep(EXTEND_CLAIM, this.keys, [hashOf(key), token, durationMs], durationMs);
	}

	/** Ends the claim. @throws RedisError; then it counts as "may have been sent" when its time is over */
	async settle(key: string, token: string, mayBeSent: boolean): Promise<void> {
		const parameters = [hashOf(key), token, mayBeSent ? 1 : 0, this.maxEntries];
		await this.connection.run(SETTLE, this.keys, parameters);
	}

	/** Lets one process at a time run a step on the record in n8n's store. */
	readonly lock: RecordLock = async (step) => {
		const parameters = [randomUUID(), LOCK_MS];
		while ((await this.connection.run<number>(LOCK, this.lockKeys, parameters)) === 0) {
			await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS * (0.5 + Math.random())));
		}
		const stopKeeping = this.keep(EXTEND_LOCK, this.lockKeys, parameters, LOCK_MS);
		try {
			return await step();
		} finally {
			stopKeeping();
			// Not given back, it ends by itself.
			await this.connection.run(UNLOCK, this.lockKeys, parameters).catch(() => undefined);
		}
	};

	/** Runs a script that extends something by `durationMs`, well before that has passed. */
	private keep(
		script: RedisScript,
		keys: string[],
		parameters: Array<string | number>,
		durationMs: number,
	): () => void {
		let keepUntil = performance.now() + LONGEST_KEEP_MS;
		let timer: NodeJS.Timeout | undefined;
		const extendLater = () => {
			if (performance.now() < keepUntil) timer = setTimeout(extend, durationMs / 3).unref();
		};
		const extend = () => {
			// What cannot be extended now is extended next time.
			void this.connection.run(script, keys, parameters).then(extendLater, extendLater);
		};
		extendLater();
		return () => {
			keepUntil = 0;
			clearTimeout(timer);
		};
	}
}

function stateOf(reply: number): KeyState {
	if (reply === 0) return 'free';
	return reply < 0 ? 'used' : 'claimed';
}

/** Short, and unlike any other in all likelihood: 132 bits. */
function hashOf(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
