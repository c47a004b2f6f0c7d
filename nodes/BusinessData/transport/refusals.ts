/** How long to wait after a 429 (RFC 6585 §4), and when to give up. */
import { marginOf } from '../rateLimit/slotWindow';
import type { Answer } from './answer';
import { backoffMs, retryAfterMs } from './backoff';

/** A request that is refused for so many of its longest windows has a limit of its own. */
const MOST_WINDOWS = 10;

/** The refusals of one request, and when to give up. */
export class Refusals {
	count = 0;

	private firstAt = 0;

	constructor(
		private readonly longestWindowMs: number,
		private readonly isScoped: boolean,
	) {}

	/**
	 * Counts a 429. Returns how long (ms) to wait, or undefined when waiting does not cure it: the longest
	 * window that applies has passed in full since the first one, and nothing with the same limits was let
	 * through in that time.
	 * @param refusalsBefore how many refusals in a row the key has seen before this one
	 * @param lastLetThroughAt when (ms, `performance.now()`) a request with the same limits was let through
	 */
	add(answer: Answer, refusalsBefore: number, lastLetThroughAt = -Infinity): number | undefined {
		const now = performance.now();
		if (this.count === 0) this.firstAt = now;
		const windowMs = this.longestWindowMs + marginOf(this.longestWindowMs);
		// Where a foreign program uses the key, others may have all the luck, but not for ever.
		const giveUpAt = Math.min(
			Math.max(this.firstAt, lastLetThroughAt) + windowMs,
			this.firstAt + MOST_WINDOWS * windowMs,
		);
		if (this.count > 0 && now >= giveUpAt) return undefined;
		const capMs = this.isScoped ? this.longestWindowMs : undefined;
		const jitteredMs = backoffMs(Math.max(this.count, refusalsBefore), capMs);
		this.count++;
		return Math.max(retryAfterMs(answer.headers) ?? 0, Math.min(jitteredMs, giveUpAt - now));
	}
}
