/**
 * Sends what has a key once only, over retries, re-runs, restarts and executions side by side. The key is acquired and
 * recorded as perhaps sent right before its request leaves, recorded as sent when the service has accepted it, and
 * forgotten when the service has certainly not acted. An execution that finds a lease waits for its end.
 */
import { randomUUID } from 'node:crypto';

import type { IDataObject, IExecuteFunctions } from 'n8n-workflow';

import { type Account, CREDENTIAL_TYPE } from '../transport/account';
import { type Endpoint, formatEndpoint } from '../transport/endpoints';
import { InvalidSettingError } from '../values/invalidSettingError';
import type { SendGuard } from '../transport/serviceRequest';
import { never, onceAborted, sleep } from '../async';
import { contentHash } from './content';
import { leaseKey, leaseOf } from './processState';
import { type FoundInRedis, type KeyState, RedisRecord } from './redisRecord';
import { retried } from './retried';
import { shortHash, type SentState, StoredKey } from './storedKey';

/** What a lease lasts (ms) beyond a request's timeout; some seconds follow in which it can be renewed. */
const SLACK_MS = 2_000;
/** How often (ms) to look whether a lease of another process has ended. */
const LOOK_UP_AGAIN_MS = 200;
/** How long (ms) to wait before each further attempt to end a lease where a record cannot be changed: 10 minutes. */
const PAUSES_MS = Array<number>(600).fill(1_000);
/** How long (ms) a run waits for that; it goes on all the same. */
const LONGEST_END_MS = 3_000;
/** What n8n gives for the ID of a workflow that it has not saved. */
const NO_ID = ['', '__EMPTY__'];

const FREE: FoundInRedis = { state: 'notSent', missingMs: 0 };

const REASONS: Record<Exclude<SentState, 'notSent'>, string> = {
	sent: 'It was sent before with this key. To send it again on purpose, release the key (Sent Document → Release), or give it another one.',
	perhapsSent:
		'It may have been sent before with this key: n8n was stopped, or lost the response, while it was being sent. Check in the service, then use Sent Document → Mark as Sent or Release.',
};

/** The document was sent before, or may have been; nothing was sent. */
export class AlreadySentError extends Error {
	constructor(readonly state: Exclude<SentState, 'notSent'>) {
		super(REASONS[state]);
	}
}

/** A key, and what it is unique to. */
export interface KeyedDocument {
	/** The workflow that sends it. */
	workflowId: string;
	endpoint: Endpoint;
	key: string;
	/** How many keys are remembered for the workflow, business and endpoint. */
	maxEntries: number;
	/** What is sent with it; undefined when nothing is. */
	content?: { body: unknown; mustMatch: boolean; ignoreFields: string[] };
	/** How long (ms) its request may take. */
	timeoutMs: number;
}

/** The run that a key is used in. */
interface Party {
	context: IExecuteFunctions;
	account: Account;
	signal: AbortSignal;
}

/** Waits for the end of a lease of somebody else. */
type WaitFor = (ended: Promise<void>) => Promise<void>;

/** A lease that this guard holds. */
interface Lease {
	/** Identifies the lease in Redis. */
	token: string;
	/** Frees the key for other executions of this process. */
	release: () => void;
	/** Lets the lease run out in Redis. */
	stopRenewing: () => void;
}

export class SendOnce implements SendGuard {
	/** The value of the idempotency header. It stays the same for the document. */
	readonly idempotencyKey: string;

	readonly key: string;

	/** The key together with workflow, business and endpoint. */
	private readonly name: string;

	private readonly stored: StoredKey;

	private readonly redis: RedisRecord | undefined;

	private readonly durationMs: number;

	private readonly signal: AbortSignal;

	private current: Lease | undefined;

	private readonly content: { hash: string; mustMatch: boolean } | undefined;

	/** The token of the last lease in Redis. */
	private lastToken = '';

	/** Whether an earlier attempt of this very request may have been carried out. */
	mayBeSent = false;

	/** @throws InvalidSettingError that names the field, also where n8n has no deduplication store */
	constructor({ context, account, signal }: Party, document: KeyedDocument) {
		const { workflowId, endpoint, key, maxEntries, content, timeoutMs } = document;
		if (NO_ID.includes(workflowId)) {
			throw unusable('the workflow is not saved yet', 'Save it: n8n keeps the keys with it.');
		}
		// n8n gives no credential without an ID.
		const credential = context.getNode().credentials?.[CREDENTIAL_TYPE]?.id ?? '';
		const parts = [workflowId, credential, account.baseUrl, formatEndpoint(endpoint)];
		const name = shortHash(...parts);
		this.key = key;
		this.name = shortHash(...parts, key);
		this.idempotencyKey = shortHash('idempotency', ...parts, key);
		this.signal = signal;
		this.durationMs = timeoutMs + SLACK_MS;
		this.redis = account.redis && new RedisRecord(account.redis, name, this.name, maxEntries);
		const { redis } = this;
		this.content = content && {
			hash: contentHash(content.body, content.ignoreFields),
			mustMatch: content.mustMatch,
		};
		this.stored = new StoredKey(
			workflowId,
			name,
			this.name,
			this.content,
			maxEntries,
			redis?.lock,
			redis && (async () => await redis.isLast(this.lastToken)),
		);
	}

