/**
 * Decides whether a request is retried, and after what time. A read may always be retried; anything
 * else only after a 429 (RFC 6585 §4), or when it certainly never reached the service (RFC 9110 §9.2.2).
 */
import { holdMsOf } from '../rateLimit';
import type { ServiceResponse } from './response';
import type { AttemptOutcome, Failed } from './attempt';
import { askedWaitMs, backoffMs } from './backoff';
import { isRead, type ServiceRequest } from './serviceRequest';

const MOST_RETRIES = 3;
const LONGEST_PAUSE_MS = 60_000;
/** A request that is refused for so many of its longest windows has a limit of its own. */
const MOST_WINDOWS = 10;

type Refused = Extract<AttemptOutcome, { kind: 'refused' }>;

/** The attempts of one request. */
export class Retries {
	/** How many attempts were refused. */
	refusals = 0;

	private failures = 0;

	private firstRefusalAt = 0;

	constructor(
		private readonly request: ServiceRequest,
		/** The longest window (ms) that counts the request. */
		private readonly longestWindowMs: number,
	) {}

	/** How long (ms) to wait before the next attempt; undefined when there must be none. */
	after(outcome: Refused | Failed): number | undefined {
		return outcome.kind === 'refused' ? this.afterRefusal(outcome) : this.afterFailure(outcome);
	}

	/** Whether the service asks for a longer wait than any window lasts; after a failure, a minute is not long. */
	isPauseTooLong(response: ServiceResponse): boolean {
		const windowMs = holdMsOf(this.longestWindowMs);
		const longestMs = response.statusCode === 429 ? windowMs : Math.max(windowMs, LONGEST_PAUSE_MS);
		return (askedWaitMs(response) ?? 0) > longestMs;
	}

	/**
	 * Gives up when waiting does not help: the longest window that applies has passed in full since the
	 * first refusal, and nothing with the same limits was let through in that time. How long to wait is the
	 * limiter's to say, unless the service asks for longer than any window lasts.
	 */
	private afterRefusal({ response, permit }: Refused): number | undefined {
		const now = performance.now();
		if (this.refusals === 0) this.firstRefusalAt = now;
		if (this.isPauseTooLong(response)) return undefined;
		const windowMs = holdMsOf(this.longestWindowMs);
		// Another client may take all the room for a while, but not for ever.
		const giveUpAt = Math.min(
			Math.max(this.firstRefusalAt, permit.lastLetThroughAt) + windowMs,
			this.firstRefusalAt + MOST_WINDOWS * windowMs,
		);
		return this.refusals++ > 0 && now >= giveUpAt ? undefined : 0;
	}

	private afterFailure({
		isTransient,
		isNotSent,
		isTimeout,
		response,
	}: Failed): number | undefined {
		// A connection that timed out would time out again.
		const isHarmless = isRead(this.request) || this.request.isIdempotent === true;
		const isSafe = isTransient && (isHarmless || (isNotSent && !isTimeout));
		if (!isSafe || this.failures === MOST_RETRIES) return undefined;
		if (response !== undefined && this.isPauseTooLong(response)) return undefined;
		return Math.max((response && askedWaitMs(response)) ?? 0, backoffMs(this.failures++));
	}
}
