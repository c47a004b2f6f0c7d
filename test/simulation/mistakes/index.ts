/** Planted mistakes: plausible ones, as changes to the built package. */
import type { Patch } from '../process/modules';
import { FOUND_BY_SEEDS } from './foundBySeeds';
import { FOUND_BY_TESTS } from './foundByTests';

/** Replaces or removes a text that occurs exactly once in a built file of `nodes/BusinessData`. */
export type Change = [file: string, search: string, replace?: string];

const patchOf = ([file, search, replace = '']: Change): Patch => ({
	file: `nodes/BusinessData/${file}.js`,
	search,
	replace,
});

export const MISTAKES = Object.entries(FOUND_BY_SEEDS).map(([name, [found, ...changes]]) => {
	return { name, ...found, patches: changes.map(patchOf) };
});
export type Mistake = (typeof MISTAKES)[number];

export const MISTAKES_FOUND_BY_TESTS = Object.entries(FOUND_BY_TESTS).flatMap(([test, mistakes]) =>
	Object.entries(mistakes).map(([name, changes]) => ({
		name,
		test,
		patches: changes.map(patchOf),
	})),
);
