import type { Patch } from '../process/modules';

/** A plausible mistake, as a change to the built package. */
interface PlantedMistake {
	name: string;
	patches: Patch[];
}

/** Found by a seed, with this kind of violation. */
export type Mistake = PlantedMistake & { seed: number; shows: string };

/** Found by a test file of `npm test`. */
export type MistakeFoundByTest = PlantedMistake & { test: string };

export const mistake = <T extends object>(name: string, found: T, ...patches: Patch[]) => ({
	name,
	patches,
	...found,
});

/** Replaces or removes a text that occurs exactly once in a built file of `nodes/BusinessData`. */
export const patch = (file: string, search: string, replace = ''): Patch => ({
	file: `nodes/BusinessData/${file}.js`,
	search,
	replace,
});
