/**
 * n8n polls once when it starts, and when a workflow is published. If that fails a few times, the trigger stays off until
 * the workflow is published again.
 */
import { ExpressionError, type IPollFunctions, NodeOperationError, UserError } from 'n8n-workflow';

import { InvalidSettingError } from '../values/invalidSettingError';
import { RequestError } from '../transport/requestError';

/** Errors that the user must fix in the node, the credential or the workflow. */
const ERRORS_OF_SETTINGS = [InvalidSettingError, ExpressionError, NodeOperationError, UserError];

/** Whether an activation may succeed in spite of this error of its poll, because the next scheduled poll may succeed. */
export function mayWaitForSchedule(context: IPollFunctions, error: unknown): boolean {
	if (ERRORS_OF_SETTINGS.some((type) => error instanceof type)) return false;
	// When n8n starts, nobody is there to publish the workflow again.
	const isStart = ['init', 'leadershipChange'].includes(context.getActivationMode());
	if (!(error instanceof RequestError)) return isStart;
	const { cause } = error.details;
	if (cause === 'rate-limited' || cause === 'temporarily-unavailable') return true;
	return isStart && cause !== 'credential-invalid';
}
