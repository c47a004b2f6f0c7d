/** Plays one seed, prints its plan and history, and shortens the plan if it fails. */
import { inspect } from 'node:util';

import { equip, type Outcome, playPlan } from '../play';
import { planOf } from '../scenario/generate';
import type { Plan } from '../scenario/plan';
import type { Equipment } from '../scenario/player';

export async function replay(seed: number): Promise<boolean> {
	const equipment = await equip();
	const plan = planOf(seed);
	let played = { plan, outcome: await playPlan(plan, equipment) };
	const [violation] = played.outcome.violations;
	if (violation !== undefined) {
		console.log(`Seed ${seed} fails (${violation.kind}: ${violation.text}). It is shortened …`);
		played = await shortened(played, violation.kind, equipment);
	}
	console.log(inspect(played.plan, { depth: Infinity, breakLength: 120 }));
	for (const line of played.outcome.history) console.log(line);
	for (const { kind, text } of played.outcome.violations) console.log(`${kind}: ${text}`);
	return violation === undefined;
}

interface PlayedPlan {
	plan: Plan;
	outcome: Outcome;
}

const without = <T>(list: T[], index: number) => list.filter((_, other) => other !== index);

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

/** Removes the faults, executions and items that the violation does not need. */
async function shortened(
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
