/** Measures how long code blocks the event loop. */
import { PerformanceObserver } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

import { processorTime } from './figures';

/** Longer than the normal delay of the watch's own timer. */
const NOTICEABLE_MS = 5;

interface Hold {
	from: number;
	to: number;
	ms: number;
}

/**
 * Watches the event loop from now on. A hold is the shorter of clock time and processor time, to exclude the load of
 * other processes and threads, without V8's garbage collections.
 * @returns a function that ends the watch and returns the holds (ms), without the shortest ones
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
