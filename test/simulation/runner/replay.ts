/** Plays one seed, and tells all that can be told of it. */
import { inspect } from 'node:util';

import { equip, playPlan } from '../play';
import { planOf } from '../scenario/generate';
import { shortened } from './shorten';

/** Returns whether it plays without a failure. */
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
