/** The error of a request, in words for users; it never contains the key. */
import type { IExecuteFunctions, IPollFunctions } from 'n8n-workflow';

/** `notSent`: it certainly did not reach the service. `refused`: the service did not act. */
export type Outcome = 'notSent' | 'refused' | 'unknown';

/** A cause that the user can act on: a `reason` of a `Failure` of n8n-workflow. */
export type FailureCause =
	'rate-limited' | 'temporarily-unavailable' | 'credential-invalid' | 'configuration-invalid';

export interface RequestErrorDetails {
	outcome: Outcome;
	/** After a send of unknown outcome, never one that waiting fixes: it would read as permission to retry. */
	cause?: FailureCause;
	/** How the user goes on. */
	description: string;
	statusCode?: number;
	/** Whether the response was a 2xx that failed by the Result Field. */
	isByResultField?: true;
	/** The beginning of the body, without the key. */
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

/** n8n shows an error whose message says "canceled" as canceled. */
export class ExecutionCanceledError extends Error {
	constructor() {
		super('The execution was canceled; its waiting requests were dropped');
		this.name = 'ExecutionCancelledError';
	}
}

/** Whether the execution was stopped: by hand, by its timeout, or by n8n. A poll never is. */
export function isCanceled(context: IExecuteFunctions | IPollFunctions): boolean {
	return (
		'getExecutionCancelSignal' in context && context.getExecutionCancelSignal()?.aborted === true
	);
}
