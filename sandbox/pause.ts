// Waits that end when the sandbox stops, so that no timer outlives it.

/** Waits for a time (ms). Rejects if the signal fires. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
	signal.throwIfAborted();
	// Without latency, nothing may come between two steps of a request, not even a timer.
	if (milliseconds <= 0) return;
	let timer: NodeJS.Timeout | undefined;
	const elapsed = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)));
	try {
		await Promise.race([elapsed, forever(signal)]);
	} finally {
		clearTimeout(timer);
	}
}

/** Never resolves. Rejects if the signal fires. */
export function forever(signal: AbortSignal): Promise<never> {
	return new Promise((_resolve, reject) => {
		const end = (): void => reject(new Error('The waiting was ended'));
		if (signal.aborted) end();
		signal.addEventListener('abort', end, { once: true });
	});
}
