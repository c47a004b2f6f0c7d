import type { Patch } from '../process/modules';

/** A mistake that somebody could make, as a change to the built package. */
export interface Mistake {
	/** What goes wrong with it. */
	name: string;
	patches: Patch[];
	/** A seed that finds it, and the kind of failure that shows it. */
	seed: number;
	shows: string;
}
