/**
 * What a run has learned of its key: after a 401, further requests to the endpoint are not sent, and after those
 * of two paths none at all. They would get the same response, after waiting for the limits and using them up.
 */
import { abortController, onAbort } from '../async';
import { canonicalEndpoint } from './endpointPath';
import { type Endpoint, formatEndpoint } from './endpoints';
import { RequestError } from './requestError';
import { CAUSES_OF_401 } from './requestErrors';

/** With a 401 on so many paths the key itself is wrong: its role may be refused a single one (section 5). */
const MOST_PATHS = 2;

export class RefusedKey {
	private readonly endpoints = new Set<string>();
	private readonly paths = new Set<string>();
	private error: RequestError | undefined;
	/** The endpoints of requests that are not done, by what ends their waits. */
	private readonly pending = new Map<AbortController, Endpoint>();

	/** A request to the endpoint got this 401. */
	add(endpoint: Endpoint, error: RequestError): void {
		this.error = error;
		this.endpoints.add(canonicalEndpoint(endpoint));
		this.paths.add(canonicalEndpoint({ ...endpoint, method: 'GET' }));
		for (const [controller, pending] of this.pending) {
			const reason = this.errorFor(pending);
			if (reason !== undefined) controller.abort(reason);
		}
	}

	/**
	 * A signal for the waits of a request: it aborts with the run's, or with a RequestError once the endpoint is
	 * refused. `release` must be called when the request is done.
	 */
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
