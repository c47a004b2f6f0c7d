/**
 * The processor time of synchronous work (s).
 *
 * Unlike wall-clock time, it does not grow on a busy machine.
 */
export function processorSeconds(work: () => void): number {
	const before = process.cpuUsage();
	work();
	return process.cpuUsage(before).user / 1_000_000;
}
