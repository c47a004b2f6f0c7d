/**
 * After a 401, a run sends no more requests to that endpoint, and after 401s on two paths none at all. They would use up
 * the limits only to get the same response.
 */
import { abortController, onAbort } from '../async';
import { canonicalEndpoint } from './endpointPath';
import type { Endpoint } from './endpoints';
import { RequestError } from './requestError';
import { CAUSES_OF_401 } from './errorTexts';

/** A 401 on one path may be due to the role of the key (section 5). On this many, the key itself is wrong. */
const PATHS_OF_A_WRONG_KEY = 2;

export class RefusedKey {
	/** By endpoint. */
	private readonly controllers = new Map<string, AbortController>();
	private readonly paths = new Set<string>();
	private error: RequestError | undefined;

	constructor(private readonly run: AbortSignal) {}

	add(endpoint: Endpoint, { message, details }: RequestError): void {
		const description = `Not sent: an earlier request of this run got this response. ${CAUSES_OF_401}`;
		this.error = new RequestError(message, { ...details, outcome: 'notSent', description });
		this.paths.add(canonicalEndpoint({ ...endpoint, method: 'GET' }));
		const refused = canonicalEndpoint(endpoint);
		for (const [name, controller] of this.controllers) {
			if (name === refused || this.paths.size >= PATHS_OF_A_WRONG_KEY) controller.abort(this.error);
		}
	}

	/** Aborts with the run's signal, or with a RequestError once the endpoint is refused. */
	signalFor(endpoint: Endpoint): AbortSignal {
		const name = canonicalEndpoint(endpoint);
		const known = this.controllers.get(name);
		if (known !== undefined) return known.signal;
		const controller = abortController();
		this.controllers.set(name, controller);
		onAbort(this.run, (reason) => controller.abort(reason));
		if (this.paths.size >= PATHS_OF_A_WRONG_KEY) controller.abort(this.error);
		return controller.signal;
	}
}
