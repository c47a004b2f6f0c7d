/**
 * Decides whether a request is tried again, and after what time. A read may always be repeated; anything
 * else only after a 429 (RFC 6585 §4), or when it certainly never reached the service (RFC 9110 §9.2.2).
 */
import { holdMsOf } from '../rateLimit';
import type { Answer } from './answer';
import type { AttemptOutcome } from './attempt';
import { askedWaitMs, backoffMs } from './backoff';
import { isRead, type ServiceRequest } from './serviceRequest';

const MOST_REPETITIONS = 3;
const LONGEST_PAUSE_MS = 60_000;
/** A request that is refused for so many of its longest windows has a limit of its own. */
const MOST_WINDOWS = 10;

type Refused = Extract<AttemptOutcome, { kind: 'refused' }>;
type Failed = Extract<AttemptOutcome, { kind: 'failed' }>;

/** The tries of one request. */
export class Repetitions {
	/** How many tries were refused. */
	refusals = 0;

	private failures = 0;

	private firstRefusalAt = 0;

	constructor(
		private readonly request: ServiceRequest,
		/** The longest window (ms) that counts the request. */
		private readonly longestWindowMs: number,
	) {}

	/** How long (ms) to wait before the next try; undefined when there must be none. */
	after(outcome: Refused | Failed): number | undefined {
		return outcome.kind === 'refused' ? this.afterRefusal(outcome) : this.afterFailure(outcome);
	}

	/** Whether the service asks for a longer wait than any window lasts; after a failure, a minute is not long. */
	asksTooLong(answer: Answer): boolean {
		const windowMs = holdMsOf(this.longestWindowMs);
		const longestMs = answer.statusCode === 429 ? windowMs : Math.max(windowMs, LONGEST_PAUSE_MS);
		return (askedWaitMs(answer) ?? 0) > longestMs;
	}

	/**
	 * Gives up when waiting does not cure it: the longest window that applies has passed in full since the
	 * first refusal, and nothing with the same limits was let through in that time. How long to wait is the
	 * limiter's to say, unless the service asks for longer than any window lasts.
	 */
	private afterRefusal({ answer, permit }: Refused): number | undefined {
		const now = performance.now();
		if (this.refusals === 0) this.firstRefusalAt = now;
		if (this.asksTooLong(answer)) return undefined;
		const windowMs = holdMsOf(this.longestWindowMs);
		// Where a foreign program uses the key, others may have all the luck, but not for ever.
		const giveUpAt = Math.min(
			Math.max(this.firstRefusalAt, permit.lastLetThroughAt) + windowMs,
			this.firstRefusalAt + MOST_WINDOWS * windowMs,
		);
		return this.refusals++ > 0 && now >= giveUpAt ? undefined : 0;
	}

	private afterFailure({ isPassing, isNotSent, isTimeout, answer }: Failed): number | undefined {
		// What was swallowed until the timeout once would be again.
		const isHarmless = isRead(this.request) || this.request.isIdempotent === true;
		const isSafe = isPassing && (isHarmless || (isNotSent && !isTimeout));
		if (!isSafe || this.failures === MOST_REPETITIONS) return undefined;
		if (answer !== undefined && this.asksTooLong(answer)) return undefined;
		return Math.max((answer && askedWaitMs(answer)) ?? 0, backoffMs(this.failures++));
	}
}
