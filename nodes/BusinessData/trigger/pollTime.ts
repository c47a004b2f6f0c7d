/** The time that n8n gives a poll, and whether the poll belongs to an activation of the trigger. */
import type { IPollFunctions } from 'n8n-workflow';

import { isOfDurableScheduler, pollBudgetMs, workflowOf } from '../n8nInternals/pollContext';

/** Less than the 84 s after which a publication fails in n8n 2.x. n8n 1.x polls one trigger after the other. */
const ACTIVATION_TIME_MS = 45_000;

export type PollTime = ReturnType<typeof beginPoll>;

/** The contexts that have polled. Each activation makes a new one, and begins with a poll. */
const polled = new WeakSet<IPollFunctions>();

/** When the first trigger of an activation began to poll, by the `Workflow` object of the activation. */
const activations = new WeakMap<object, number>();

/**
 * Call once, at the beginning of a poll.
 * @returns when it began (ms, `performance.now()`), how long (ms) it may take, and whether n8n polls because it has started
 * or a workflow was published (see `activation.ts`)
 */
export function beginPoll(context: IPollFunctions) {
	const startedAt = performance.now();
	const timeMs = pollBudgetMs(context);
	const isActivation = !polled.has(context) && !isOfDurableScheduler(context);
	polled.add(context);
	if (!isActivation) return { startedAt, timeMs, isActivation };
	const activation = workflowOf(context) ?? context;
	const begunAt = activations.get(activation) ?? startedAt;
	activations.set(activation, begunAt);
	return { startedAt, timeMs: ACTIVATION_TIME_MS - (startedAt - begunAt), isActivation };
}
