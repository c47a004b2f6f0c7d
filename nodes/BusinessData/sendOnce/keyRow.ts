/**
 * The record of a key: a row in n8n's deduplication store. The database inserts a row only once, so of all senders in all
 * processes, only one can record the key. Its token shows which.
 */
import { hash, randomUUID } from 'node:crypto';

import { DeduplicationRow } from '../n8nInternals/deduplicationStore';
import type { SentState } from '../transport/serviceRequest';
import { InvalidSettingError } from '../values/invalidSettingError';
import { processState } from './processState';
import { inStore, storeFailed } from './storeErrors';

/** Entry in every row. */
const KNOWN = 'known';
/** Entry in the row of a key that was marked by hand: any content matches. */
const ANY_CONTENT = '*';
/** Entry in the row until the outcome of the request is known. */
const OPEN = '?';

/** How long (ms) after its error a write may still take effect. Until then, nobody else gets the key. */
export const LATE_MS = 5_000;
/** How long (ms) the row is checked after a failed write, at intervals that double. */
const WATCHED_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 100;

/** `document` is a hash of workflow, business and endpoint; `name` is a hash of these and the key. */
export type KeyId = Record<'workflowId' | 'document' | 'name', string>;

/** `mustMatch`: the same key with other content is an error. */
export type Content = { hash: string; mustMatch: boolean };

/** `hasOtherContent`: the key was used with other content, which is an error. `owner`: the token of its sender. */
type Found = { state: SentState; hasOtherContent: boolean; owner: unknown };

/** All methods throw a RequestError when the store fails. */
export class KeyRow {
	private readonly row: DeduplicationRow;
	private readonly ownContent: string;
	/** Identifies the request. */
	private token = '';

	/** @throws InvalidSettingError if n8n has no store */
	constructor(
		readonly id: KeyId,
		readonly content: Content | undefined,
	) {
		this.row = rowOf(id, rowNameOf(id.name));
		this.ownContent = `#${content?.hash ?? ''}`;
	}

	/** Reads the row, after repairing what failed writes may have left. */
	async find(): Promise<Found> {
		for (const [token, state] of processState().watched.get(this.id.name) ?? []) {
			await this.recordOutcome(state, { token });
		}
		return await this.read();
	}

	/**
	 * Records the key as perhaps sent, unless it is known.
	 * @param isRetry whether a previous attempt may have recorded it
	 * @returns whether the record belongs to this sender
	 */
	async recordAttempt(isRetry: boolean): Promise<boolean> {
		if (!isRetry) this.token = randomUUID();
		const { state, owner } = await this.find();
		if (state !== 'notSent') return state === 'perhapsSent' && owner === this.token;
		try {
			return await this.add([this.token, KNOWN, this.ownContent, OPEN]);
		} catch (error) {
			const found = await this.read().catch(() => undefined);
			// The write was committed in spite of its error.
			if (found?.owner === this.token) return true;
			this.keepRepairing('notSent');
			if (found === undefined || found.state === 'notSent') throw error;
			return false;
		}
	}

	/**
	 * Records the outcome of a request, unless the record has changed.
	 * @param isLeased whether nobody else can have changed the record: if it is missing, it was lost, and is written again
	 */
	async recordOutcome(
		state: SentState,
		{ token = this.token, isLeased = false } = {},
	): Promise<void> {
		await processState().outcomeMutex.runExclusive(this.id.name, async () => {
			const found = await this.read(token);
			if (isLeased && found.state === 'notSent' && state !== 'notSent') {
				await this.add([token, KNOWN, this.ownContent, ...(state === 'sent' ? [] : [OPEN])]);
			}
			if (found.owner !== token || found.state !== 'perhapsSent') return;
			if (state === 'sent') await inStore(this.row.remove([OPEN]));
			if (state === 'notSent') await this.clear();
		});
	}

	/** Marks it as sent, by hand. */
	async mark(): Promise<void> {
		await this.add([randomUUID(), KNOWN, ANY_CONTENT]);
		await inStore(this.row.remove([OPEN]));
	}

	async clear(): Promise<void> {
		await inStore(this.row.clear());
	}

	/**
	 * Repairs the record after a failed write, and keeps checking it because the write may take effect late.
	 * @param release ends the lease of the key, called once no late write is possible
	 */
	keepRepairing(state: SentState, release?: () => void): void {
		const { token, id } = this;
		const { watched } = processState();
		const states = watched.get(id.name) ?? new Map<string, SentState>();
		watched.set(id.name, states.set(token, state));
		const untilMs = performance.now() + WATCHED_MS;
		const check = async () => {
			let isLeased = release !== undefined;
			let failedAt = performance.now();
			for (let ms = FIRST_PAUSE_MS; performance.now() < untilMs; ms *= 2) {
				await new Promise((resolve) => setTimeout(resolve, ms).unref());
				try {
					await this.recordOutcome(state, { token, isLeased });
					isLeased &&= performance.now() - failedAt < LATE_MS;
					if (!isLeased) release?.();
				} catch {
					failedAt = performance.now();
				}
			}
			release?.();
			if (states.delete(token) && states.size === 0) watched.delete(id.name);
		};
		void check();
	}

	private async read(token = this.token): Promise<Found> {
		const own = this.ownContent;
		const row = await inStore(this.row.read([token, KNOWN, own, ANY_CONTENT, OPEN]));
		if (row === undefined) return { state: 'notSent', hasOtherContent: false, owner: undefined };
		// A later n8n may hash entries differently.
		if (!row.includes(KNOWN)) throw storeFailed('this version of the package cannot read it');
		const isOther = !row.includes(own) && !row.includes(ANY_CONTENT);
		const state = row.includes(OPEN) ? 'perhapsSent' : 'sent';
		return { state, hasOtherContent: isOther && this.content?.mustMatch === true, owner: row[0] };
	}

	/** @returns whether the row is new */
	private async add(entries: string[]): Promise<boolean> {
		return (await inStore(this.row.add(entries))).includes(KNOWN);
	}
}

/** @throws InvalidSettingError if n8n has no store */
export function rowOf({ workflowId, document }: KeyId, name: string): DeduplicationRow {
	const row = DeduplicationRow.of(workflowId, `businessData:${document}:${name}`);
	if (row !== undefined) return row;
	const problem = 'this version of n8n has no deduplication store';
	const howToFix = 'Update n8n to use this option, or remove it.';
	throw new InvalidSettingError('Send Once Key', problem, howToFix);
}

/** The same hash that n8n makes of an entry, so that the entries in a row of `sentKeys` are names of rows. */
export function rowNameOf(key: string): string {
	return hash('md5', key, 'base64');
}
