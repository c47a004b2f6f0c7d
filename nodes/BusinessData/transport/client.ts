/** Sends the requests of a run within the limits, and retries a request only if that can do no harm. */
import { randomUUID } from 'node:crypto';

import { holdShutdownFor, ShutdownError } from '../n8nInternals/shutdown';
import { limiterOf, PAUSE, type Permit, WaitTooLongError } from '../rateLimit';
import { RedisError } from '../redis';
import { abortable, boundedSignal, never, sleep } from '../async';
import { InvalidSettingError } from '../values/invalidSettingError';
import type { Account } from './account';
import type { ServiceResponse } from './response';
import { attempt, type AttemptOutcome, sentStateOf } from './attempt';
import { ConnectionWatch } from './connectionWatch';
import { canonicalEndpoint } from './endpointPath';
import type { Endpoint } from './endpoints';
import type { RequestContext } from './httpRequest';
import { Retries } from './retries';
import { RefusedKey } from './refusedKey';
import {
	pauseTooLongError,
	redisError,
	stoppedError,
	underWayError,
	unreadableFileError,
	waitTooLongError,
} from './errorTexts';
import { isRead, type ServiceRequest } from './serviceRequest';
import { SetupWarnings } from './setupWarnings';
import { RunWaitTime } from './runWaitTime';

/** How late (ms) a busy process may notice a timeout, at most. */
const SLACK_MS = 5_000;
/** How long (ms) a request under way may continue after n8n begins to shut down, for which n8n allows 30 s. */
const SHUTDOWN_GRACE_MS = 5_000;
/** A refused request already had its turn, so its retry goes before new requests. */
const PRIORITY_GAIN_OF_RETRIES = 2;

export class Client {
	hasAttempted = false;
	readonly warnings: SetupWarnings;
	readonly waitTime = new RunWaitTime();
	/** Runs with the same key take turns. */
	private readonly runId = randomUUID();
	private readonly refusedKey: RefusedKey;

	/**
	 * @param signal ends every wait when it aborts, with its reason
	 * @param priority among the requests of the key: from 2, which goes first, to 9
	 */
	constructor(
		readonly context: RequestContext,
		readonly account: Account,
		readonly signal: AbortSignal,
		private readonly priority = 5,
	) {
		this.warnings = new SetupWarnings(context, account);
		this.refusedKey = new RefusedKey(signal);
	}

	get baseUrl(): string {
		return this.account.baseUrl;
	}

	/**
	 * Resolves with a 2xx response.
	 * @throws RequestError with its outcome, what the request's guard throws, or the signal's reason
	 */
	async request(request: ServiceRequest): Promise<ServiceResponse> {
		this.check(request);
		return await this.send(request, await payloadOf(request));
	}

	/**
	 * @throws InvalidSettingError if the address or a header contains the key, because servers along the way log these, and
	 * errors show them
	 */
	check({ endpoint, query, headers }: ServiceRequest): void {
		const key = this.account.apiKey.toLowerCase();
		const parameters = query.flatMap(({ name, value }) => [name, value]);
		const texts = [endpoint.path, ...parameters, ...Object.entries(headers).flat()];
		if (!texts.some((text) => text.toLowerCase().includes(key))) return;
		const problem = 'the key must not be part of a path, a query parameter or a header';
		throw new InvalidSettingError('API Key', problem, 'Remove it: the credential sends the key.');
	}

	/** When (ms from now) the first and the last of `count` requests would go out. @throws RedisError, the signal's reason */
	async estimate(endpoint: Endpoint | undefined, count: number) {
		const { identity, limits, limitStore } = this.account;
		const request = { limits, endpoint: endpoint && canonicalEndpoint(endpoint), limitStore };
		return await abortable(limiterOf(identity).estimate(request, count), this.signal);
	}

	/** Waits for another sender of the document. @throws RequestError if it takes too long, or the signal's reason */
	async waitForOther(request: ServiceRequest, end: Promise<void>): Promise<void> {
		const leftMs = this.leftMs(request);
		const bounded = boundedSignal(this.signalOf(request), leftMs, () => underWayError(request));
		try {
			await this.waitTime.during(abortable(end, bounded.signal));
		} finally {
			bounded.release();
		}
	}

	private leftMs({ maxWaitMs }: ServiceRequest): number {
		return Math.max(0, maxWaitMs - this.waitTime.elapsedMs);
	}

	/** Ends the waits of the request. */
	private signalOf({ endpoint }: ServiceRequest): AbortSignal {
		return this.refusedKey.signalFor(endpoint);
	}

