/**
 * The processor time of synchronous work, in s.
 *
 * Unlike the time on a clock, it does not grow on a busy machine.
 */
export function processorSeconds(work: () => void): number {
	const before = process.cpuUsage();
	work();
	return process.cpuUsage(before).user / 1_000_000;
}
