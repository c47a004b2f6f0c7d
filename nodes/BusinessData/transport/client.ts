/**
 * Sends one request, safely: takes its slots, goes through n8n's own HTTP helper, and repeats it only
 * where that can do no harm. A read may always be repeated; anything else only after a 429, or when it
 * certainly never reached the service.
 */
import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

import { sleep } from '../rateLimit/abort';
import type { Priority } from '../rateLimit/gate';
import type { Permit } from '../rateLimit/permit';
import { longestWindowMs } from '../rateLimit/limits';
import { LedgerError } from '../rateLimit/ledger';
import { limiterOf } from '../rateLimit/registry';
import { WaitTooLongError } from '../rateLimit/waitTooLongError';
import type { Account } from './account';
import { type Answer, readBody } from './answer';
import { backoffMs, retryAfterMs } from './backoff';
import { before } from './deadline';
import { readFailure } from './failure';
import { discard, payloadOf, refuseKeyOutsideItsHeader, sendRequest } from './httpRequest';
import { Refusals } from './refusals';
import { RequestError } from './requestError';
import { answerError, failureError, ledgerError, waitTooLongError } from './requestErrors';
import { redactHeaders } from './redact';
import { isRead, type ServiceRequest } from './serviceRequest';
import type { Waits } from './waits';

/** What a busy process may take (ms) beyond a request's time-out to say that it is over. */
const SLACK_MS = 5_000;
const MOST_REPETITIONS = 3;
const LONGEST_PAUSE_OF_A_READ_MS = 60_000;
/** A request that was refused had its turn already, so it goes before those of the same kind. */
const EARLIER_AS_REPETITION = 2;

export class Client {
	/**
	 * @param batch requests of one batch take turns with those of others
	 * @param signal ends every wait when it aborts, with its reason
	 * @param priority among the requests of the key: from 2, which goes first, to 9
	 */
	constructor(
		private readonly context: IExecuteFunctions | IPollFunctions,
		private readonly account: Account,
		private readonly batch: string,
		private readonly waits: Waits,
		private readonly signal: AbortSignal,
		private readonly priority: Priority = 5,
	) {}

	/**
	 * Resolves with a 2xx answer.
	 * @throws RequestError with its outcome, or the signal's reason
	 */
	async request(request: ServiceRequest): Promise<Answer> {
		const payload = this.check(request);
		const scope = this.account.scopeOf(request.endpoint);
		const refusals = new Refusals(longestWindowMs(this.account.limits, scope), scope !== undefined);
		for (let repetitions = 0; ;) {
			const permit = await this.permit(request, refusals.count > 0);
			await admit(request, permit);
			const result = await this.attempt(request, payload, permit);
			if ('answer' in result) return result.answer;
			// First of all, so that the slots have their ending whatever comes next.
			const refusalsBefore = 'refusal' in result ? permit.refused() : 0;
			if (hasCertainlyNotActed(result)) await request.guard?.revoke();
			if ('refusal' in result) {
				const { lastLetThroughAt } = permit;
				const delayMs = refusals.add(result.refusal, refusalsBefore, lastLetThroughAt);
				if (delayMs === undefined) throw answerError(request, result.refusal);
				this.limiter().pause(scope, delayMs);
			} else {
				const isSafe = isRead(request) ? result.isPassing : result.isPassing && result.isNotSent;
				if (!isSafe || repetitions === MOST_REPETITIONS) throw result.error;
				await sleep(Math.max(result.askedMs, backoffMs(repetitions++)), this.signal);
			}
		}
	}

	/**
	 * What can be said against a request before it has its turn. Returns its body as it would go out.
	 * @throws InvalidSettingError
	 */
	check(request: ServiceRequest): Buffer | undefined {
		refuseKeyOutsideItsHeader(request, this.account.apiKey);
		return payloadOf(request);
	}

	private limiter() {
		return limiterOf(this.account.identity, this.account.limits);
	}

