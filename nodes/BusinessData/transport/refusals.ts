/** How long to wait after a 429 (RFC 6585 §4), and when to give up. */
import { marginOf } from '../rateLimit/slotWindow';
import type { Answer } from './answer';
import { backoffMs, retryAfterMs } from './backoff';

/** The refusals of one request, and when to give up. */
export class Refusals {
	count = 0;

	private firstAt = 0;

	constructor(
		private readonly longestWindowMs: number,
		private readonly isScoped: boolean,
	) {}

	/**
	 * Counts a 429. Returns how long (ms) to wait, or undefined when the longest window that applies has
	 * passed in full since the first one: then waiting does not cure it.
	 * @param refusalsBefore how many refusals in a row the key has seen before this one
	 */
	add(answer: Answer, refusalsBefore: number): number | undefined {
		const now = performance.now();
		if (this.count === 0) this.firstAt = now;
		const giveUpAt = this.firstAt + this.longestWindowMs + marginOf(this.longestWindowMs);
		if (this.count > 0 && now >= giveUpAt) return undefined;
		const capMs = this.isScoped ? this.longestWindowMs : undefined;
		const jitteredMs = backoffMs(Math.max(this.count, refusalsBefore), capMs);
		this.count++;
		return Math.max(retryAfterMs(answer.headers) ?? 0, Math.min(jitteredMs, giveUpAt - now));
	}
}
