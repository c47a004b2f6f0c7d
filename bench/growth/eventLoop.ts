/** How long code holds the event loop, which all else in its process waits for. */
import { PerformanceObserver } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

import { processorTime } from './figures';

/** Longer than what the watch itself waits for its turn. */
const NOTICEABLE_MS = 5;

interface Hold {
	from: number;
	to: number;
	ms: number;
}

/**
 * Watches from now on. Of the time on the clock and that of the processor the shorter one counts, as the other
 * one has what other processes took; and V8's garbage collections do not count.
 * @returns what ends it, and gives the times (ms) in which nothing else had its turn, without the shortest
 */
export function watchEventLoop(): () => Promise<number[]> {
	const holds: Hold[] = [];
	const collections: Array<{ startTime: number; duration: number }> = [];
	const observer = new PerformanceObserver((list) => collections.push(...list.getEntries()));
	observer.observe({ entryTypes: ['gc'] });
	let from = performance.now();
	let processorFrom = processorTime();
	const look = () => {
		const to = performance.now();
		const processorTo = processorTime();
		const ms = Math.min(to - from, (processorTo - processorFrom) / 1_000);
		if (ms > NOTICEABLE_MS) holds.push({ from, to, ms });
		from = to;
		processorFrom = processorTo;
	};
	const timer = setInterval(look, 1);
	return async () => {
		look();
		clearInterval(timer);
		await setImmediate();
		observer.disconnect();
		const collecting = (hold: Hold) =>
			collections
				.filter(({ startTime }) => startTime >= hold.from && startTime < hold.to)
				.reduce((sum, { duration }) => sum + duration, 0);
		return holds.map((hold) => hold.ms - collecting(hold));
	};
}
