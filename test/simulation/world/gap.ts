/**
 * What the simulation does not know. The code under test would take it for an error of its world and go on, so it
 * is kept here, and ends the play.
 */
const gaps: Error[] = [];

export function gap(what: string): Error {
	const error = new Error(`The simulation knows no ${what}`);
	gaps.push(error);
	return error;
}

/** @throws the first gap that was met */
export function throwGaps(): void {
	const [first] = gaps.splice(0);
	if (first !== undefined) throw first;
}
