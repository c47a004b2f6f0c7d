/**
 * The polls that n8n makes while it activates a trigger: at its start, and while a workflow is published. n8n takes an
 * error of such a poll for an error of the activation, retries for some seconds, and then leaves the trigger off until
 * the workflow is published again.
 */
import { ExpressionError, type IPollFunctions, NodeOperationError, UserError } from 'n8n-workflow';

import { InvalidSettingError } from '../values/invalidSettingError';
import { RequestError } from '../transport/requestError';

/** What the user has to fix, by the settings of the node, the credential or the workflow. */
const OF_SETTINGS = [InvalidSettingError, ExpressionError, NodeOperationError, UserError];

/**
 * Whether the next scheduled poll may succeed where the poll of an activation failed: then that is no reason to
 * leave the trigger off.
 * @param hasWorked whether a poll with the same settings has succeeded before
 */
export function isForSchedule(
	context: IPollFunctions,
	error: unknown,
	hasWorked: boolean,
): boolean {
	if (OF_SETTINGS.some((type) => error instanceof type)) return false;
	// At a start of n8n, no person is there to publish again.
	const isStart = ['init', 'leadershipChange'].includes(context.getActivationMode());
	if (!(error instanceof RequestError)) return isStart || hasWorked;
	const { cause, outcome } = error.details;
	if (cause === 'credential-invalid') return false;
	if (isStart || cause === 'rate-limited' || cause === 'temporarily-unavailable') return true;
	return hasWorked && cause === undefined && outcome !== 'refused';
}
