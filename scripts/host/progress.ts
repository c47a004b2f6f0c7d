// Prints the progress of steps that take minutes, in whole lines, so that it is readable in CI logs too. ora and
// listr2 log changes only, cli-progress must know the total.

const SECONDS_BETWEEN_LINES = 5;

function elapsed(sinceMs: number): string {
	const seconds = Math.round((performance.now() - sinceMs) / 1000);
	return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * Runs a step, and prints a line at its beginning, every few seconds, and at its end.
 *
 * @param title What the step does, e.g. `Installing n8n 2.41.1`.
 * @param work The step. Its errors are rethrown.
 */
export async function withProgress<Result>(
	title: string,
	work: () => Promise<Result>,
): Promise<Result> {
	const startedAt = performance.now();
	console.log(`${title} …`);
	const timer = setInterval(() => {
		console.log(`  … ${elapsed(startedAt)}`);
	}, SECONDS_BETWEEN_LINES * 1000);
	try {
		const result = await work();
		console.log(`  done after ${elapsed(startedAt)}`);
		return result;
	} finally {
		clearInterval(timer);
	}
}
