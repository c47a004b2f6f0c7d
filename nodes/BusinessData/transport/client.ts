/**
 * Sends one request, safely: takes its slots, goes through n8n's own HTTP helper, and repeats it only
 * where that can do no harm.
 */
import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

import { ShutdownError } from '../n8nInternals/shutdown';
import { limiterOf, longestWindowMs, PAUSE, type Permit, type Priority } from '../rateLimit';
import { RedisError } from '../redis';
import { boundedSignal, onceAborted, sleep } from '../waiting';
import type { Account } from './account';
import type { Answer } from './answer';
import { attempt, type AttemptOutcome, type Failed, sentStateOf } from './attempt';
import { askedWaitMs } from './backoff';
import { ConnectionWatch } from './connectionWatch';
import { withDeadline } from './deadline';
import { canonicalEndpoint } from './endpointPath';
import { payloadOf, refuseKeyOutsideItsHeader } from './httpRequest';
import { Repetitions } from './repetitions';
import { RefusedKey } from './refusedKey';
import {
	answerError,
	pauseTooLongError,
	redisError,
	stoppedError,
	underWayError,
	waitTooLongError,
} from './requestErrors';
import { isRead, type ServiceRequest } from './serviceRequest';
import { SetupWarnings } from './setupWarnings';
import { isWaitTooLong, type Waits } from './waits';

/** What a busy process may take (ms) beyond a request's time-out to say that it is over. */
const SLACK_MS = 5_000;
/** How long (ms) a request that is under way has to end when n8n shuts down: a small part of the 30 s that n8n waits. */
const SHUTDOWN_GRACE_MS = 5_000;
/** A request that was refused had its turn already, so it goes before those of the same kind. */
const EARLIER_AS_REPETITION = 2;

export class Client {
	/** Whether it has begun to send anything. */
	hasTried = false;

	readonly warnings: SetupWarnings;

	private readonly refusedKey = new RefusedKey();

	/**
	 * @param run requests of one run take turns with those of others
	 * @param signal ends every wait when it aborts, with its reason
	 * @param priority among the requests of the key: from 2, which goes first, to 9
	 */
	constructor(
		readonly context: IExecuteFunctions | IPollFunctions,
		readonly account: Account,
		private readonly run: string,
		private readonly waits: Waits,
		readonly signal: AbortSignal,
		private readonly priority: Priority = 5,
	) {
		this.warnings = new SetupWarnings(context, account);
	}

	get baseUrl(): string {
		return this.account.baseUrl;
	}

	/**
	 * Resolves with a 2xx answer.
	 * @throws RequestError with its outcome, what the request's guard throws, or the signal's reason
	 */
	async request(request: ServiceRequest): Promise<Answer> {
		const json = this.check(request);
		const payload = (await request.encoded?.read()) ?? json;
		const { signal, release } = this.refusedKey.signalFor(request.endpoint, this.signal);
		try {
			return await this.send(request, payload, signal);
		} finally {
			release();
		}
	}

	/** @param signal ends the waits */
	private async send(
		request: ServiceRequest,
		payload: Buffer | undefined,
		signal: AbortSignal,
	): Promise<Answer> {
		const { limits } = this.account;
		const windowMs = longestWindowMs(limits, canonicalEndpoint(request.endpoint));
		const repetitions = new Repetitions(request, windowMs);
		for (;;) {
			const permit = await this.permit(request, signal, repetitions.refusals > 0);
			const claimed = await this.claim(request, signal, permit);
			if (claimed !== undefined) {
				await this.waitFor(request, claimed.ended, signal);
				continue;
			}
			const sentAt = Date.now();
			const outcome = await this.try(request, payload, permit);
			if (outcome.answer !== undefined) this.warnings.noteResponse(outcome.answer.headers, sentAt);
			if (outcome.kind === 'answered') return outcome.answer;
			if (outcome.kind === 'failed' && outcome.answer?.statusCode === 401) {
				this.refusedKey.add(request.endpoint, outcome.error);
			}
			const waitMs = repetitions.after(outcome);
			const errorOf = (answer: Answer) =>
				answerError(request, answer, repetitions.asksTooLong(answer));
			if (outcome.kind === 'refused') {
				// Otherwise it waits at the limiter, together with all others of the key.
				if (waitMs === undefined) throw errorOf(outcome.answer);
			} else {
				const { answer, error } = outcome;
				if (waitMs === undefined) throw answer === undefined ? error : errorOf(answer);
				await this.pause(request, outcome, waitMs, signal);
			}
		}
	}

