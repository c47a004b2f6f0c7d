/** A process that plays seeds one after the other for `workers.ts`. */
import { equip, type Outcome, playPlan } from '../play';
import type { Patch } from '../process/modules';
import { planOf } from '../scenario/generate';
import type { Equipment } from '../scenario/player';

export interface Job {
	seed: number;
	/** Changes to the built package for a planted mistake. */
	patches: Patch[];
}

async function play({ seed, patches }: Job): Promise<Outcome> {
	equipment ??= equip();
	return await playPlan(planOf(seed), { ...(await equipment), patches });
}

let equipment: Promise<Equipment> | undefined;

process.on('message', (job: Job) => {
	void play(job).then((outcome) => process.send?.(outcome));
});
process.on('disconnect', () => process.exit());
