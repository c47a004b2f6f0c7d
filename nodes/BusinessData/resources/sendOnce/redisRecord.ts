/**
 * The keys that a node has sent or is sending, in the Redis that n8n's processes share. It stands beside
 * the record in n8n's store, so that neither an emptied Redis nor a lost update there forgets a document.
 */
import { createHash, randomUUID } from 'node:crypto';

import { KEY_PREFIX, type RedisConnection, type RedisScript } from '../../redis';
import { abortController } from '../../waiting';
import type { RecordLock } from './nodeRecord';
import {
	CLAIM,
	EXTEND_LOCK,
	LOCK,
	RENEW_CLAIM,
	RENEWED_EVERY_MS,
	SETTLE,
	UNLOCK,
} from './redisScripts';

/** What is known of a key: it was sent or may have been, somebody is sending it, or neither. */
export type KeyState = 'used' | 'claimed' | 'free';

/** What Redis knows of a key. */
export interface Found {
	state: KeyState;
	/** For how long (ms) Redis, new or emptied, may lack claims that their owners have not entered again. */
	missingMs: number;
}

/** A process that died with the lock holds up the others for so long; one that lives extends it. */
const LOCK_MS = 5_000;
const LOCK_RETRY_MS = 25;
/** How long (ms) a lock or a claim is renewed: where n8n's store never answers, others must go on. */
const LONGEST_KEEP_MS = 10 * 60_000;

export class RedisRecord {
	/** How all keys of the record begin; the hash tag keeps them in one place of a cluster. */
	private readonly prefix: string;

	/** @param name stands for the node in its workflow */
	constructor(
		private readonly connection: RedisConnection,
		name: string,
		/** How many keys are remembered. */
		private readonly maxEntries: number,
	) {
		this.prefix = `${KEY_PREFIX}:{sendOnce:${hashOf(name)}}`;
	}

	/** @throws RedisError, or the signal's reason */
	async look(key: string, signal: AbortSignal): Promise<KeyState> {
		const parameters = [hashOf(key), '', 0];
		const reply = await this.connection.run<Reply>(CLAIM, this.keysFor(''), parameters, signal);
		return foundBy(reply).state;
	}

	/**
	 * Claims the key if it is free, or claimed by the same token. Not to be broken off: nobody would know
	 * whether it is claimed.
	 * @param token stands for whoever claims it, once
	 * @param durationMs some seconds after that time (ms) the claim counts as "may have been sent"
	 * @throws RedisError; it may be claimed all the same
	 */
	async claim(key: string, token: string, durationMs: number): Promise<Found> {
		const parameters = [hashOf(key), token, durationMs];
		return foundBy(await this.connection.run<Reply>(CLAIM, this.keysFor(token), parameters));
	}

	/** Renews the claim, again and again. Returns what ends that. */
	keepClaim(key: string, token: string, durationMs: number): () => void {
		const parameters = [hashOf(key), token, durationMs];
		return this.keep(RENEW_CLAIM, this.keysFor(token), parameters, durationMs);
	}

	/** Ends the claim. @throws RedisError; then it counts as "may have been sent" when its time is over */
	async settle(key: string, token: string, mayBeSent: boolean): Promise<void> {
		const parameters = [hashOf(key), token, mayBeSent ? 1 : 0, this.maxEntries];
		await this.connection.run(SETTLE, this.keysFor(token), parameters);
	}

	/** Lets one process at a time run a step on the record in n8n's store. */
	readonly lock: RecordLock = async (step) => {
		const keys = [`${this.prefix}:lock`];
		const parameters = [randomUUID(), LOCK_MS];
		while ((await this.connection.run<number>(LOCK, keys, parameters)) === 0) {
			await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS * (0.5 + Math.random())));
		}
		const stopKeeping = this.keep(EXTEND_LOCK, keys, parameters, LOCK_MS);
		try {
			return await step();
		} finally {
			stopKeeping();
			// Not given back, it ends by itself.
			await this.connection.run(UNLOCK, keys, parameters).catch(() => undefined);
		}
	};

	/** Of what was sent, of the claims, and of the end of the one that the token stands for. */
	private keysFor(token: string): string[] {
		const { prefix } = this;
		return [`${prefix}:sent`, `${prefix}:claims`, `${prefix}:ended:${token}`];
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
		const keepUntil = performance.now() + LONGEST_KEEP_MS;
		let timer: NodeJS.Timeout | undefined;
		const renewLater = () => {
			if (stop.signal.aborted || performance.now() >= keepUntil) return;
			timer = setTimeout(renew, everyMs).unref();
		};
		const renew = () => {
			// What cannot be renewed now is renewed next time. Nothing is repeated when it has ended.
			this.connection.run(script, keys, parameters, stop.signal).then(renewLater, renewLater);
		};
		renewLater();
		return () => {
			clearTimeout(timer);
			stop.abort();
		};
	}
}

type Reply = [state: number, missingMs: number];

function foundBy([state, missingMs]: Reply): Found {
	if (state === 0) return { state: 'free', missingMs };
	return { state: state < 0 ? 'used' : 'claimed', missingMs };
}

/** Short, and unlike any other in all likelihood: 132 bits. */
function hashOf(text: string): string {
	return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
