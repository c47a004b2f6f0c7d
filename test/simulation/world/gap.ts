/**
 * Something that the simulation does not support. The code under test would handle the error and continue, so it is
 * also kept here, and fails the play.
 */
const gaps: Error[] = [];

export function gap(what: string): Error {
	const error = new Error(`The simulation knows no ${what}`);
	gaps.push(error);
	return error;
}

/** @throws the first gap that occurred */
export function throwGaps(): void {
	const [first] = gaps.splice(0);
	if (first !== undefined) throw first;
}
