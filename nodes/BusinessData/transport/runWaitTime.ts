/** Measures how long the requests of a run waited, and for which limits. */
import { PAUSE, REFUSAL, type WaitCause } from '../rateLimit';
import { formatDuration, formatLimit, pluralize } from '../values/text';

/** Shorter waits (ms) are due to the limiter's own work. */
const SHORTEST_WAIT_MS = 100;
/** Shorter waits (ms) are not reported. */
export const NOTICEABLE_WAIT_MS = 1_000;

export class RunWaitTime {
	private waiting = 0;
	private waitingSince = 0;
	private hasRequested = false;
	/** The time (ms) in which at least one request was waiting, up to the last such time that has ended. */
	private pastMs = 0;
	private requests = 0;
	private readonly msByCause = new Map<string, { ms: number; cause: WaitCause }>();

	/** The time (ms) in which at least one request of the run was waiting for the limits. */
	get elapsedMs(): number {
		return this.pastMs + (this.waiting > 0 ? performance.now() - this.waitingSince : 0);
	}

	async during<T>(wait: Promise<T>): Promise<T> {
		this.hasRequested = true;
		if (this.waiting++ === 0) this.waitingSince = performance.now();
		try {
			return await wait;
		} finally {
			if (--this.waiting === 0) this.pastMs += performance.now() - this.waitingSince;
		}
	}

	/** @param isRetry whether the request has waited before */
	add(ms: number, cause: WaitCause | undefined, isRetry: boolean): void {
		if (ms < SHORTEST_WAIT_MS || cause === undefined) return;
		if (!isRetry || this.requests === 0) this.requests++;
		const name = causeName(cause);
		const total = this.msByCause.get(name)?.ms ?? 0;
		this.msByCause.set(name, { ms: total + ms, cause });
	}

	/** What n8n 2.x attaches to the node's OpenTelemetry span; undefined if there was no request. */
	get tracing(): Record<string, string | number> | undefined {
		if (!this.hasRequested) return undefined;
		const { longest } = this;
		return {
			'business_data.wait_ms': Math.round(this.elapsedMs),
			'business_data.requests_waited': this.requests,
			...(longest === undefined ? {} : { 'business_data.waited_for': causeName(longest.cause) }),
		};
	}

	private get longest() {
		return [...this.msByCause.values()].sort((a, b) => b.ms - a.ms)[0];
	}

	/** A sentence such as "12 requests waited 48 s for the limit of 30 per 10 s"; undefined if there was hardly any wait. */
	describe(): string | undefined {
		const { longest } = this;
		if (longest === undefined || this.elapsedMs < NOTICEABLE_WAIT_MS) return undefined;
		const waited = `${pluralize(this.requests, 'request')} waited ${formatDuration(this.elapsedMs)}`;
		if (longest.cause === REFUSAL) {
			return `${waited} after the service refused a request (429). Something else seems to use the same API key, or n8n was restarted and has lost count.`;
		}
		if (longest.cause === PAUSE) return `${waited} because the service had asked for a pause.`;
		const { name, max, windowMs } = longest.cause;
		const where = name.startsWith('general/') ? '' : ` on ${name.slice(0, name.lastIndexOf('/'))}`;
		return `${waited} for the limit of ${formatLimit(max, windowMs)}${where}.`;
	}
}

function causeName(cause: WaitCause): string {
	return typeof cause === 'string' ? cause : cause.name;
}
