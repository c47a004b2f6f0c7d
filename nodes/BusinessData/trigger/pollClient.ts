/**
 * The requests of one poll. They stay within the time that n8n gives the poll, and requests of workflows go first: the
 * next poll goes on where this one ends.
 */
import { randomUUID } from 'node:crypto';

import type { IPollFunctions } from 'n8n-workflow';

import { ShutdownError, shutdownSignal } from '../n8nInternals/shutdown';
import { acquireExpressionIsolate } from '../n8nInternals/workflow';
import type { PageClient } from '../lists/pages';
import type { Account } from '../transport/account';
import type { ServiceResponse } from '../transport/response';
import { Client } from '../transport/client';
import { TimeoutError } from '../transport/failure';
import { RequestError } from '../transport/requestError';
import type { ServiceRequest } from '../transport/serviceRequest';
import { formatDuration, RunWaitTime } from '../transport/waitTime';
import { boundedSignal } from '../async';
import type { PollTime } from './pollTime';

/** The share of the time that is for requests; the rest is for comparing and saving. */
const SHARE_FOR_REQUESTS = 0.9;
/** Added to a request's timeout, so that the poll's signal ends the request and not the timeout. */
const BEHIND_THE_SIGNAL_MS = 1_000;
/** Behind the requests of workflows, which have 5. */
const PRIORITY = 8;
const LAST_PRIORITY = 9;

/** A request does not fit into what is left of the poll's time; the next poll can send it. */
export class OutOfTimeError extends RequestError {}

export interface PollClients {
	client: PageClient;
	/** Its requests go after the requests of all polls. */
	fullReadClient: PageClient;
	/** To be called when the poll is over. */
	end: () => void;
}

/**
 * The clients of a poll. Their requests fail with an OutOfTimeError when they would not come in time, with a
 * ShutdownError, or with what a client throws.
 */
export function clientsFor(
	context: IPollFunctions,
	account: Account,
	{ startedAt, timeMs: allMs }: PollTime,
): PollClients {
	const timeMs = SHARE_FOR_REQUESTS * Math.max(0, allMs);
	const timeLeft = () => startedAt + timeMs - performance.now();
	const waitTime = new RunWaitTime();
	const atMost = Math.max(0, Math.ceil(timeLeft()));
	const bounded = boundedSignal(shutdownSignal(), atMost, () => new TimeoutError());
	const [own, run] = [withExpressions(context), randomUUID()];

	const describe = ({ endpoint }: ServiceRequest, retryAfterSeconds = 0) => {
		const after = formatDuration(retryAfterSeconds * 1000);
		const at = retryAfterSeconds === 0 ? '' : `It can be retried in ${after} at the earliest. `;
		return `GET ${endpoint.path} — ${at}n8n gives a poll a time, of which ${formatDuration(timeMs)} are for requests. The next poll tries again.`;
	};

	const outOfTime = (request: ServiceRequest, retryAfterSeconds?: number) => {
		const isOfLimits = retryAfterSeconds !== undefined;
		const reason = isOfLimits ? 'the limits left no room' : 'the service did not respond';
		return new OutOfTimeError(`Not read: ${reason} in the time of this poll`, {
			outcome: 'notSent',
			description: describe(request, retryAfterSeconds),
			...(isOfLimits
				? { cause: 'rate-limited', retryAfterSeconds }
				: { cause: 'temporarily-unavailable' }),
		});
	};

	const clientOf = (priority: number): PageClient => {
		const client = new Client(own, account, run, waitTime, bounded.signal, priority);
		const request = async (request: ServiceRequest): Promise<ServiceResponse> => {
			const leftMs = timeLeft();
			if (leftMs <= 0) throw outOfTime(request);
			// The client also counts how long the poll has waited before.
			const maxWaitMs = Math.min(request.maxWaitMs, leftMs + waitTime.elapsedMs);
			const timeoutMs = Math.min(request.timeoutMs, leftMs + BEHIND_THE_SIGNAL_MS);
			try {
				return await client.request({ ...request, maxWaitMs, timeoutMs });
			} catch (error) {
				if (error instanceof ShutdownError) throw error;
				if (bounded.signal.aborted) throw outOfTime(request);
				if (!(error instanceof RequestError)) throw error;
				const { message, details } = error;
				const { cause, outcome, retryAfterSeconds } = details;
				if (retryAfterSeconds === undefined) throw error;
				const isNotSent = outcome === 'notSent';
				const isOfPoll = maxWaitMs < request.maxWaitMs;
				if (!isOfPoll) throw isNotSent ? new OutOfTimeError(message, details) : error;
				if (isNotSent && cause === 'rate-limited') throw outOfTime(request, retryAfterSeconds);
				const description = describe(request, retryAfterSeconds);
				throw new RequestError(message, { ...details, description });
			}
		};
		return { baseUrl: account.baseUrl, request };
	};
	return {
		client: clientOf(PRIORITY),
		fullReadClient: clientOf(LAST_PRIORITY),
		end: bounded.release,
	};
}

/** The same context, whose requests acquire the expression isolate first: the credential's header is an expression. */
function withExpressions(context: IPollFunctions): IPollFunctions {
	const { helpers } = context;
	const request: typeof helpers.httpRequestWithAuthentication = async function (...parameters) {
		await acquireExpressionIsolate(context);
		return (await helpers.httpRequestWithAuthentication.apply(this, parameters)) as unknown;
	};
	const own = Object.create(helpers, {
		httpRequestWithAuthentication: { value: request },
	}) as object;
	return Object.create(context, { helpers: { value: own } }) as IPollFunctions;
}
