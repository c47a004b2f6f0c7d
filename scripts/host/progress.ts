// Prints what is going on during steps that take minutes: whole lines only, so that a log of a build
// server reads as well as a terminal. ora and listr2 log changes only, cli-progress must know the total.

const SECONDS_BETWEEN_LINES = 5;

/** Says what a step is doing just now, in a few words. Shown with the next line. */
export type Note = (text: string) => void;

function elapsed(sinceMs: number): string {
	const seconds = Math.round((performance.now() - sinceMs) / 1000);
	return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/**
 * Does a step of the start, with a line at its beginning, every few seconds, and at its end.
 *
 * @param title What the step does, e.g. `Installing n8n 2.41.1`.
 * @param work The step. What it throws is thrown on.
 */
export async function withProgress<Result>(
	title: string,
	work: (note: Note) => Promise<Result>,
): Promise<Result> {
	const startedAt = performance.now();
	let latest = '';
	console.log(`${title} …`);
	const timer = setInterval(() => {
		console.log(`  … ${elapsed(startedAt)}${latest === '' ? '' : `: ${latest}`}`);
	}, SECONDS_BETWEEN_LINES * 1000);
	try {
		const result = await work((text) => {
			latest = text;
		});
		console.log(`  done after ${elapsed(startedAt)}`);
		return result;
	} finally {
		clearInterval(timer);
	}
}
