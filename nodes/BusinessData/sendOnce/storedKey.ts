/**
 * What n8n's deduplication store knows of a key. Where this n8n does not let its rows be read, it is asked by adding, so
 * a crash or a fault may leave the entry that was asked for. Therefore a key is known by three entries: no two faults
 * make one known that was never sent.
 */
import { hashOf } from '../values/hash';
import { Bucket, type BucketLock } from './buckets';
import { retried } from './retried';

export type SentState = 'notSent' | 'perhapsSent' | 'sent';

export interface Found {
	state: SentState;
	/** Whether it was sent with other content. */
	isOther: boolean;
}

/** Up to so many keys stand in one bucket, so that just the oldest is forgotten. */
const MOST_IN_ONE_BUCKET = 1_000;
const BUCKETS = 64;
/** Keys are spread at random, so that a bucket gets more than its share, but hardly ever more than this allows. */
const DEVIATIONS = 5;
/** The entries of a key in `details`, at the most. */
const DETAILS = 6;
/** How long (ms) to wait before each further attempt to undo a lease that failed. */
const PAUSES_MS = [100, 500, 2_000];

const NOT_SENT: Found = { state: 'notSent', isOther: false };

export class StoredKey {
	/** Where the key belongs, and where it stands if that was before Send Once Memory was changed. */
	private readonly buckets: [Bucket, Bucket];

	private last: Bucket | undefined;

	private readonly most: number;

	private readonly key: string;

	/**
	 * @param document a hash of workflow, business and endpoint
	 * @param maxEntries how many keys are remembered for it
	 * @param holds whether a lease of this process is the last that there was
	 * @throws InvalidSettingError where n8n has no store
	 */
	constructor(
		workflowId: string,
		document: string,
		key: string,
		private readonly content: { hash: string; mustMatch: boolean } | undefined,
		maxEntries: number,
		lock: BucketLock | undefined,
		private readonly holds: (() => Promise<boolean>) | undefined,
	) {
		this.key = shortHash(document, key);
		const number = Buffer.from(this.key, 'base64url').readUInt32BE() % BUCKETS;
		const one = new Bucket(workflowId, document, lock);
		const many = new Bucket(workflowId, `${document}:${number}`, lock);
		const isOne = maxEntries <= MOST_IN_ONE_BUCKET;
		this.buckets = isOne ? [one, many] : [many, one];
		const share = maxEntries / BUCKETS;
		this.most = isOne ? maxEntries : Math.ceil(share + DEVIATIONS * Math.sqrt(share));
	}

	/** @throws RequestError when the store fails */
	async find(): Promise<Found> {
		const bucket = await this.bucket();
		return await bucket.step(async () => await this.findIn(bucket));
	}

	/**
	 * Records the key as perhaps sent unless it is known, and returns what was known of it before.
	 * @throws RequestError when the store fails; the key is not on record then, unless it was before
	 */
	async acquire(): Promise<Found> {
		const bucket = await this.bucket();
		const { known, unended } = this;
		const details = [...known, ...unended, this.contentEntry];
		// The other bucket was filled under another Send Once Memory.
		const most = bucket === this.buckets[0] ? this.most : undefined;
		return await bucket.step(async () => {
			const isNew = (await bucket.add('keys', [this.key], most)).length === 0;
			if (!isNew) {
				await bucket.requireReadable(this.key);
				const found = await this.findIn(bucket);
				if (found.state !== 'notSent') return found;
				// What a fault has left would be forgotten before the keys of its time.
				await bucket.remove('keys', [this.key]);
				await bucket.add('keys', [this.key], most);
			}
			try {
				// What is left of an earlier lease would be dropped before the key, and its content would not count.
				const left = await bucket.add('details', details, most && DETAILS * most);
				if (left.length > 0) {
					await bucket.remove('details', details);
					await bucket.add('details', details);
				}
			} catch (error) {
				this.expectNothing(bucket);
				await retried(async () => await bucket.repair(), PAUSES_MS).catch(() => undefined);
				throw error;
			}
			this.expectThere(bucket, details);
			return NOT_SENT;
		});
	}

	/**
	 * Records what became of it, known or not before; undefined when that is on record. @throws RequestError; then it is
	 * retried for a while
	 */
	async complete(state: SentState | undefined): Promise<void> {
		if (state === undefined || state === 'perhapsSent') return;
		const bucket = this.last ?? (await this.bucket());
		await bucket.step(async () => {
			try {
				if (state === 'notSent') {
					await bucket.remove('keys', [this.key]);
					await bucket.remove('details', this.details);
				} else await bucket.remove('details', this.unended);
			} finally {
				if (state === 'notSent') this.expectNothing(bucket);
				else if (this.holds === undefined) {
					bucket.expect('details', this.unended, { isThere: false });
				}
			}
		});
	}

	/** Records it as sent, whatever its content. @throws RequestError */
	async mark(): Promise<void> {
		const bucket = await this.bucket();
		const details = [...this.known, this.anyContent];
		await bucket.step(async () => {
			await bucket.add('details', details);
			await bucket.add('keys', [this.key]);
			this.expectThere(bucket, details);
		});
		await this.complete('sent');
	}

	private async findIn(bucket: Bucket): Promise<Found> {
		const isThere = (await bucket.find('keys', [this.key])).length > 0;
		const details = isThere ? await bucket.find('details', this.details) : [];
		const holds = (entries: string[]) => entries.every((entry) => details.includes(entry));
		if (!holds(this.known)) return NOT_SENT;
		const state = holds(this.unended) ? 'perhapsSent' : 'sent';
		if (this.content?.mustMatch !== true || holds([this.anyContent])) {
			return { state, isOther: false };
		}
		// A release does not know the content: its entry stays, in front of those that make the key known again.
		const first = details.findIndex((entry) => this.known.includes(entry));
		return { state, isOther: details.indexOf(this.contentEntry) < first };
	}

	/** Where the key stands, or belongs. */
	private async bucket(): Promise<Bucket> {
		const [current, other] = this.buckets;
		const isThere =
			!(await other.isEmpty()) &&
			(await other.step(async () => await this.findIn(other))).state !== 'notSent';
		return (this.last = isThere ? other : current);
	}

	private get known(): string[] {
		return [`${this.key}1`, `${this.key}2`];
	}

	/** While its end is not known. */
	private get unended(): string[] {
		return [`${this.key}?1`, `${this.key}?2`];
	}

	private get anyContent(): string {
		return `${this.key}*`;
	}

	private get contentEntry(): string {
		return `${this.key}#${this.content?.hash ?? ''}`;
	}

	private get details(): string[] {
		return [...this.known, ...this.unended, this.anyContent, this.contentEntry];
	}

	private expectNothing(bucket: Bucket): void {
		const { holds } = this;
		bucket.expect('keys', [this.key], { isThere: false, holds });
		bucket.expect('details', this.details, { isThere: false, holds });
	}

	/** Where other processes may change the row meanwhile, Redis knows what was sent. */
	private expectThere(bucket: Bucket, details: string[]): void {
		if (this.holds !== undefined) return;
		bucket.expect('keys', [this.key], { isThere: true });
		bucket.expect('details', details, { isThere: true });
	}
}

/** 132 bits: short, and unique in all likelihood. */
export function shortHash(...parts: string[]): string {
	return hashOf(parts, 22);
}