	/**
	 * What is known of the key; leaves no trace.
	 * @param before documents that a run would have sent before it
	 * @throws InvalidSettingError when it was sent with other content, RequestError or RedisError when nobody can tell
	 */
	async get(before: SendOnce[] = []): Promise<KeyState> {
		const twin = before.find(({ name }) => name === this.name);
		if (twin !== undefined) {
			if (this.content?.mustMatch === true && this.content.hash !== twin.content?.hash) {
				throw this.otherContent();
			}
			return 'sent';
		}
		const found = await this.lookUp();
		return 'ended' in found ? 'underWay' : found.state;
	}

	/**
	 * As `get`, but waits while another sender has the key.
	 * @param waitFor waits for the end of that, as long as there is time
	 * @throws InvalidSettingError when it was sent with other content, RequestError or RedisError when nobody can tell,
	 * the signal's reason, or what `waitFor` throws
	 */
	async state(waitFor: WaitFor = this.untilEnded): Promise<SentState> {
		for (;;) {
			const found = await onceAborted(this.lookUp(waitFor), this.signal);
			const next = 'isLost' in found && found.isLost ? await this.enterAgain() : found;
			if (!('ended' in next)) return next.state;
			await waitFor(next.ended);
		}
	}

	async acquire(): Promise<{ ended: Promise<void> } | undefined> {
		const acquiring = this.tryToAcquire(this.mayBeSent);
		let state: KeyState;
		try {
			const acquired = await onceAborted(acquiring, this.signal);
			if (acquired === undefined || 'ended' in acquired) return acquired;
			state = await this.state();
		} catch (error) {
			// What is acquired after a stop is not sent.
			const giveUp = async () => await this.complete('notSent');
			acquiring.then(giveUp, () => undefined);
			throw error;
		}
		// It may have been released, or forgotten, meanwhile.
		if (state === 'notSent') return { ended: Promise.resolve() };
		throw new AlreadySentError(state);
	}

	async complete(state: SentState): Promise<void> {
		const lease = this.current;
		this.current = undefined;
		if (lease === undefined) return;
		if (state === 'perhapsSent') this.mayBeSent = true;
		await this.end(lease, state === 'notSent' && this.mayBeSent ? 'perhapsSent' : state);
	}

	/**
	 * Records by hand that it was sent, or that it was not.
	 * @throws InvalidSettingError while it is being sent, RequestError or RedisError when a record cannot be changed
	 */
	async change(state: 'sent' | 'notSent'): Promise<void> {
		for (;;) {
			const acquired = await this.tryToAcquire(true);
			if (acquired === undefined) break;
			if ((await this.get()) === 'underWay') {
				throw unusable('it is being sent right now', 'Wait until that has ended, and look again.');
			}
			if ('ended' in acquired) await onceAborted(acquired.ended, this.signal);
		}
		const lease = this.current;
		this.current = undefined;
		let changed: SentState | undefined;
		try {
			await (state === 'sent' ? this.stored.mark() : this.stored.complete('notSent'));
			changed = state;
			lease?.stopRenewing();
			await this.redis?.complete(this.lastToken, state);
		} catch (error) {
			if (lease !== undefined) await this.end(lease, changed);
			throw error;
		}
		// It is free in Redis by now, and on record what the next sender has made of it.
		lease?.release();
	}

	/** The output of an item that was skipped. */
	skipped(state: Exclude<SentState, 'notSent'>): IDataObject & { skipped: true } {
		return { skipped: true, state, reason: REASONS[state], sendOnceKey: this.key };
	}

	private otherContent(): InvalidSettingError {
		return unusable(
			`${this.key} was used before, with other content; nothing was sent`,
			'Give each document a key of its own. If they differ only in fields such as a time stamp, set Send Once Content to Ignore: Send Once Ignore Fields counts from the first send with a key on.',
		);
	}

