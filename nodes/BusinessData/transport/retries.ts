/**
 * Decides whether and when a request is retried: a read always, anything else only after a 429 (RFC 6585 §4), or if it
 * certainly never reached the service (RFC 9110 §9.2.2).
 */
import { holdMsOf, type Permit } from '../rateLimit';
import type { FailedAttempt } from './attempt';
import { isRead, type ServiceRequest } from './serviceRequest';

const MOST_RETRIES = 3;
/** The longest wait (ms) before the first retry. It doubles with each further one. */
const FIRST_BACKOFF_MS = 1_000;
/** A request that is refused for this many windows must be under a limit that is not known here. */
const MOST_WINDOWS = 10;

/** The attempts of one request. */
export class Retries {
	refusals = 0;
	private failures = 0;
	private firstRefusalAt = 0;

	constructor(
		private readonly request: ServiceRequest,
		/** The longest window (ms) that counts the request. */
		private readonly longestWindowMs: number,
	) {}

	/** How long (ms) to wait before the next attempt; undefined if there must be none. */
	after({ retry, askedMs = 0 }: FailedAttempt, permit: Permit): number | undefined {
		if (retry === 'afterRefusal') return this.afterRefusal(permit);
		const isHarmless = isRead(this.request) || this.request.isIdempotent === true;
		const mayRetry = retry === 'always' || (retry === 'ifHarmless' && isHarmless);
		if (!mayRetry || this.failures === MOST_RETRIES) return undefined;
		// Exponential backoff with full jitter.
		return Math.max(askedMs, Math.random() * FIRST_BACKOFF_MS * 2 ** this.failures++);
	}

	/**
	 * Gives up when the longest window has passed since the first refusal, and since any request under the same limits was
	 * let through. Otherwise 0, because the limiter does the waiting.
	 */
	private afterRefusal({ lastLetThroughAt }: Permit): number | undefined {
		const now = performance.now();
		if (this.refusals === 0) this.firstRefusalAt = now;
		const windowMs = holdMsOf(this.longestWindowMs);
		// Another client may take all the room for a while, but not forever.
		const giveUpAt = Math.min(
			Math.max(this.firstRefusalAt, lastLetThroughAt) + windowMs,
			this.firstRefusalAt + MOST_WINDOWS * windowMs,
		);
		return this.refusals++ > 0 && now >= giveUpAt ? undefined : 0;
	}
}
