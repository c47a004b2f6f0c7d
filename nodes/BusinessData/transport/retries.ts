/** Decides when a request is retried (RFC 6585 §4), and when to give up. */
import { holdMsOf, type Permit } from '../rateLimit';
import type { FailedAttempt } from './attempt';

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

	/** How long (ms) to wait before the next attempt; undefined if there must be none. */
	after({ mayRetry, response, askedMs = 0 }: FailedAttempt, permit: Permit): number | undefined {
		if (!mayRetry) return undefined;
		if (response?.statusCode === 429) return this.afterRefusal(permit);
		if (this.failures === MOST_RETRIES) return undefined;
		// Exponential backoff with full jitter.
		return Math.max(askedMs, Math.random() * FIRST_BACKOFF_MS * 2 ** this.failures++);
	}

	/**
	 * Gives up when the longest window has passed since the first refusal, and since any request under the same limits was
	 * let through. Otherwise 0, because the limiter does the waiting.
	 */
	private afterRefusal({ lastLetThroughAt, longestWindowMs }: Permit): number | undefined {
		const now = performance.now();
		if (this.refusals === 0) this.firstRefusalAt = now;
		const windowMs = holdMsOf(longestWindowMs);
		// Another client may take all the room for a while, but not forever.
		const giveUpAt = Math.min(
			Math.max(this.firstRefusalAt, lastLetThroughAt) + windowMs,
			this.firstRefusalAt + MOST_WINDOWS * windowMs,
		);
		return this.refusals++ > 0 && now >= giveUpAt ? undefined : 0;
	}
}
