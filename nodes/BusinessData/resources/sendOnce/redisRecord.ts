/**
 * The keys that a node has sent or is sending, in the Redis that n8n's processes share. It stands beside
 * the record in n8n's store, so that neither an emptied Redis nor a lost update there forgets a document.
 */
import { createHash, randomUUID } from 'node:crypto';

import type { RedisConnection } from '../../redis/connection';
import { KEY_PREFIX } from '../../redis/keyPrefix';
import type { RecordLock } from './nodeRecord';
import { CLAIM, LOCK, SETTLE, UNLOCK } from './redisScripts';

/** What is known of a key: nobody has sent it, or it was sent or may have been, or somebody is sending it. */
export type KeyState = 'free' | 'used' | { claimedForMs: number };

/** Far longer than n8n's store takes for a step; a process that died holds up the others for so long. */
const LONGEST_LOCK_MS = 15_000;
const LOCK_RETRY_MS = 25;

export class RedisRecord {
	private readonly sent: string;

	private readonly claims: string;

	private readonly lockKey: string;

	/** @param name stands for the node in its workflow */
	constructor(
		private readonly connection: RedisConnection,
		name: string,
		/** How many keys are remembered. */
		private readonly maxEntries: number,
	) {
		// The hash tag keeps all of a record in one place of a cluster.
		const key = (part: string) => `${KEY_PREFIX}:{sendOnce:${hashOf(name)}}:${part}`;
		[this.sent, this.claims, this.lockKey] = [key('sent'), key('claims'), key('lock')];
	}

	/** @throws RedisError, or the signal's reason */
	async look(key: string, signal: AbortSignal): Promise<KeyState> {
		return await this.claim(key, '', 0, signal);
	}

	/**
	 * Claims the key if it is free.
	 * @param token stands for whoever claims it, once
	 * @param durationMs after that time (ms) the claim counts as "may have been sent"
	 * @throws RedisError, or the signal's reason
	 */
	async claim(
		key: string,
		token: string,
		durationMs: number,
		signal: AbortSignal,
	): Promise<KeyState> {
		const parameters = [hashOf(key), token, Math.ceil(durationMs)];
		const keys = [this.sent, this.claims];
		const reply = await this.connection.run<number>(CLAIM, keys, parameters, signal);
		if (reply < 0) return 'used';
		return reply === 0 ? 'free' : { claimedForMs: reply };
	}

	/** Ends the claim. @throws RedisError; then it counts as "may have been sent" when its time is over */
	async settle(key: string, token: string, mayBeSent: boolean): Promise<void> {
		const parameters = [hashOf(key), token, mayBeSent ? 1 : 0, this.maxEntries];
		await this.connection.run(SETTLE, [this.sent, this.claims], parameters);
	}

	/** Lets one process at a time run a step on the record in n8n's store. */
	readonly lock: RecordLock = async (step) => {
		const token = randomUUID();
		const take = async () =>
			await this.connection.run<number>(LOCK, [this.lockKey], [token, LONGEST_LOCK_MS]);
		while ((await take()) === 0) {
			await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS * (0.5 + Math.random())));
		}
		try {
			return await step();
		} finally {
			// Not given back, it ends by itself.
			await this.connection.run(UNLOCK, [this.lockKey], [token]).catch(() => undefined);
		}
	};
}

/** Short, and unlike any other in all likelihood: 132 bits. */
function hashOf(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
