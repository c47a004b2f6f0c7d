/** Sends the requests of one poll, within the time that n8n gives it, and after the requests of workflows. */
import type { IPollFunctions } from 'n8n-workflow';

import { ShutdownError, shutdownSignal } from '../n8nInternals/shutdown';
import { acquireExpressionIsolate } from '../n8nInternals/pollContext';
import type { PageClient } from '../lists/pages';
import type { Account } from '../transport/account';
import type { ServiceResponse } from '../transport/response';
import { Client } from '../transport/client';
import { TimeoutError } from '../transport/failure';
import { RequestError } from '../transport/requestError';
import type { ServiceRequest } from '../transport/serviceRequest';
import { formatDuration } from '../values/text';
import { boundedSignal } from '../async';
import type { PollTime } from './pollTime';

/** The share of the time for requests. The rest is for comparing and saving. */
const SHARE_FOR_REQUESTS = 0.9;
/** Added to a request's timeout, so that the poll's signal ends it first. */
const AFTER_THE_SIGNAL_MS = 1_000;
/** Lower than that of the requests of workflows, which is 5. */
const PRIORITY = 8;

/** There was no time for the request, in the poll or within Max Wait. The next poll can send it. */
export class OutOfTimeError extends RequestError {}

/** Requests fail with an OutOfTimeError if the next poll can send them, and otherwise like those of a Client. */
export class PollClient implements PageClient {
	readonly baseUrl: string;
	/** How long (ms) the requests may take in all. */
	private readonly timeMs: number;
	private readonly endsAt: number;
	private readonly bounded: ReturnType<typeof boundedSignal>;
	private readonly client: Client;

	constructor(context: IPollFunctions, account: Account, { startedAt, timeMs }: PollTime) {
		this.baseUrl = account.baseUrl;
		this.timeMs = SHARE_FOR_REQUESTS * Math.max(0, timeMs);
		this.endsAt = startedAt + this.timeMs;
		const atMost = Math.max(0, Math.ceil(this.leftMs));
		this.bounded = boundedSignal(shutdownSignal(), atMost, () => new TimeoutError());
		const { signal } = this.bounded;
		const own = withExpressions(context);
		this.client = new Client(own, account, signal, PRIORITY);
	}

	async request(request: ServiceRequest): Promise<ServiceResponse> {
		const { leftMs, bounded } = this;
		if (leftMs <= 0) throw this.outOfTime(request);
		// The client adds how long the poll has waited before.
		const maxWaitMs = Math.min(request.maxWaitMs, leftMs + this.client.waitTime.elapsedMs);
		const timeoutMs = Math.min(request.timeoutMs, leftMs + AFTER_THE_SIGNAL_MS);
		try {
			return await this.client.request({ ...request, maxWaitMs, timeoutMs });
		} catch (error) {
			if (error instanceof ShutdownError) throw error;
			if (bounded.signal.aborted) throw this.outOfTime(request);
			if (!(error instanceof RequestError)) throw error;
			const { message, details } = error;
			const { cause, outcome, retryAfterSeconds } = details;
			if (retryAfterSeconds === undefined) throw error;
			const isNotSent = outcome === 'notSent';
			// The user's Max Wait was too short, not the poll's time.
			if (maxWaitMs === request.maxWaitMs) {
				throw isNotSent ? new OutOfTimeError(message, details) : error;
			}
			const description = this.describe(request, retryAfterSeconds);
			if (isNotSent && cause === 'rate-limited') {
				const ofRead = message.replace('Not sent', 'Not read');
				throw new OutOfTimeError(ofRead, { ...details, description });
			}
			throw new RequestError(message, { ...details, description });
		}
	}

	/** Call when the poll is over. */
	end(): void {
		this.bounded.release();
	}

	private get leftMs(): number {
		return this.endsAt - performance.now();
	}

	private outOfTime(request: ServiceRequest): OutOfTimeError {
		const message = 'Not read: the service did not respond in the time of this poll';
		const description = this.describe(request);
		const details = { outcome: 'notSent', cause: 'temporarily-unavailable', description } as const;
		return new OutOfTimeError(message, details);
	}

	private describe({ endpoint }: ServiceRequest, retryAfterSeconds = 0): string {
		const waitMs = retryAfterSeconds * 1000;
		const at =
			waitMs === 0 ? '' : `It can be retried in ${formatDuration(waitMs)} at the earliest. `;
		// A pause longer than all windows is too long even if the poll has the time.
		const why =
			waitMs > 0 && waitMs < this.leftMs
				? 'That is too long to wait here.'
				: `n8n limits the time of a poll, of which ${formatDuration(this.timeMs)} are for requests.`;
		return `GET ${endpoint.path} — ${at}${why} The next poll tries again.`;
	}
}

/** The context, but its requests acquire the expression isolate first, as the credential's header is an expression. */
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
