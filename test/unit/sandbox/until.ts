// Waits for something to happen in the sandbox.

import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the condition holds; the time limit of the test is the only limit. */
export async function until(condition: () => boolean): Promise<void> {
	while (!condition()) await sleep(2);
}
