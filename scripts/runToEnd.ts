// Runs the program of an npm script and undoes everything it has begun, however it ends. close-with-grace does not
// notice that the parent is gone, and counts one Ctrl+C as two.
import { Cleanup } from './cleanup';

const SIGNALS = [
	['SIGINT', 130],
	['SIGTERM', 143],
	['SIGHUP', 129],
] as const;
const ORPHAN_STATUS = 1;
const SECONDS_BETWEEN_LOOKS_FOR_PARENT = 1;
// One press of Ctrl+C can arrive twice: from the terminal, and passed on by a parent.
const SECONDS_OF_ONE_KEY_PRESS = 1;

/** An error's message and those of its causes; a stack would hide them. */
function explain(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	return error.cause === undefined ? error.message : `${error.message}\n${explain(error.cause)}`;
}

/**
 * Calls `end` with an exit status when this process is told to end, or when its parent is gone:
 * npm passes a signal on to the shell between the two only, which ends without passing it on.
 */
function watchForEnd(end: (status: number) => void): void {
	for (const [signal, status] of SIGNALS) process.on(signal, () => end(status));
	const parent = process.ppid;
	const watching = setInterval(() => {
		if (process.ppid !== parent) end(ORPHAN_STATUS);
	}, SECONDS_BETWEEN_LOOKS_FOR_PARENT * 1000);
	watching.unref();
}

async function run(program: (cleanup: Cleanup) => Promise<void>): Promise<void> {
	const cleanup = new Cleanup();
	let endingSince: number | undefined;
	watchForEnd((status) => {
		const now = performance.now();
		if (endingSince === undefined) {
			endingSince = now;
			console.log('\nEnding what was started …');
			void cleanup.run().finally(() => process.exit(status));
		} else if (status !== ORPHAN_STATUS && now - endingSince > SECONDS_OF_ONE_KEY_PRESS * 1000) {
			// Asked again: ending politely takes too long.
			process.exit(status);
		}
	});
	try {
		await program(cleanup);
	} catch (error) {
		// What is ended from outside fails in all kinds of ways.
		if (endingSince !== undefined) return;
		console.error(`\n${explain(error)}`);
		process.exitCode = 1;
	}
	if (endingSince === undefined) await cleanup.run();
}

/** Runs a program; its error is printed, and makes the exit status 1. */
export function runToEnd(program: (cleanup: Cleanup) => Promise<void>): void {
	run(program).catch((error: unknown) => {
		console.error(explain(error));
		process.exitCode = 1;
	});
}
