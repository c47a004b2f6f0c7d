/**
 * A service in logical time that counts requests as the interface document says, in sliding windows and
 * in fixed windows of every phase, and tells the fullest window it has seen.
 */
import { after } from './logicalTime';

export class CountingService {
	/** When (ms) each request was counted, in order. */
	readonly counted: number[] = [];

	/** A request that takes `beforeMs` to arrive and whose answer takes `afterMs`. */
	async request(beforeMs: number, afterMs: number): Promise<void> {
		await after(beforeMs);
		this.counted.push(performance.now());
		await after(afterMs);
	}

	/** The most requests in any half-open window of `windowMs`, wherever it starts. */
	fullestWindow(windowMs: number): number {
		const times = [...this.counted].sort((a, b) => a - b);
		let first = 0;
		let fullest = 0;
		for (const [index, time] of times.entries()) {
			while (time - (times[first] ?? 0) >= windowMs) first++;
			fullest = Math.max(fullest, index - first + 1);
		}
		return fullest;
	}

	/** The most requests in any window of a clock that starts a new one every `windowMs` from `phase`. */
	fullestFixedWindow(windowMs: number, phase: number): number {
		const counts = new Map<number, number>();
		for (const time of this.counted) {
			const window = Math.floor((time - phase) / windowMs);
			counts.set(window, (counts.get(window) ?? 0) + 1);
		}
		return Math.max(0, ...counts.values());
	}
}
