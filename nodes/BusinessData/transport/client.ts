/**
 * Sends one request, safely: takes its slots, goes through n8n's own HTTP helper, and repeats it only
 * where that can do no harm.
 */
import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

import { ShutdownError } from '../n8nInternals/shutdown';
import { limiterOf, longestWindowMs, type Permit, type Priority } from '../rateLimit';
import { RedisError } from '../redis';
import { onceAborted, sleep } from '../waiting';
import type { Account } from './account';
import type { Answer } from './answer';
import { attempt, mayHaveActed, type AttemptOutcome } from './attempt';
import { ConnectionWatch } from './connectionWatch';
import { withDeadline } from './deadline';
import { canonicalEndpoint } from './endpointPath';
import { payloadOf, refuseKeyOutsideItsHeader } from './httpRequest';
import { Repetitions } from './repetitions';
import { answerError, redisError, stoppedError, waitTooLongError } from './requestErrors';
import { isRead, type ServiceRequest } from './serviceRequest';
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
	) {}

	/**
	 * Resolves with a 2xx answer.
	 * @throws RequestError with its outcome, what the request's guard throws, or the signal's reason
	 */
	async request(request: ServiceRequest): Promise<Answer> {
		const payload = this.check(request);
		const { limits } = this.account;
		const windowMs = longestWindowMs(limits, canonicalEndpoint(request.endpoint));
		const repetitions = new Repetitions(request, windowMs);
		for (;;) {
			const permit = await this.permit(request, repetitions.refusals > 0);
			const claimed = await this.claim(request, permit);
			if (claimed !== undefined) {
				await onceAborted(claimed.ended, this.signal);
				continue;
			}
			const outcome = await this.try(request, payload, permit);
			if (outcome.answer !== undefined) this.waits.hear(outcome.answer.headers, this.account);
			if (outcome.kind === 'answered') return outcome.answer;
			const waitMs = repetitions.after(outcome);
			if (waitMs === undefined) {
				if (outcome.kind === 'failed') throw outcome.error;
				throw answerError(request, outcome.answer, repetitions.asksTooLong(outcome.answer));
			}
			// Whoever was refused waits at the limiter, together with all others of the key.
			if (waitMs > 0) await sleep(waitMs, this.signal);
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

	/** @throws RequestError when the limits or Redis leave no room, or the signal's reason */
	private async permit(request: ServiceRequest, isRepetition: boolean): Promise<Permit> {
		const { identity, limits, ledger } = this.account;
		const acquired = limiterOf(identity).acquire({
			run: this.run,
			limits,
			scope: canonicalEndpoint(request.endpoint),
			priority: (this.priority - (isRepetition ? EARLIER_AS_REPETITION : 0)) as Priority,
			maxWaitMs: Math.max(0, request.maxWaitMs - this.waits.elapsedMs),
			ledger,
			inFlightMs: request.timeoutMs + SLACK_MS,
			signal: this.signal,
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
	private async claim(request: ServiceRequest, permit: Permit) {
		let isGood = false;
		try {
			const claimed = await request.guard?.claim();
			if (claimed !== undefined) return claimed;
			try {
				this.signal.throwIfAborted();
				isGood = await permit.confirm(this.signal);
			} catch (error) {
				throw error instanceof RedisError ? redisError(error) : error;
			} finally {
				if (!isGood) await request.guard?.settle(false);
			}
			return isGood ? undefined : { ended: Promise.resolve() };
		} finally {
			if (!isGood) permit.unused();
		}
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
			await request.guard?.settle(mayHaveActed(outcome));
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
