/**
 * Sends what has a key once only, over retries, re-runs, restarts and executions side by side. The key is
 * claimed right before its request leaves, put on record, and taken back when the service has certainly
 * not acted. Whoever meets a claim waits for its end.
 */
import { randomUUID } from 'node:crypto';

import type { IDataObject } from 'n8n-workflow';

import { onceAborted, sleep } from '../../rateLimit/abort';
import type { SendGuard, ServiceRequest } from '../../transport/serviceRequest';
import type { Run } from '../run';
import { NodeRecord } from './nodeRecord';
import { readSendOnceSettings, unusable } from './options';
import { claimKey, claimOf } from './processState';
import { RedisRecord } from './redisRecord';

/** What a busy process may take (ms) beyond a request's time-out to say that it is over. */
const SLACK_MS = 5_000;
/** How often (ms) to look whether a claim of another process has ended. */
const LOOK_AGAIN_MS = 200;

/** The key was used before; nothing was sent. */
export class UsedBeforeError extends Error {}

/** A claim of this guard's own. */
interface Claim {
	/** Stands for it in Redis. */
	token: string;
	giveBack: () => void;
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
		const lock = redis?.lock ?? (async (step) => await step());
		const record = new NodeRecord(node, context, maxEntries, lock);
		const name = JSON.stringify([node, key]);
		return new SendOnce(key, name, record, redis, timeoutMs + SLACK_MS, run.signal);
	}

	/**
	 * Whether the key was used before; waits while somebody else is sending it. Leaves no trace: while the
	 * request waits for the limits, nothing may be on record that a crash would leave there.
	 * @throws RequestError or RedisError when nobody can tell, or the signal's reason
	 */
	async wasUsed(): Promise<boolean> {
		for (;;) {
			const state = await this.look();
			if (typeof state === 'boolean') return state;
			await onceAborted(state.ended, this.signal);
		}
	}

	async claim(): Promise<{ ended: Promise<void> } | undefined> {
		const other = claimOf(this.name);
		if (other !== undefined) return { ended: other };
		const claim = { token: randomUUID(), giveBack: claimKey(this.name) };
		try {
			const state = await this.redis?.claim(this.key, claim.token, this.durationMs, this.signal);
			if (typeof state === 'object') {
				claim.giveBack();
				return { ended: this.untilUnclaimed() };
			}
			if (state === 'used') throw usedBefore(this.key);
			await this.putOnRecord(claim);
		} catch (error) {
			claim.giveBack();
			throw error;
		}
		this.current = claim;
		return undefined;
	}

	async settle(mayHaveActed: boolean): Promise<void> {
		const claim = this.current;
		this.current = undefined;
		if (claim === undefined) return;
		if (!mayHaveActed) await this.record.takeBack(this.key);
		const ended = this.endInRedis(claim, mayHaveActed);
		// What was sent need not wait for Redis: whoever looks there meets the claim until then.
		if (!mayHaveActed) await ended;
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
		// So that nobody of this process sends it meanwhile.
		const giveBack = claimKey(this.name);
		try {
			if (this.redis === undefined) return await this.record.has(this.key);
			const state = await this.redis.look(this.key, this.signal);
			if (typeof state === 'object') return { ended: this.untilUnclaimed() };
			return state === 'used';
		} finally {
			giveBack();
		}
	}

	/** @throws UsedBeforeError when it is there */
	private async putOnRecord(claim: Claim): Promise<void> {
		let isNew = false;
		try {
			isNew = await this.record.add(this.key);
		} catch (error) {
			await this.endInRedis(claim, false);
			throw error;
		}
		if (isNew) return;
		// Redis did not know, so it was emptied, or counts came to be kept there only lately.
		await this.endInRedis(claim, true);
		throw usedBefore(this.key);
	}

	/** What Redis does not hear of counts there as "may have been sent" when the claim's time is over. */
	private async endInRedis({ token }: Claim, mayBeSent: boolean): Promise<void> {
		await this.redis?.settle(this.key, token, mayBeSent).catch(() => undefined);
	}

	/** Resolves when no other process is sending the key, or when Redis cannot tell. */
	private async untilUnclaimed(): Promise<void> {
		try {
			for (;;) {
				await sleep(LOOK_AGAIN_MS * (0.5 + Math.random()), this.signal);
				if (typeof (await this.redis?.look(this.key, this.signal)) !== 'object') return;
			}
		} catch {
			// Whoever asks next hears what is wrong.
		}
	}
}

function usedBefore(key: string): UsedBeforeError {
	return new UsedBeforeError(`The key ${key} was used before`);
}
