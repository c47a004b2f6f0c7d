/** The time for a poll: what n8n says, a default where it says nothing, and less while it publishes. */
import type { IPollFunctions } from 'n8n-workflow';

import { timeForPoll } from '../../../nodes/BusinessData/recordChanges/pollTime';

const contextWith = (budgetMs?: number) =>
	(budgetMs === undefined ? {} : { getPollBudgetMs: () => budgetMs }) as IPollFunctions;

test.each([
	['n8n 2.x', 300_000, [45_000, 300_000, 300_000]],
	['its durable scheduler', 36_000, [36_000, 36_000, 36_000]],
	['its durable scheduler, given more', 120_000, [120_000, 120_000, 120_000]],
	['an n8n that gives little', 500, [500, 500, 500]],
	['n8n 1.x', undefined, [45_000, 300_000, 300_000]],
])('with %s', (_, budgetMs, times) => {
	const context = contextWith(budgetMs);
	expect([1, 2, 3].map(() => timeForPoll(context))).toEqual(times);
	// Another publication.
	expect(timeForPoll(contextWith(budgetMs))).toBe(times[0]);
});
