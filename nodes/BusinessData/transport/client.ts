/**
 * Sends one request, safely: takes its slots, goes through n8n's own HTTP helper, and repeats it only
 * where that can do no harm. A read may always be repeated; anything else only after a 429, or when it
 * certainly never reached the service.
 */
import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

import { onceAborted, sleep } from '../rateLimit/abort';
import type { Permit } from '../rateLimit/permit';
import { longestWindowMs } from '../rateLimit/limits';
import { limiterOf } from '../rateLimit/registry';
import { WaitTooLongError } from '../rateLimit/waitTooLongError';
import { RedisError } from '../redis/redisError';
import type { Account } from './account';
import { type Answer, readBody } from './answer';
import { backoffMs, retryAfterMs } from './backoff';
import { before } from './deadline';
import { readFailure } from './failure';
import {
	discard,
	payloadOf,
	refuseKeyOutsideItsHeader,
	type Response,
	sendRequest,
} from './httpRequest';
import { Refusals } from './refusals';
import { RequestError } from './requestError';
import {
	answerError,
	failureError,
	redisError,
	stoppedError,
	waitTooLongError,
} from './requestErrors';
import { OutgoingBody } from './outgoingBody';
import { redactHeaders, redactText } from './redact';
import { isRead, type ServiceRequest } from './serviceRequest';
import type { Waits } from './waits';

/** What a busy process may take (ms) beyond a request's time-out to say that it is over. */
const SLACK_MS = 5_000;
const MOST_REPETITIONS = 3;
const LONGEST_PAUSE_OF_A_READ_MS = 60_000;
/** A request that was refused had its turn already. */
const PRIORITY_OF_REPETITION = 3;

export class Client {
	/**
	 * @param batch requests of one batch take turns with those of others
	 * @param signal ends every wait when it aborts, with its reason
	 */
	constructor(
		private readonly context: IExecuteFunctions | IPollFunctions,
		private readonly account: Account,
		private readonly batch: string,
		private readonly waits: Waits,
		private readonly signal: AbortSignal,
	) {}

