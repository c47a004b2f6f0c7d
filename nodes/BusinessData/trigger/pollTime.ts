/** The time that n8n gives a poll, and whether n8n makes it while it activates the trigger. */
import type { IPollFunctions } from 'n8n-workflow';

import { isOfDurableScheduler, pollBudgetMs, workflowOf } from '../n8nInternals/workflow';

/**
 * n8n 2.x takes a publication of more than 84 s for failed, and n8n 1.x polls with the triggers of a workflow one
 * after the other. What the first poll does not get through, the next ones do.
 */
const ACTIVATION_TIME_MS = 45_000;

export interface PollTime {
	/** When the poll began (ms, `performance.now()`). */
	startedAt: number;
	/** How long (ms) it may take. */
	timeMs: number;
	/** n8n makes it at its start, or while a workflow is published, and takes its error for one of the activation. */
	isActivation: boolean;
}

/** The contexts that have polled. n8n makes a context for each activation, which includes its first poll. */
const known = new WeakSet<IPollFunctions>();

/** When the activation of a workflow, which is an object of its own each time, has begun to poll. */
const activations = new WeakMap<object, number>();

/** To be called once, at the beginning of a poll. */
export function timeForPoll(context: IPollFunctions): PollTime {
	const startedAt = performance.now();
	const timeMs = pollBudgetMs(context);
	const isActivation = !known.has(context) && !isOfDurableScheduler(context);
	known.add(context);
	if (!isActivation) return { startedAt, timeMs, isActivation };
	const activation = workflowOf(context) ?? context;
	const begunAt = activations.get(activation) ?? startedAt;
	activations.set(activation, begunAt);
	return { startedAt, timeMs: ACTIVATION_TIME_MS - (startedAt - begunAt), isActivation };
}