	/**
	 * Waits for whoever is sending the same, as long as the request may wait.
	 * @throws RequestError, or the signal's reason
	 */
	async waitFor<T>(request: ServiceRequest, end: Promise<T>, signal = this.signal): Promise<T> {
		const leftMs = Math.max(0, request.maxWaitMs - this.waits.elapsedMs);
		const bounded = boundedSignal(signal, leftMs, () => underWayError(request));
		try {
			return await this.waits.during(onceAborted(end, bounded.signal));
		} finally {
			bounded.release();
		}
	}

	/**
	 * What can be said against a request before it has its turn. Returns its JSON as it would go out.
	 * @throws InvalidSettingError
	 */
	check(request: ServiceRequest): Buffer | undefined {
		refuseKeyOutsideItsHeader(request, this.account.apiKey);
		return payloadOf(request);
	}

	/** @throws RequestError when the limits or Redis leave no room, or the signal's reason */
	private async permit(
		request: ServiceRequest,
		signal: AbortSignal,
		isRepetition: boolean,
	): Promise<Permit> {
		const { identity, limits, ledger } = this.account;
		this.warnings.noteRequest();
		const acquired = limiterOf(identity).acquire({
			run: this.run,
			limits,
			scope: canonicalEndpoint(request.endpoint),
			priority: (this.priority - (isRepetition ? EARLIER_AS_REPETITION : 0)) as Priority,
			maxWaitMs: Math.max(0, request.maxWaitMs - this.waits.elapsedMs),
			ledger,
			inFlightMs: request.timeoutMs + SLACK_MS,
			signal,
		});
		try {
			const permit = await this.waits.during(acquired);
			this.waits.add(permit.waitedMs, permit.waitedFor, isRepetition);
			return permit;
		} catch (error) {
			if (isWaitTooLong(error)) throw waitTooLongError(request, error);
			if (error instanceof RedisError) throw redisError(error);
			throw error;
		}
	}

	/**
	 * Asks the request's guard; what may not go out takes no slot.
	 * @returns what to wait for before another try to get a permit, when somebody else is sending the same, or
	 * when the permit has run out meanwhile
	 */
	private async claim(request: ServiceRequest, signal: AbortSignal, permit: Permit) {
		let isGood = false;
		try {
			const claimed = await request.guard?.claim();
			if (claimed !== undefined) return claimed;
			try {
				signal.throwIfAborted();
				isGood = await permit.confirm(signal);
			} catch (error) {
				throw error instanceof RedisError ? redisError(error) : error;
			} finally {
				if (!isGood) await request.guard?.settle('notSent');
			}
			return isGood ? undefined : { ended: Promise.resolve() };
		} finally {
			if (!isGood) permit.unused();
		}
	}

	/**
	 * Waits before the next attempt of a request that failed.
	 * @throws RequestError when that is longer than the request may wait, or the signal's reason
	 */
	private async pause(request: ServiceRequest, failed: Failed, ms: number, signal: AbortSignal) {
		if (this.waits.elapsedMs + ms > request.maxWaitMs) {
			throw pauseTooLongError(request, failed.error, ms);
		}
		await this.waits.during(sleep(ms, signal));
		if (failed.answer && askedWaitMs(failed.answer) !== undefined) this.waits.add(ms, PAUSE, true);
	}

	/**
	 * Sends the request once, and tells its guard what became of it. A run that is stopped ends at once; what
	 * has left is seen through to its end all the same.
	 * @throws the signal's reason, or for what may have acted a RequestError that says so
	 */
	private async try(
		request: ServiceRequest,
		payload: Buffer | undefined,
		permit: Permit,
	): Promise<AttemptOutcome> {
		this.hasTried = true;
		const watch = new ConnectionWatch();
		const toTheEnd = async () => {
			const outcome = await attempt(this, request, payload, permit, watch);
			await request.guard?.settle(sentStateOf(outcome));
			return outcome;
		};
		const ended = toTheEnd();
		return await onceAborted(ended, this.signal).catch(async (reason: unknown) => {
			if (isRead(request) || !watch.mayHaveLeft) throw reason;
			const stopped = stoppedError(request, reason);
			if (!(reason instanceof ShutdownError)) throw stopped;
			const deadline = performance.now() + SHUTDOWN_GRACE_MS;
			return await withDeadline(deadline, ended, () => undefined).catch(() => {
				throw stopped;
			});
		});
	}
}
