/**
 * After a 401, a run sends no more requests to the endpoint, and after a 401 on two paths none at all: they would use
 * up the limits for the same response.
 */
import { abortController, onAbort } from '../async';
import { canonicalEndpoint } from './endpointPath';
import { type Endpoint, formatEndpoint } from './endpoints';
import { RequestError } from './requestError';
import { CAUSES_OF_401 } from './requestErrors';

/** A 401 on one path may be due to the role of the key (section 5); on so many, the key itself is wrong. */
const MOST_PATHS = 2;

export class RefusedKey {
	private readonly endpoints = new Set<string>();
	private readonly paths = new Set<string>();
	private error: RequestError | undefined;
	/** The endpoints of requests that are not done, by the controllers that end their waits. */
	private readonly pending = new Map<AbortController, Endpoint>();

	add(endpoint: Endpoint, error: RequestError): void {
		this.error = error;
		this.endpoints.add(canonicalEndpoint(endpoint));
		this.paths.add(canonicalEndpoint({ ...endpoint, method: 'GET' }));
		for (const [controller, pending] of this.pending) {
			const reason = this.errorFor(pending);
			if (reason !== undefined) controller.abort(reason);
		}
	}

	/** Aborts with the run's signal, or with a RequestError once the endpoint is refused. Call `release` at the end. */
	signalFor(endpoint: Endpoint, run: AbortSignal): { signal: AbortSignal; release: () => void } {
		const controller = abortController();
		this.pending.set(controller, endpoint);
		const stopListening = onAbort(run, (reason) => controller.abort(reason));
		const error = this.errorFor(endpoint);
		if (error !== undefined) controller.abort(error);
		const release = () => {
			this.pending.delete(controller);
			stopListening();
		};
		return { signal: controller.signal, release };
	}

	private errorFor(endpoint: Endpoint): RequestError | undefined {
		const isRefused =
			this.paths.size >= MOST_PATHS || this.endpoints.has(canonicalEndpoint(endpoint));
		if (this.error === undefined || !isRefused) return undefined;
		return new RequestError(this.error.message, {
			...this.error.details,
			outcome: 'notSent',
			description: `${formatEndpoint(endpoint)} — Not sent: an earlier request of this run got this response. ${CAUSES_OF_401}`,
		});
	}
}