	private async send(request: ServiceRequest, payload?: Buffer): Promise<ServiceResponse> {
		const retries = new Retries();
		for (;;) {
			const permit = await this.acquirePermit(request, retries.refusals > 0);
			const other = await this.acquireGuard(request, permit);
			if (other !== undefined) {
				await this.waitForOther(request, other.ended);
				continue;
			}
			const sentAt = Date.now();
			const outcome = await this.try(request, payload, permit);
			const { error, response } = outcome;
			if (response !== undefined) this.warnings.noteResponse(response.headers, sentAt);
			if (error === undefined) return outcome.response;
			if (response?.statusCode === 401) this.refusedKey.add(request.endpoint, error);
			const waitMs = retries.after(outcome, permit);
			if (waitMs === undefined) throw error;
			// After a refusal, the next attempt waits in the limiter, like all requests of the key.
			if (response?.statusCode === 429) continue;
			if (waitMs > this.leftMs(request)) throw pauseTooLongError(request, error, waitMs);
			await this.waitTime.during(sleep(waitMs, this.signalOf(request)));
			if (outcome.askedMs !== undefined) this.waitTime.add(waitMs, PAUSE, true);
		}
	}

	/** @throws RequestError if there is no room in time or Redis fails, or the signal's reason */
	private async acquirePermit(request: ServiceRequest, isRetry: boolean): Promise<Permit> {
		const { identity, limits, limitStore } = this.account;
		this.warnings.noteRequest();
		const acquiring = limiterOf(identity).acquire({
			run: this.runId,
			limits,
			endpoint: canonicalEndpoint(request.endpoint),
			limitStore,
			signal: this.signalOf(request),
			priority: this.priority - (isRetry ? PRIORITY_GAIN_OF_RETRIES : 0),
			maxWaitMs: this.leftMs(request),
			inFlightMs: request.timeoutMs + SLACK_MS,
		});
		try {
			const permit = await this.waitTime.during(acquiring);
			this.waitTime.add(permit.waitedMs, permit.waitedFor, isRetry);
			return permit;
		} catch (error) {
			throw error instanceof WaitTooLongError
				? waitTooLongError(request, error)
				: asRequestError(error);
		}
	}

	/**
	 * Asks the request's guard, and frees the slots if the request may not go out.
	 * @returns undefined if it may go out; otherwise what to await before the next permit: another sender, or nothing if this
	 * permit has expired
	 */
	private async acquireGuard(request: ServiceRequest, permit: Permit) {
		const { guard } = request;
		const signal = this.signalOf(request);
		let mayGo = false;
		try {
			const other = await guard?.acquire();
			if (other !== undefined) return other;
			try {
				signal.throwIfAborted();
				mayGo = await permit.confirm(signal);
			} catch (error) {
				throw asRequestError(error);
			} finally {
				if (!mayGo) await guard?.complete('notSent');
			}
			return mayGo ? undefined : { ended: Promise.resolve() };
		} finally {
			if (!mayGo) permit.unused();
		}
	}

	/**
	 * Sends the request once, and reports the outcome to its guard, even if the run has been stopped meanwhile.
	 * @throws the signal's reason, or a RequestError if the request may have taken effect
	 */
	private async try(
		request: ServiceRequest,
		payload: Buffer | undefined,
		permit: Permit,
	): Promise<AttemptOutcome> {
		this.hasAttempted = true;
		const watch = new ConnectionWatch();
		const toTheEnd = async () => {
			const outcome = await attempt(this, request, payload, permit, watch);
			await request.guard?.complete(sentStateOf(outcome));
			return outcome;
		};
		const ended = toTheEnd();
		// Even if the run has already been stopped.
		if (!isRead(request)) holdShutdownFor(ended);
		return await abortable(ended, this.signal).catch(async (reason: unknown) => {
			if (isRead(request) || !watch.mayHaveLeft) throw reason;
			const stopped = stoppedError(request, reason);
			if (!(reason instanceof ShutdownError)) throw stopped;
			const grace = boundedSignal(never, SHUTDOWN_GRACE_MS, () => stopped);
			try {
				return await abortable(ended, grace.signal);
			} catch {
				throw stopped;
			} finally {
				grace.release();
			}
		});
	}
}

/** @throws RequestError if a file can no longer be read */
async function payloadOf(request: ServiceRequest): Promise<Buffer | undefined> {
	const { body, encoded } = request;
	try {
		if (encoded !== undefined) return await encoded.read();
	} catch (error) {
		throw unreadableFileError(request, error);
	}
	return body === undefined ? undefined : Buffer.from(JSON.stringify(body));
}

function asRequestError(error: unknown): unknown {
	return error instanceof RedisError ? redisError(error) : error;
}
