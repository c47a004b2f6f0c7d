/**
 * Sends a document with a key only once, across retries, re-runs, restarts and parallel executions. The key is recorded as
 * perhaps sent right before the request leaves, and as sent when the service has accepted it. It is forgotten if the
 * service certainly did not act.
 */
import type { IDataObject } from 'n8n-workflow';

import { CREDENTIAL_TYPE } from '../transport/account';
import { type Endpoint, formatEndpoint } from '../transport/endpoints';
import { InvalidSettingError } from '../values/invalidSettingError';
import type { SendGuard, SentState, UnderWay } from '../transport/serviceRequest';
import { hashOf } from '../values/hash';
import { abortable } from '../async';
import type { Run } from '../run/run';
import { type Content, KeyRow, LATE_MS } from './keyRow';
import { KeyLease } from './keyLease';
import { addSentKey, removeSentKey } from './sentKeys';

/** IDs of workflows that are not saved. */
const NO_ID = ['', '__EMPTY__'];

/** The states in which a document is skipped. */
type UsedState = Exclude<SentState, 'notSent'>;

const REASONS: Record<UsedState, string> = {
	sent: 'It was sent before with this key. To send it again on purpose, release the key (Sent Document → Release), or give it another one.',
	perhapsSent:
		'It may have been sent before with this key: n8n was stopped while it was being sent, or no response said whether it was. Check in the service, then use Sent Document → Mark as Sent or Release.',
};

/** The reason with an idempotency header: the service still knows a key that was released here. */
const SENT_BY_HEADER =
	'It was sent before with this key. To send it again on purpose, give it another key: the service knows this one by its idempotency header, and would only repeat its response.';

export class AlreadySentError extends Error {
	constructor(readonly state: UsedState) {
		super(REASONS[state]);
	}
}

/** Only a send has `content`, and `maxEntries`, which is how many keys are remembered. */
export interface KeyedDocument {
	workflowId: string;
	endpoint: Endpoint;
	key: string;
	content?: Content;
	maxEntries?: number;
}

export class SendOnce implements SendGuard {
	/** The value of the idempotency header, the same whenever the document is sent. */
	readonly idempotencyKey: string;
	/** Whether a previous attempt at this request may have been carried out. */
	mayBeSent = false;
	private readonly row: KeyRow;
	private readonly lease: KeyLease;
	/** Ends the lease that this guard holds. */
	private release: (() => void) | undefined;

	/** @throws InvalidSettingError that names the field, also if n8n has no deduplication store */
	constructor(
		private readonly run: Pick<Run, 'context' | 'account' | 'signal'>,
		readonly document: KeyedDocument,
	) {
		const { workflowId, endpoint, key, content } = document;
		if (NO_ID.includes(workflowId)) {
			throw unusable(
				'the workflow is not saved yet',
				'Save it: n8n keeps the keys with it. An agent outside of workflows has none: give it a workflow as its tool.',
			);
		}
		const { context, account, signal } = run;
		// Without an ID, n8n would not have returned the credential.
		const credential = context.getNode().credentials?.[CREDENTIAL_TYPE]?.id ?? '';
		const parts = [workflowId, credential, account.baseUrl, formatEndpoint(endpoint)];
		const id = { workflowId, document: shortHash(parts), name: shortHash([...parts, key]) };
		this.idempotencyKey = shortHash(['idempotency', ...parts, key]);
		this.row = new KeyRow(id, content);
		this.lease = new KeyLease(id, account.redis, signal);
	}

	/**
	 * Looks up the key without changing anything.
	 * @param before documents that a run would have sent before
	 * @throws InvalidSettingError if the key was used with other content, RequestError or RedisError if nobody can tell
	 */
	async get(before: SendOnce[] = []): Promise<SentState | 'underWay'> {
		const { id, content } = this.row;
		const twin = before.find(({ row }) => row.id.name === id.name)?.row;
		if (twin !== undefined) {
			if (content?.mustMatch !== true || content.hash === twin.content?.hash) return 'sent';
			throw this.otherContent();
		}
		const found = await this.lookUp();
		return typeof found === 'string' ? found : 'underWay';
	}

