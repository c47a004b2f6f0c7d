/** The time for a poll: what n8n gives, a default if it gives none, and less for polls of an activation. */
import type { IPollFunctions } from 'n8n-workflow';

import { beginPoll } from '../../../nodes/BusinessData/trigger/pollTime';

const contextWith = (budgetMs?: number, workflow?: object) =>
	({
		...(workflow === undefined ? {} : { workflow }),
		...(budgetMs === undefined ? {} : { getPollBudgetMs: () => budgetMs }),
	}) as IPollFunctions;

test.each([
	['n8n 2.x', 300_000, [45_000, 300_000, 300_000]],
	['the durable scheduler', 36_000, [36_000, 36_000, 36_000]],
	['the durable scheduler with more time', 120_000, [120_000, 120_000, 120_000]],
	['an n8n that gives little time', 500, [500, 500, 500]],
	['n8n 1.x', undefined, [45_000, 300_000, 300_000]],
])('a poll has the right time with %s', (_, budgetMs, times) => {
	const context = contextWith(budgetMs);
	const polls = [1, 2, 3].map(() => beginPoll(context));
	expect(polls.map(({ timeMs }) => timeMs)).toEqual(times);
	const activations = polls.map(({ isActivation }) => isActivation);
	expect(activations).toEqual([times[0] === 45_000, false, false]);
	// After another publication.
	expect(beginPoll(contextWith(budgetMs)).timeMs).toBe(times[0]);
});

test('the triggers of a workflow share the time of its activation', () => {
	const workflow = {};
	const now = jest.spyOn(performance, 'now');
	const timeAt = (ms: number) => {
		now.mockReturnValue(ms);
		return beginPoll(contextWith(300_000, workflow)).timeMs;
	};
	expect([1_000, 1_000, 31_000, 47_000].map(timeAt)).toEqual([45_000, 45_000, 15_000, -1_000]);
	now.mockRestore();
});
