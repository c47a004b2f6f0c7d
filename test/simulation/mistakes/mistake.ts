import type { Patch } from '../process/modules';

/** A mistake that somebody could make, as a change to the built package. */
export interface PlantedMistake {
	/** What goes wrong with it. */
	name: string;
	patches: Patch[];
}

export interface Mistake extends PlantedMistake {
	/** A seed that finds it, and the kind of failure that shows it. */
	seed: number;
	shows: string;
}

export interface MistakeFoundByTest extends PlantedMistake {
	/** The file of `npm test` that fails. */
	test: string;
}

/** Puts a text in the place of the one that stands once in a file of the built package. */
export const patch = (file: string, search: string, replace: string): Patch => ({
	file,
	search,
	replace,
});
