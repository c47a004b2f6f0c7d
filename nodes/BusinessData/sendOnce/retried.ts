/** Retries of a step that fails for a while. */

/**
 * Runs the step, and again after each of the pauses (ms) as long as it fails.
 * @throws what it throws at last
 */
export async function retried<T>(step: () => Promise<T>, pausesMs: number[]): Promise<T> {
	for (const pauseMs of pausesMs) {
		try {
			return await step();
		} catch {
			await new Promise((resolve) => setTimeout(resolve, pauseMs).unref());
		}
	}
	return await step();
}
