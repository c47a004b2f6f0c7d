/** The time that n8n gives a poll. */
import type { IPollFunctions } from 'n8n-workflow';

/** What n8n 2.x gives a poll by default. n8n 1.x names no time, so there it is this one. */
const USUAL_TIME_MS = 5 * 60_000;
/**
 * n8n polls once while it publishes a workflow, and n8n 2.x takes a publication of more than 84 s for
 * failed. What the first poll does not get through, the next ones do.
 */
const TIME_FOR_PUBLISHING_MS = 45_000;

/**
 * The contexts that have polled. n8n makes one when a workflow is published, for all polls until its end; its
 * durable scheduler makes one for each poll, and has a time of its own.
 */
const known = new WeakSet<IPollFunctions>();

/** How long (ms) the poll that begins now may take. */
export function timeForPoll(context: IPollFunctions): number {
	// n8n 1.x has no such function.
	const { getPollBudgetMs } = context as Partial<IPollFunctions>;
	const timeMs = getPollBudgetMs?.call(context) ?? USUAL_TIME_MS;
	const isPublishing = !known.has(context) && timeMs === USUAL_TIME_MS;
	known.add(context);
	return isPublishing ? TIME_FOR_PUBLISHING_MS : timeMs;
}
