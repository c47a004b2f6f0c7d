/** Processor time and heap of this process. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export const pause = async (ms: number) => await new Promise((resolve) => setTimeout(resolve, ms));

/** The processor time (µs) of this process, with all its threads. */
export function processorTime(): number {
	const { user, system } = process.cpuUsage();
	return user + system;
}

export function median(values: number[]): number {
	return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

/** The reachable bytes in the heap. */
export async function heapInUse(): Promise<number> {
	setFlagsFromString('--expose-gc');
	const collectGarbage = runInNewContext('gc') as () => void;
	// Memory held by a promise or a timer is released only in a later turn.
	for (let round = 0; round < 3; round++) {
		await pause(20);
		collectGarbage();
	}
	return process.memoryUsage().heapUsed;
}
