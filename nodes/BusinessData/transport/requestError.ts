/** The error of a request, worded for users. It never contains the key. */
import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

/** `notSent`: the request certainly did not reach the service. `refused`: the service did not act. */
export type Outcome = 'notSent' | 'refused' | 'unknown';

/** A cause that the user can act on, as in the `Failure` of n8n-workflow. */
export type FailureCause =
	'rate-limited' | 'temporarily-unavailable' | 'credential-invalid' | 'configuration-invalid';

export interface RequestErrorDetails {
	outcome: Outcome;
	/** After a send with unknown outcome, never a cause that waiting fixes, which would read as permission to retry. */
	cause?: FailureCause;
	/** What the user can do. */
	description: string;
	statusCode?: number;
	/** Whether the response was a 2xx that counts as a failure by the Result Field. */
	isByResultField?: true;
	/** The beginning of the body, without the key. */
	responseBody?: string;
	/** In how many seconds to retry; undefined after a send with unknown outcome. */
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

/** n8n shows an error whose message says "canceled" as canceled. */
export class ExecutionCanceledError extends Error {
	constructor() {
		super('The execution was canceled; its waiting requests were dropped');
		this.name = 'ExecutionCancelledError';
	}
}

/** Whether the execution was stopped by hand, by its timeout, or by n8n. A poll never is. */
export function isCanceled(context: IExecuteFunctions | IPollFunctions): boolean {
	return (
		'getExecutionCancelSignal' in context && context.getExecutionCancelSignal()?.aborted === true
	);
}
