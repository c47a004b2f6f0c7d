/**
 * Sends what has a key once only, over retries, re-runs, restarts and executions side by side. The key is
 * claimed right before its request leaves, put on record, and taken back when the service has certainly
 * not acted. Whoever meets a claim waits for its end.
 */
import { randomUUID } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import type { SendGuard, ServiceRequest } from '../../transport/serviceRequest';
import { onceAborted, sleep } from '../../waiting';
import type { Run } from '../run';
import { NodeRecord } from './nodeRecord';
import { readSendOnceSettings, unusable } from './options';
import { claimKey, claimOf } from './processState';
import { type Found, RedisRecord } from './redisRecord';
import { retried } from './retried';

/** What a claim lasts (ms) beyond a request's time-out; some seconds follow in which it can be renewed. */
const SLACK_MS = 2_000;
/** How often (ms) to look whether a claim of another process has ended. */
const LOOK_AGAIN_MS = 200;
/** How long (ms) to wait before each further try to end a claim where a record cannot be changed: 10 minutes. */
const PAUSES_MS = [100, 500, ...Array<number>(600).fill(1_000)];
/** How long (ms) a run waits for that; it goes on all the same. */
const LONGEST_END_MS = 3_000;

/** The key was used before; nothing was sent. */
export class UsedBeforeError extends Error {}

/** A claim of this guard's own. */
interface Claim {
	/** Stands for it in Redis. */
	token: string;
	/** Lets others of this process have the key. */
	giveBack: () => void;
	/** Lets it end in Redis when its time is over. */
	letGo: () => void;
}

export class SendOnce implements SendGuard {
	private current: Claim | undefined;

	private constructor(
		private readonly key: string,
		/** The key together with its node and workflow. */
		private readonly name: string,
		private readonly record: NodeRecord,
		private readonly redis: RedisRecord | undefined,
		private readonly durationMs: number,
		private readonly signal: AbortSignal,
	) {}

	/**
	 * The guard of an item's request; undefined when the option is not used.
	 * @throws InvalidSettingError that names the field, also where n8n has no deduplication store
	 */
	static of(run: Run, itemIndex: number, { timeoutMs }: ServiceRequest): SendOnce | undefined {
		const settings = readSendOnceSettings(run.options(itemIndex));
		if (settings === undefined) return undefined;
		const { key, maxEntries } = settings;
		const { context, account } = run;
		const { id: workflowId } = context.getWorkflow();
		if (workflowId === undefined || workflowId === '') {
			throw unusable('the workflow is not saved yet', 'Save it: n8n keeps the keys with it.');
		}
		const node = JSON.stringify([workflowId, context.getNode().id]);
		const redis =
			account.redis === undefined ? undefined : new RedisRecord(account.redis, node, maxEntries);
		const record = new NodeRecord(node, context, maxEntries, redis?.lock);
		const name = JSON.stringify([node, key]);
		const durationMs = Math.ceil(timeoutMs + SLACK_MS);
		return new SendOnce(key, name, record, redis, durationMs, run.signal);
	}

	/**
	 * Whether the key was used before; waits while somebody else is sending it. Leaves no trace: while the
	 * request waits for the limits, nothing may be on record that a crash would leave there.
	 * @throws RequestError or RedisError when nobody can tell, or the signal's reason
	 */
	async wasUsed(): Promise<boolean> {
		for (;;) {
			this.signal.throwIfAborted();
			const state = await onceAborted(this.look(), this.signal);
			if (typeof state === 'boolean') return state;
			await onceAborted(state.ended, this.signal);
		}
	}

	async claim(): Promise<{ ended: Promise<void> } | undefined> {
		const claiming = this.tryToClaim();
		try {
			return await onceAborted(claiming, this.signal);
		} catch (error) {
			// What is claimed after a stop is not sent.
			const giveUp = async () => await this.settle(false);
			claiming.then(giveUp, () => undefined);
			throw error;
		}
	}

	async settle(mayHaveActed: boolean): Promise<void> {
		const claim = this.current;
		this.current = undefined;
		if (claim === undefined) return;
		if (!mayHaveActed) {
			this.record.takeBack(this.key);
			await this.free(claim);
			return;
		}
		// Need not be waited for: whoever looks there meets the claim until then, or finds it left over.
		claim.letGo();
		this.redis?.settle(this.key, claim.token, true).catch(() => undefined);
		claim.giveBack();
	}

