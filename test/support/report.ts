/** Prints measured figures without the source location that Jest's console adds. */
export function report(line: string): void {
	process.stderr.write(`${line}\n`);
}
