/** Measures the cost of an API key: processor time per request with a queue of any length, and memory. */
import type { Limits, Permit } from '../../nodes/BusinessData/rateLimit';
import { limiters } from '../../test/support/limiters';
import { abortController, KeyLimiter, limiterOf } from './built';
import { heapInUse, pause, processorTime } from './figures';

export interface Load {
	/** The constant length of the queue. */
	queued: number;
	/** Whether each request comes from its own execution, or all from one. */
	manyRuns: boolean;
	/** Whether requests wait for slots, or are admitted at once. */
	limitsBind: boolean;
	/** Whether requests have a Max Wait. */
	hasMaxWait: boolean;
}

/** Like the documented limits, with windows so short that thousands of requests are admitted per second. */
const BINDING: Limits = {
	general: [
		{ max: 20, windowMs: 1 },
		{ max: 60, windowMs: 10 },
		{ max: 200, windowMs: 50 },
	],
	endpoints: {},
};
const FREE: Limits = {
	general: BINDING.general.map(({ windowMs }) => ({ max: 100_000, windowMs })),
	endpoints: {},
};

/** Requests before the first round, so that the code is compiled. */
const WARM_UP_REQUESTS = 1_000;
/** The margin of a window, plus the time in which a busy machine frees 10,000 slots. */
const AFTER_THE_WINDOW_MS = 3_000;
/** How many keys are used at the same time, so that 10,000 take only seconds. */
const KEYS_AT_ONCE = 100;
/** A growth of the heap (bytes) that counts as none. */
const LITTLE = 2 ** 20;
/** The longest general window (ms). */
const LONGEST_FREEING_MS = 60_000;
/** A wait (ms) that no request reaches. */
const LONG_WAIT_MS = 3_600_000;

/** Fields of all requests. */
const REQUEST = { priority: 5, maxWaitMs: Infinity, inFlightMs: 0 };

/**
 * Sends requests through a limiter, each followed by another, so that the queue keeps its length.
 * @returns the processor time (µs) per request, round by round
 */
export async function processorTimePerRequest(
	{ queued, manyRuns, limitsBind, hasMaxWait }: Load,
	rounds: number,
	requestsPerRound: number,
	warmUpRequests = WARM_UP_REQUESTS,
): Promise<number[]> {
	const limits = limitsBind ? BINDING : FREE;
	const limiter = new KeyLimiter(() => undefined);
	const stop = abortController();
	const times: number[] = [];
	let left = warmUpRequests;
	let startedAt: number | undefined;
	let finish: () => void = () => undefined;
	const finished = new Promise<void>((resolve) => (finish = resolve));
	const sendRepeatedly = async (run: string) => {
		while (times.length < rounds) {
			const maxWaitMs = hasMaxWait ? LONG_WAIT_MS : Infinity;
			const permit = await limiter.acquire({
				...REQUEST,
				run,
				limits,
				maxWaitMs,
				signal: stop.signal,
			});
			permit.letThrough();
			if (--left > 0) continue;
			left = requestsPerRound;
			const now = processorTime();
			if (startedAt !== undefined) times.push((now - startedAt) / requestsPerRound);
			startedAt = now;
		}
		finish();
	};
	const requests = Array.from({ length: queued }, async (_, index) => {
		await sendRepeatedly(manyRuns ? `run ${index}` : 'run').catch(() => undefined);
	});
	await finished;
	stop.abort(new Error('measured'));
	await Promise.all(requests);
	return times.slice(0, rounds);
}

export interface Memory {
	/** Bytes in use before the load, under load, and after it. */
	before: number;
	during: number;
	after: number;
	bytesEach: number;
}

export interface QueueMemory extends Memory {
	/** Processor time (ms) to cancel all requests. */
	cancelMs: number;
	/** How long (ms) it took to free their memory; a window (60 s) at most. */
	freeingMs: number;
}

/** Measures the heap of requests that wait in the queue of one key. */
export async function memoryOfQueue(requests: number, manyRuns: boolean): Promise<QueueMemory> {
	const limits = { general: [{ max: 1, windowMs: 3_600_000 }], endpoints: {} };
	const limiter = new KeyLimiter(() => undefined);
	const first = await limiter.acquire({
		...REQUEST,
		run: 'first',
		limits,
		signal: abortController().signal,
	});
	const before = await heapInUse();
	let stop: AbortController | undefined = abortController();
	const { signal } = stop;
	let canceled: Promise<unknown> | undefined = Promise.all(
		Array.from({ length: requests }, async (_, index) => {
			const run = manyRuns ? `run ${index}` : 'run';
			await limiter.acquire({ ...REQUEST, run, limits, signal }).catch(() => undefined);
		}),
	);
	const during = await heapInUse();
	const canceledAt = processorTime();
	stop.abort(new Error('measured'));
	await canceled;
	const cancelMs = (processorTime() - canceledAt) / 1_000;
	stop = undefined;
	canceled = undefined;
	// A canceled request leaves Bottleneck's queue only in its turn.
	const endedAt = performance.now();
	let after = await heapInUse();
	while (after - before > LITTLE && performance.now() - endedAt < LONGEST_FREEING_MS) {
		await pause(1_000);
		after = await heapInUse();
	}
	const freeingMs = performance.now() - endedAt;
	first.unused();
	return { before, during, after, bytesEach: (during - before) / requests, cancelMs, freeingMs };
}

export interface IdleKeys extends Memory {
	/** How many limiters are kept while the keys hold slots, and after their longest window. */
	keptDuring: number;
	keptAfter: number;
}

/** Sends one request per key. All get their response at the same time, so that no key is idle early. */
async function useOnce(keys: number, limits: Limits): Promise<void> {
	const { signal } = abortController();
	const permits: Permit[] = [];
	for (let first = 0; first < keys; first += KEYS_AT_ONCE) {
		const some = Array.from({ length: Math.min(KEYS_AT_ONCE, keys - first) }, async (_, index) => {
			return await limiterOf(`key ${first + index}`).acquire({
				...REQUEST,
				run: 'run',
				limits,
				signal,
			});
		});
		permits.push(...(await Promise.all(some)));
	}
	for (const permit of permits) permit.letThrough();
}

/**
 * Measures the heap of keys that are used once, until their longest window has passed.
 * @param limits with windows that are longer than the measurement of the heap
 */
export async function memoryOfIdleKeys(keys: number, limits: Limits): Promise<IdleKeys> {
	const kept = limiters().size;
	// A warm-up with as many keys, because memory that a process allocates once and keeps, such as the capacity of its
	// tables, does not count.
	const shortly = limits.general.map(({ max }, index) => ({ max, windowMs: index + 1 }));
	await useOnce(keys, { general: shortly, endpoints: {} });
	await pause(AFTER_THE_WINDOW_MS);
	const before = await heapInUse();
	await useOnce(keys, limits);
	const respondedAt = performance.now();
	const during = await heapInUse();
	const keptDuring = limiters().size - kept;
	const longestMs = Math.max(...limits.general.map(({ windowMs }) => windowMs));
	await pause(respondedAt + longestMs + AFTER_THE_WINDOW_MS - performance.now());
	const after = await heapInUse();
	const keptAfter = limiters().size - kept;
	return { before, during, after, bytesEach: (during - before) / keys, keptDuring, keptAfter };
}