	/**
	 * Like `get`, but waits while another sender has the key.
	 * @param waitFor waits for the other sender, as long as there is time
	 * @throws what `get` throws, the signal's reason, or what `waitFor` throws
	 */
	async waitForState(waitFor: (ended: Promise<void>) => Promise<void>): Promise<SentState> {
		for (;;) {
			const found = await abortable(this.lookUp(), this.run.signal);
			if (typeof found === 'string') return found;
			await waitFor(found.ended);
		}
	}

	async acquire(): Promise<UnderWay | undefined> {
		const acquiring = this.tryToAcquire();
		try {
			return await abortable(acquiring, this.run.signal);
		} catch (error) {
			// If the key is acquired after the stop, nothing is sent with it.
			acquiring.then(async () => await this.complete('notSent')).catch(() => undefined);
			throw error;
		}
	}

	async complete(state: SentState): Promise<void> {
		const { release, row, document } = this;
		this.release = undefined;
		if (release === undefined) return;
		if (state === 'perhapsSent') this.mayBeSent = true;
		const outcome = state === 'notSent' && this.mayBeSent ? 'perhapsSent' : state;
		try {
			await row.recordOutcome(outcome, { isLeased: true });
			release();
		} catch {
			row.keepRepairing(outcome, release);
		}
		if (outcome === 'notSent' || document.maxEntries === undefined) return;
		// If this fails, keys are only remembered for longer.
		await addSentKey(row.id, document.maxEntries).catch(() => undefined);
	}

	/**
	 * Marks the document as sent, or releases it, by hand.
	 * @returns whether a send was remembered under the key
	 * @throws InvalidSettingError while it is being sent, RequestError or RedisError if the record cannot be changed
	 */
	async change(state: 'sent' | 'notSent'): Promise<boolean> {
		const found = await this.lookUp();
		const acquired = typeof found === 'string' ? await this.lease.acquire() : found;
		if ('ended' in acquired) {
			throw unusable('it is being sent right now', 'Wait until that has ended, and look again.');
		}
		try {
			await (state === 'sent' ? this.row.mark() : this.row.clear());
		} catch (error) {
			// The write may still take effect.
			setTimeout(acquired.release, LATE_MS).unref();
			throw error;
		}
		if (state === 'notSent') await removeSentKey(this.row.id).catch(() => undefined);
		acquired.release();
		return found !== 'notSent';
	}

	/** The output for a skipped item. */
	skipped(state: UsedState): IDataObject & { skipped: true } {
		const isKnownThere = state === 'sent' && this.run.account.idempotencyHeader !== '';
		const reason = isKnownThere ? SENT_BY_HEADER : REASONS[state];
		return { skipped: true, state, reason, sendOnceKey: this.document.key };
	}

	private otherContent(): InvalidSettingError {
		return unusable(
			`${this.document.key} was used before, with other content; nothing was sent`,
			'Give each document a key of its own. If they differ only in fields such as a time stamp, set Send Once Content to Ignore: Send Once Ignore Fields counts from the first send with a key on.',
		);
	}

	/** @throws what `get` throws, or the signal's reason */
	private async lookUp(): Promise<SentState | UnderWay> {
		/** The sender that was found to hold no lease. */
		let withoutLease: unknown;
		for (;;) {
			const { state, owner, hasOtherContent } = await this.row.find();
			if (state !== 'perhapsSent' || owner === withoutLease) {
				if (hasOtherContent) throw this.otherContent();
				return state;
			}
			const missing = await this.lease.lookUp();
			if (typeof missing !== 'number') return missing;
			if (missing > 0) await this.lease.pause(missing);
			// The sender may have recorded the outcome just before it ended the lease, so look again.
			else withoutLease = owner;
		}
	}

	private async tryToAcquire(): Promise<UnderWay | undefined> {
		const acquired = await this.lease.acquire();
		if ('ended' in acquired) return acquired;
		try {
			if (await this.row.recordAttempt(this.mayBeSent)) this.release = acquired.release;
		} finally {
			if (this.release === undefined) acquired.release();
		}
		if (this.release !== undefined) return undefined;
		const found = await this.lookUp();
		if (found === 'sent' || found === 'perhapsSent') throw new AlreadySentError(found);
		// It may have become free meanwhile.
		return found === 'notSent' ? { ended: Promise.resolve() } : found;
	}
}

/** 132 bits. */
const shortHash = (parts: string[]) => hashOf(parts, 22);

function unusable(problem: string, description: string): InvalidSettingError {
	return new InvalidSettingError('Send Once Key', problem, description);
}