	private async permit(request: ServiceRequest, isRepetition: boolean): Promise<Permit> {
		const maxWaitMs = Math.max(0, request.maxWaitMs - this.waits.elapsedMs);
		const acquired = this.limiter().acquire({
			batch: this.batch,
			scope: this.account.scopeOf(request.endpoint),
			priority: (this.priority - (isRepetition ? EARLIER_AS_REPETITION : 0)) as Priority,
			maxWaitMs,
			ledger: this.account.ledger,
			inFlightMs: request.timeoutMs + SLACK_MS,
			signal: this.signal,
		});
		try {
			const permit = await this.waits.during(acquired);
			this.waits.add(permit.waitedMs, permit.waitedFor, isRepetition);
			return permit;
		} catch (error) {
			if (error instanceof WaitTooLongError) throw waitTooLongError(request, error);
			if (error instanceof LedgerError) throw ledgerError(error);
			throw error;
		}
	}

	/** Sends the request once and gives its slots their ending, unless it was refused by a 429. */
	private async attempt(
		request: ServiceRequest,
		payload: Buffer | undefined,
		permit: Permit,
	): Promise<Result> {
		const deadline = performance.now() + request.timeoutMs;
		const mayHaveActed = !isRead(request);
		try {
			const sending = sendRequest(this.context, this.account, request, payload);
			const response = await before(deadline, sending, () => {
				sending.then(discard, () => undefined);
			});
			const { statusCode } = response;
			if (statusCode !== 429) permit.letThrough();
			const isSuccess = statusCode >= 200 && statusCode < 300;
			const wholeBody = readBody(response.body, this.account.apiKey, mayHaveActed);
			const reading = before(deadline, wholeBody, () => discard(response));
			// The status of an error says enough, should its body be too large or cut off.
			const body = isSuccess ? await reading : await reading.catch(() => Buffer.alloc(0));
			const headers = redactHeaders(response.headers, this.account.apiKey);
			const answer = { statusCode, headers, body, mayHaveActed };
			if (isSuccess) return { answer };
			return statusCode === 429 ? { refusal: answer } : errorOfAnswer(request, answer);
		} catch (error) {
			if (error instanceof RequestError) {
				return { error, isNotSent: false, isPassing: false, askedMs: 0 };
			}
			const failure = readFailure(error);
			// After a time-out the request may still reach the service, and be counted then.
			if (failure.isNotSent) permit.unused();
			else permit.lost(failure.isTimeout || this.signal.aborted ? request.timeoutMs : 0);
			this.signal.throwIfAborted();
			const { isNotSent, isLasting } = failure;
			return {
				error: failureError(request, failure),
				isNotSent,
				isPassing: !isLasting,
				askedMs: 0,
			};
		}
	}
}

/** What became of one attempt. */
type Result = { answer: Answer } | { refusal: Answer } | FailedAttempt;

interface FailedAttempt {
	error: RequestError;
	isNotSent: boolean;
	/** Whether the same request may succeed later without any change. */
	isPassing: boolean;
	/** How long (ms) the service asks to wait. */
	askedMs: number;
}

function hasCertainlyNotActed(result: { refusal: Answer } | FailedAttempt): boolean {
	return 'refusal' in result || result.error.details.outcome !== 'unknown';
}

/** Asks the request's guard; what may not go out takes no slot. */
async function admit(request: ServiceRequest, permit: Permit): Promise<void> {
	try {
		await request.guard?.admit();
	} catch (error) {
		permit.unused();
		throw error;
	}
}

/** RFC 9110 §15.6: 5xx is the server's own trouble; 408 says that the request did not arrive whole. */
function errorOfAnswer(request: ServiceRequest, answer: Answer): FailedAttempt {
	return {
		error: answerError(request, answer),
		isNotSent: false,
		isPassing: answer.statusCode >= 500 || answer.statusCode === 408,
		askedMs: Math.min(retryAfterMs(answer.headers) ?? 0, LONGEST_PAUSE_OF_A_READ_MS),
	};
}