	/** The output of an item that was skipped. */
	skipped(): IDataObject {
		return {
			skipped: true,
			reason:
				'This node has used the key before: it was sent then, or n8n was stopped or lost the answer while it was being sent. Check in the service; to send it on purpose, give it another key.',
			sendOnceKey: this.key,
		};
	}

	/** Whether the key was used, or when to look again because somebody is sending it. */
	private async look(): Promise<boolean | { ended: Promise<void> }> {
		const other = claimOf(this.name);
		if (other !== undefined) return { ended: other };
		if (this.redis === undefined) return await this.record.has(this.key);
		const state = await this.redis.look(this.key, this.signal);
		return state === 'claimed' ? { ended: this.untilUnclaimed() } : state === 'used';
	}

	/** As `claim`, but for stops. */
	private async tryToClaim(): Promise<{ ended: Promise<void> } | undefined> {
		const other = claimOf(this.name);
		if (other !== undefined) return { ended: other };
		const token = randomUUID();
		const letGo = this.redis?.keepClaim(this.key, token, this.durationMs) ?? (() => undefined);
		const claim = { token, giveBack: claimKey(this.name), letGo };
		let found: Found | undefined;
		try {
			found = await this.claimInRecords(token);
		} finally {
			if (found?.state === 'free') this.current = claim;
			else await this.free(claim);
		}
		if (found.state === 'used') throw new UsedBeforeError(`The key ${this.key} was used before`);
		if (found.state === 'free') return undefined;
		const { missingMs } = found;
		return { ended: missingMs > 0 ? this.untilRenewed(missingMs) : this.untilUnclaimed() };
	}

	/**
	 * Finds `free` when the key was, and now is claimed and on record; `claimed` with a time while nobody can
	 * tell whether somebody is sending it.
	 * @throws what a record throws
	 */
	private async claimInRecords(token: string): Promise<Found> {
		const { key, redis, durationMs } = this;
		const claimInRedis = async () =>
			(await redis?.claim(key, token, durationMs)) ?? { state: 'free' as const, missingMs: 0 };
		const before = await claimInRedis();
		if (before.state !== 'free') return before;
		if (!(await this.record.add(key))) {
			// Redis may have been emptied since, and whoever has put it on record may be sending it.
			const now = before.missingMs > 0 ? before : await claimInRedis();
			if (now.state === 'claimed' || now.missingMs > 0) return { ...now, state: 'claimed' };
			// What Redis has lost of it is entered again.
			await redis?.settle(key, token, true);
			return { ...before, state: 'used' };
		}
		let after: Found | undefined;
		try {
			// Redis may have been emptied since, and somebody else may have claimed it.
			after = { ...(await claimInRedis()), missingMs: 0 };
			return after;
		} finally {
			if (after === undefined || after.state === 'claimed') this.record.takeBack(key);
		}
	}

	/** Ends a claim of what was not sent when the records are right; others wait until then. Never rejects. */
	private async free(claim: Claim): Promise<void> {
		const end = async () => {
			await this.record.mend();
			// What is renewed from now on would outlast its end.
			claim.letGo();
			await this.redis?.settle(this.key, claim.token, false);
		};
		const ended = retried(end, PAUSES_MS).catch(claim.letGo);
		await onceAborted(ended, AbortSignal.timeout(LONGEST_END_MS)).catch(() => undefined);
		claim.giveBack();
	}

	/** Resolves when whoever is sending the key has claimed it in a Redis that is new. Never rejects. */
	private async untilRenewed(ms: number): Promise<void> {
		await sleep(ms, this.signal).catch(() => undefined);
	}

	/** Resolves when no other process is sending the key, or when Redis cannot tell. */
	private async untilUnclaimed(): Promise<void> {
		try {
			for (;;) {
				await sleep(LOOK_AGAIN_MS * (0.5 + Math.random()), this.signal);
				if ((await this.redis?.look(this.key, this.signal)) !== 'claimed') return;
			}
		} catch {
			// Whoever asks next hears what is wrong.
		}
	}
}