	/**
	 * Resolves with a 2xx answer.
	 * @throws RequestError with its outcome, what the request's guard throws, or the signal's reason
	 */
	async request(request: ServiceRequest): Promise<Answer> {
		const payload = this.check(request);
		const scope = this.account.scopeOf(request.endpoint);
		const refusals = new Refusals(longestWindowMs(this.account.limits, scope), scope !== undefined);
		for (let repetitions = 0; ;) {
			const permit = await this.permit(request, refusals.count > 0);
			const claimed = await this.claim(request, permit);
			if (claimed !== undefined) {
				await onceAborted(claimed.ended, this.signal);
				continue;
			}
			// A run that is stopped ends at once; what has gone out is seen through to its end all the same.
			const attempt = this.attempt(request, payload, permit);
			const result = await onceAborted(attempt, this.signal).catch((reason: unknown) => {
				throw isRead(request) ? reason : stoppedError(request);
			});
			if (result.kind === 'answered') return result.answer;
			if (result.kind === 'refused') {
				const { answer, refusalsBefore, lastLetThroughAt } = result;
				const delayMs = refusals.add(answer, refusalsBefore, lastLetThroughAt);
				if (delayMs === undefined) throw answerError(request, answer);
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
			priority: isRepetition ? PRIORITY_OF_REPETITION : undefined,
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
			if (error instanceof RedisError) throw redisError(error);
			throw error;
		}
	}

	/**
	 * Asks the request's guard; what may not go out takes no slot.
	 * @returns what to wait for before another try to get a permit, when somebody else is sending the same
	 */
	private async claim(request: ServiceRequest, permit: Permit) {
		try {
			const claimed = await request.guard?.claim();
			if (claimed !== undefined) permit.unused();
			else if (this.signal.aborted) {
				await request.guard?.settle(false);
				this.signal.throwIfAborted();
			}
			return claimed;
		} catch (error) {
			permit.unused();
			throw error;
		}
	}

	/** Sends the request once, and gives its slots and its guard their ending. Never rejects. */
	private async attempt(
		request: ServiceRequest,
		payload: Buffer | undefined,
		permit: Permit,
	): Promise<Result> {
		const result = await this.send(request, payload, permit);
		await request.guard?.settle(mayHaveActed(result));
		return result;
	}

	private async send(
		request: ServiceRequest,
		payload: Buffer | undefined,
		permit: Permit,
	): Promise<Result> {
		const deadline = performance.now() + request.timeoutMs;
		const body = payload === undefined ? undefined : new OutgoingBody(payload, this.signal);
		try {
			const sending = sendRequest(this.context, this.account, request, body);
			const response = await before(deadline, sending, () => {
				sending.then(discard, () => undefined);
			});
			return await this.readResponse(request, response, deadline, permit);
		} catch (error) {
			if (error instanceof RequestError) {
				return { kind: 'failed', error, isNotSent: false, isPassing: false, askedMs: 0 };
			}
			const failure = readFailure(error, body?.forbid());
			// After a time-out the request may still reach the service, and be counted then.
			if (failure.isNotSent) permit.unused();
			else permit.lost(failure.isTimeout || this.signal.aborted ? request.timeoutMs : 0);
			const { isNotSent, isLasting } = failure;
			const reason = redactText(failure.reason, this.account.apiKey);
			return {
				kind: 'failed',
				error: failureError(request, { ...failure, reason }),
				isNotSent,
				isPassing: !isLasting,
				askedMs: 0,
			};
		}
	}

	/** @throws RequestError for a body that is too large, or the connection's error */
	private async readResponse(
		request: ServiceRequest,
		response: Response,
		deadline: number,
		permit: Permit,
	): Promise<Result> {
		const { statusCode } = response;
		const mayHaveActed = !isRead(request);
		// First of all, so that the slots have their ending whatever comes next.
		const isRefused = statusCode === 429;
		const refusalsBefore = isRefused ? permit.refused() : 0;
		if (!isRefused) permit.letThrough();
		const isSuccess = statusCode >= 200 && statusCode < 300;
		const wholeBody = readBody(response.body, this.account.apiKey, mayHaveActed);
		const reading = before(deadline, wholeBody, () => discard(response));
		// The status of an error says enough, should its body be too large or cut off.
		const body = isSuccess ? await reading : await reading.catch(() => Buffer.alloc(0));
		const headers = redactHeaders(response.headers, this.account.apiKey);
		const answer = { statusCode, headers, body, mayHaveActed };
		if (isSuccess) return { kind: 'answered', answer };
		if (!isRefused) return errorOfAnswer(request, answer);
		const { lastLetThroughAt } = permit;
		return { kind: 'refused', answer, refusalsBefore, lastLetThroughAt };
	}
}

/** What became of one attempt. */
type Result =
	| { kind: 'answered'; answer: Answer }
	| { kind: 'refused'; answer: Answer; refusalsBefore: number; lastLetThroughAt: number }
	| FailedAttempt;

interface FailedAttempt {
	kind: 'failed';
	error: RequestError;
	isNotSent: boolean;
	/** Whether the same request may succeed later without any change. */
	isPassing: boolean;
	/** How long (ms) the service asks to wait. */
	askedMs: number;
}

function mayHaveActed(result: Result): boolean {
	if (result.kind === 'failed') return result.error.details.outcome === 'unknown';
	return result.kind === 'answered';
}

/** RFC 9110 §15.6: 5xx is the server's own trouble; 408 says that the request did not arrive whole. */
function errorOfAnswer(request: ServiceRequest, answer: Answer): FailedAttempt {
	return {
		kind: 'failed',
		error: answerError(request, answer),
		isNotSent: false,
		isPassing: answer.statusCode >= 500 || answer.statusCode === 408,
		askedMs: Math.min(retryAfterMs(answer.headers) ?? 0, LONGEST_PAUSE_OF_A_READ_MS),
	};
}
