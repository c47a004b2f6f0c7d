/**
 * Something that the simulation does not support. The code under test would handle the error and continue, so it is
 * also kept here, and fails the play.
 */
const errors: Error[] = [];

export function unsupported(what: string): Error {
	const error = new Error(`The simulation knows no ${what}`);
	errors.push(error);
	return error;
}

/** @throws the first of these errors */
export function throwUnsupported(): void {
	const [first] = errors.splice(0);
	if (first !== undefined) throw first;
}
