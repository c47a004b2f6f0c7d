// Runs the program of an npm script, and cleans up however it ends. close-with-grace does not notice that the parent is
// gone, and counts one Ctrl+C as two.
import { Cleanup } from './cleanup';

const SIGNALS = [
	['SIGINT', 130],
	['SIGTERM', 143],
	['SIGHUP', 129],
] as const;
const ORPHAN_STATUS = 1;
const SECONDS_BETWEEN_CHECKS_OF_PARENT = 1;
// One press of Ctrl+C can arrive twice: from the terminal, and from a parent that forwards it.
const SECONDS_OF_ONE_KEY_PRESS = 1;

/** The messages of an error and its causes, without a stack, which would hide them. */
function explain(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	return error.cause === undefined ? error.message : `${error.message}\n${explain(error.cause)}`;
}

/**
 * Calls `end` with an exit status on a signal, or when the parent is gone: npm forwards a signal only to the shell in
 * between, which ends without forwarding it.
 */
function watchForEnd(end: (status: number) => void): void {
	for (const [signal, status] of SIGNALS) process.on(signal, () => end(status));
	const parent = process.ppid;
	const watching = setInterval(() => {
		if (process.ppid !== parent) end(ORPHAN_STATUS);
	}, SECONDS_BETWEEN_CHECKS_OF_PARENT * 1000);
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
			// On a second Ctrl+C, exit without waiting for the cleanup.
			process.exit(status);
		}
	});
	try {
		await program(cleanup);
	} catch (error) {
		// After a signal, errors are a consequence of the cleanup.
		if (endingSince !== undefined) return;
		console.error(`\n${explain(error)}`);
		process.exitCode = 1;
	}
	if (endingSince === undefined) await cleanup.run();
}

/** Runs a program. An error is printed, and sets the exit status to 1. */
export function runToEnd(program: (cleanup: Cleanup) => Promise<void>): void {
	run(program).catch((error: unknown) => {
		console.error(explain(error));
		process.exitCode = 1;
	});
}
