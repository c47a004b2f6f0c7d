/** Prints measured figures, without the place in the code that the test runner's console adds. */
export function report(line: string): void {
	process.stderr.write(`${line}\n`);
}
