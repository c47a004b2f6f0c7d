import type { Patch } from '../process/modules';

/** A mistake that somebody could make, as a change to the built package. */
interface PlantedMistake {
	name: string;
	patches: Patch[];
}

/** Found by a seed, and by the kind of failure that shows it. */
export type Mistake = PlantedMistake & { seed: number; shows: string };

/** Found by a file of `npm test`. */
export type MistakeFoundByTest = PlantedMistake & { test: string };

export const mistake = <T extends object>(name: string, found: T, ...patches: Patch[]) => ({
	name,
	patches,
	...found,
});

/** Replaces what stands once in a built file of `nodes/BusinessData`, or leaves it out. */
export const patch = (file: string, search: string, replace = ''): Patch => ({
	file: `nodes/BusinessData/${file}.js`,
	search,
	replace,
});
