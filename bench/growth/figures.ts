/** Reading the process's own figures: processor time and heap. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export const pause = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

/** The processor time (µs) of this process, all its threads together. */
export function processorTime(): number {
	const { user, system } = process.cpuUsage();
	return user + system;
}

export function median(values: number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

/** The bytes that are in use in the heap, without what nobody can reach any more. */
export async function heapInUse(): Promise<number> {
	setFlagsFromString('--expose-gc');
	const collectGarbage = runInNewContext('gc') as () => void;
	// What ends by a promise or a timer is free only in a later turn.
	for (let round = 0; round < 3; round++) {
		await pause(20);
		collectGarbage();
	}
	return process.memoryUsage().heapUsed;
}