	/**
	 * What is known of the key, and whether Redis has lost it; or when to look again, while another sender has the key.
	 * @throws what `state` throws
	 */
	private async lookUp(
		waitFor = this.untilEnded,
	): Promise<{ state: SentState; isLost: boolean } | { ended: Promise<void> }> {
		const other = leaseOf(this.name);
		if (other !== undefined) return { ended: other };
		const { state: inRedis, missingMs } = (await this.redis?.lookUp(this.signal)) ?? FREE;
		if (inRedis === 'underWay') return { ended: this.pause(LOOK_UP_AGAIN_MS) };
		const found = await this.stored.find();
		const isLost = this.redis !== undefined && inRedis === 'notSent' && found.state !== 'notSent';
		if (isLost && missingMs > 0) {
			await waitFor(this.pause(missingMs));
			return await this.lookUp(waitFor);
		}
		if (found.isOther) throw this.otherContent();
		const states = [inRedis, found.state];
		const state = (['sent', 'perhapsSent'] as const).find((one) => states.includes(one));
		return { state: state ?? 'notSent', isLost };
	}

	private readonly untilEnded: WaitFor = async (ended) => await onceAborted(ended, this.signal);

	/** Enters the key again in a Redis that has lost it. */
	private async enterAgain(): Promise<{ state: SentState } | { ended: Promise<void> }> {
		const acquired = await this.tryToAcquire(false);
		if (acquired !== undefined) return acquired;
		await this.complete('notSent');
		return { state: 'notSent' };
	}

	/**
	 * Acquires the key, as `acquire` does but for stops.
	 * @param isForced also if it was sent; without a new record then
	 * @returns undefined when it is acquired, what is known of it, or when to ask again
	 */
	private async tryToAcquire(
		isForced: boolean,
	): Promise<{ ended: Promise<void> } | { state: SentState } | undefined> {
		const other = leaseOf(this.name);
		if (other !== undefined) return { ended: other };
		const token = randomUUID();
		this.lastToken = token;
		const stopRenewing = this.redis?.keepRenewing(token, this.durationMs) ?? (() => undefined);
		const lease = { token, release: leaseKey(this.name), stopRenewing };
		let found: FoundInRedis | undefined;
		try {
			found = await this.acquireInRecords(token, isForced);
		} finally {
			if (found?.state === 'notSent') this.current = lease;
			else await this.end(lease, this.isRecorded ? 'notSent' : undefined);
			this.isRecorded = false;
		}
		if (found.state === 'notSent') return undefined;
		if (found.state !== 'underWay') return { state: found.state };
		return { ended: this.pause(Math.max(found.missingMs, LOOK_UP_AGAIN_MS)) };
	}

	/** Whether a lease that is being made is on record. */
	private isRecorded = false;

	/**
	 * Returns `notSent` when the key was free, and now is leased and on record; `underWay` with a time while no record
	 * can say whether it is being sent.
	 * @throws what a record throws
	 */
	private async acquireInRecords(token: string, isForced: boolean): Promise<FoundInRedis> {
		const { redis, durationMs, stored } = this;
		const acquireInRedis = async (): Promise<FoundInRedis> =>
			(await redis?.acquire(token, durationMs, isForced)) ?? FREE;
		const before = await acquireInRedis();
		if (isForced && before.missingMs > 0) return { ...before, state: 'underWay' };
		if (isForced || before.state !== 'notSent') return before;
		const found = await stored.acquire();
		if (found.state !== 'notSent') {
			// The process that put it on record may be sending it: Redis may have been emptied since, or shortly before,
			// and this lease has kept it from entering its own again.
			const now = await acquireInRedis();
			const missingMs = Math.max(before.missingMs, now.missingMs);
			if (now.state === 'underWay' || missingMs > 0) return { state: 'underWay', missingMs };
			// Redis has lost the key, so this enters it again.
			await redis?.complete(token, found.state);
			return { state: found.state, missingMs };
		}
		this.isRecorded = true;
		// Redis may have been emptied since, and another process may have acquired the key.
		return { ...(await acquireInRedis()), missingMs: 0 };
	}

	/**
	 * Ends a lease. A key that was not sent is free for other senders only when no record says otherwise. Never
	 * rejects.
	 * @param state undefined when the records are as they were
	 */
	private async end(lease: Lease, state?: SentState): Promise<void> {
		const inStore = async () => await this.stored.complete(state);
		const inRedis = async () => {
			// A renewal after the end would bring the lease back.
			lease.stopRenewing();
			await this.redis?.complete(lease.token, state);
		};
		const both = async () => {
			await inStore();
			await inRedis();
		};
		// A document that was sent is safe in both: a look-up finds the lease, or the entry that it has left.
		const ends =
			state === 'sent' ? [inRedis(), retried(inStore, PAUSES_MS)] : [retried(both, PAUSES_MS)];
		await sleep(LONGEST_END_MS, never, Promise.allSettled(ends));
		lease.release();
	}

	/** Resolves when it makes sense to ask Redis again. Never rejects. */
	private async pause(ms: number): Promise<void> {
		await sleep(ms, this.signal).catch(() => undefined);
	}
}

function unusable(problem: string, description: string): InvalidSettingError {
	return new InvalidSettingError('Send Once Key', problem, description);
}
