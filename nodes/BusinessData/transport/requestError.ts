/** A request that did not end well, in the words a user needs; it never contains the key. */
import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

/**
 * What became of a request: it certainly did not reach the service; the service refused it and did not act; or it went
 * out and the result is not known.
 */
export type Outcome = 'notSent' | 'refused' | 'unknown';

/** Why it did not end well, where that is known and the user can act on it: a `reason` of a `Failure` of n8n-workflow. */
export type FailureCause =
	'rate-limited' | 'temporarily-unavailable' | 'credential-invalid' | 'configuration-invalid';

export interface RequestErrorDetails {
	outcome: Outcome;
	/** After a send of unknown outcome never a cause that waiting helps: it would read as permission to retry. */
	cause?: FailureCause;
	/** How the user goes on. */
	description: string;
	/** The status of the service's response, where there was one. */
	statusCode?: number;
	/** Whether the response was a 2xx that failed by the Result Field. */
	isByResultField?: true;
	/** The beginning of the body of that response, without the key. */
	responseBody?: string;
	/** After how many seconds another attempt makes sense; none after a send whose outcome is unknown. */
	retryAfterSeconds?: number;
}

export class RequestError extends Error {
	constructor(
		message: string,
		readonly details: RequestErrorDetails,
	) {
		super(message);
		this.name = 'RequestError';
	}
}

/** The execution was stopped. n8n shows an error whose message says "canceled" as canceled. */
export class ExecutionCanceledError extends Error {
	constructor() {
		super('The execution was canceled; its waiting requests were dropped');
		this.name = 'ExecutionCancelledError';
	}
}

/** Whether the execution was stopped: by hand, by its time-out, or by n8n. A poll cannot be. */
export function isCanceled(context: IExecuteFunctions | IPollFunctions): boolean {
	return (
		'getExecutionCancelSignal' in context && context.getExecutionCancelSignal()?.aborted === true
	);
}
