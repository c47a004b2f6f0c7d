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

export class PollClient {
	private readonly waitTime = new RunWaitTime();

	private readonly timeMs: number;

	private readonly deadline: number;

	private readonly signal: AbortSignal;

	/** To be called when the poll is over. */
	readonly end: () => void;

	private readonly client: Client;

	/** Its requests go after the requests of all polls. */
	readonly forFullReads: PageClient;

	constructor(context: IPollFunctions, account: Account, { startedAt, timeMs }: PollTime) {
		this.timeMs = SHARE_FOR_REQUESTS * Math.max(0, timeMs);
		this.deadline = startedAt + this.timeMs;
		const leftMs = Math.max(0, Math.ceil(this.leftMs));
		const bounded = boundedSignal(shutdownSignal(), leftMs, () => new TimeoutError());
		this.signal = bounded.signal;
		this.end = bounded.release;
		const [own, run] = [withExpressions(context), randomUUID()];
		const withPriority = (priority: number) =>
			new Client(own, account, run, this.waitTime, this.signal, priority);
		this.client = withPriority(PRIORITY);
		const last = withPriority(LAST_PRIORITY);
		this.forFullReads = {
			baseUrl: account.baseUrl,
			request: async (request) => await this.requestBy(last, request),
		};
	}

	get baseUrl(): string {
		return this.client.baseUrl;
	}

	/**
	 * Resolves with a 2xx response.
	 * @throws OutOfTimeError when it would not come in time, ShutdownError, or what a client throws
	 */
	async request(request: ServiceRequest): Promise<ServiceResponse> {
		return await this.requestBy(this.client, request);
	}

	private async requestBy(client: Client, request: ServiceRequest): Promise<ServiceResponse> {
		const { leftMs } = this;
		if (leftMs <= 0) throw this.outOfTime(request);
		// The client also counts how long the poll has waited before.
		const mayWaitMs = Math.min(request.maxWaitMs, leftMs + this.waitTime.elapsedMs);
		try {
			return await client.request({
				...request,
				maxWaitMs: mayWaitMs,
				timeoutMs: Math.min(request.timeoutMs, leftMs + BEHIND_THE_SIGNAL_MS),
			});
		} catch (error) {
			if (error instanceof ShutdownError) throw error;
			if (this.signal.aborted) throw this.outOfTime(request);
			if (!(error instanceof RequestError)) throw error;
			const { cause, outcome, retryAfterSeconds } = error.details;
			if (retryAfterSeconds === undefined) throw error;
			const isOfPoll = mayWaitMs < request.maxWaitMs;
			const isNotSent = outcome === 'notSent';
			if (!isOfPoll) throw isNotSent ? new OutOfTimeError(error.message, error.details) : error;
			if (isNotSent && cause === 'rate-limited') throw this.outOfTime(request, retryAfterSeconds);
			const description = this.describe(request, retryAfterSeconds);
			throw new RequestError(error.message, { ...error.details, description });
		}
	}

	private get leftMs(): number {
		return this.deadline - performance.now();
	}

	private describe({ endpoint }: ServiceRequest, retryAfterSeconds = 0): string {
		const at =
			retryAfterSeconds === 0
				? ''
				: `It can be retried in ${formatDuration(retryAfterSeconds * 1000)} at the earliest. `;
		return `GET ${endpoint.path} — ${at}n8n gives a poll a time, of which ${formatDuration(this.timeMs)} are for requests. The next poll tries again.`;
	}

	private outOfTime(request: ServiceRequest, retryAfterSeconds?: number): OutOfTimeError {
		const hasWaited = retryAfterSeconds !== undefined || this.waitTime.elapsedMs > this.timeMs / 2;
		return new OutOfTimeError(
			hasWaited
				? 'Not read: the limits left no room in the time of this poll'
				: 'Not read: the service did not respond in the time of this poll',
			{
				outcome: 'notSent',
				description: this.describe(request, retryAfterSeconds),
				...(hasWaited
					? { cause: 'rate-limited', retryAfterSeconds: retryAfterSeconds ?? 1 }
					: { cause: 'temporarily-unavailable' }),
			},
		);
	}
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
