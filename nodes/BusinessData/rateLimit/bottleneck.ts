/** Bottleneck decides which job goes next, and how many run at once. */
import Bottleneck from 'bottleneck';

import { onAbort } from '../async';

/** 0 goes first and 9 last. */
export type Priority = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

/** Bottleneck plans jobs by the wall clock; with this, a clock that was set back delays none. */
const NO_MATTER_WHAT_CLOCK = { minTime: -86_400_000 };
/** A job that takes no place. */
const NOTHING = { weight: 0, priority: 0 };

/** A limiter that runs at most `max` jobs at once. */
export function atMost(max: number): Bottleneck {
	const limiter = new Bottleneck({ ...NO_MATTER_WHAT_CLOCK, maxConcurrent: max });
	// The first job waits for the moment in which the limiter was made, so that one is not left to a request.
	void limiter.schedule(NOTHING, async () => await Promise.resolve());
	return limiter;
}

/**
 * Runs `job` when the limiter lets it. A caller that gives up while waiting leaves at once, and its job ends when its
 * turn comes. A job that has begun must watch the signal itself.
 * @param job keeps its place until its promise settles
 * @throws the signal's reason, what the job throws, or an error of Bottleneck's own
 */
export async function schedule<T>(
	limiter: Bottleneck,
	priority: Priority,
	signal: AbortSignal,
	job: () => Promise<T>,
): Promise<T> {
	signal.throwIfAborted();
	return await new Promise<T>((resolve, reject) => {
		const stopListening = onAbort(signal, reject);
		const begin = async () => {
			stopListening();
			if (!signal.aborted) await job().then(resolve, reject);
		};
		limiter.schedule({ priority }, begin).catch(reject);
	});
}
