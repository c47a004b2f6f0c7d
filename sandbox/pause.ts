// Waiting that ends when the sandbox stops, so that no timer outlives it.

import { setTimeout as sleep } from 'node:timers/promises';

/** Waits for a time (ms). Rejects when the signal fires. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
	// Without latency nothing may come between two steps of a request, not even a turn of the timers.
	if (milliseconds > 0) await sleep(milliseconds, undefined, { signal });
	else signal.throwIfAborted();
}

/** Never resolves. Rejects when the signal fires. */
export function forever(signal: AbortSignal): Promise<never> {
	return new Promise((_resolve, reject) => {
		const end = (): void => reject(new Error('The waiting was ended'));
		if (signal.aborted) end();
		signal.addEventListener('abort', end, { once: true });
	});
}
