/** Leaves out of a failing plan whatever it fails without, in the same way: faults, executions and items, one by one. */
import { type Outcome, playPlan } from '../play';
import type { Plan } from '../scenario/plan';
import type { Equipment } from '../scenario/played';

interface PlayedPlan {
	plan: Plan;
	outcome: Outcome;
}

const without = <T>(list: T[], index: number) => list.filter((_, other) => other !== index);

/** The plans that lack one thing. */
function* smallerThan(plan: Plan): Generator<Plan> {
	const { faults, executions } = plan;
	for (const index of faults.keys()) yield { ...plan, faults: without(faults, index) };
	for (const index of executions.keys()) yield { ...plan, executions: without(executions, index) };
	for (const [index, execution] of executions.entries()) {
		for (const item of execution.items.length > 1 ? execution.items.keys() : []) {
			const shorter = { ...execution, items: without(execution.items, item) };
			yield { ...plan, executions: executions.with(index, shorter) };
		}
	}
}

/** @param kind of the failure that must stay */
export async function shortened(
	first: PlayedPlan,
	kind: string,
	equipment: Equipment,
): Promise<PlayedPlan> {
	for (const plan of smallerThan(first.plan)) {
		const outcome = await playPlan(plan, equipment);
		if (outcome.violations.some((violation) => violation.kind === kind)) {
			return await shortened({ plan, outcome }, kind, equipment);
		}
	}
	return first;
}
