/** What one key costs: processor time per request with a queue of any length, and memory. */
import type { Limits, Permit } from '../../nodes/BusinessData/rateLimit';
import { limiters } from '../../test/support/limiters';
import { abortController, KeyLimiter, limiterOf } from './built';
import { heapInUse, pause, processorTime } from './figures';

export interface Load {
	/** How many requests wait at any time. */
	queued: number;
	/** Whether each of them comes from an execution of its own, or all from one. */
	manyRuns: boolean;
	/** Whether they wait for slots, or pass at once. */
	limitsBind: boolean;
	/** Whether each of them has a longest wait. */
	hasMaxWait: boolean;
}

/** The shape of the documented limits, with windows so short that thousands of requests pass in a second. */
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

/** Before the first round, so that a new process has compiled what it takes. */
const WARM_UP_REQUESTS = 1_000;
/** The margin of a window, and what a busy machine takes to give 10,000 slots back. */
const AFTER_THE_WINDOW_MS = 3_000;
/** How many keys are used at the same moment, so that 10,000 of them take seconds. */
const KEYS_AT_ONCE = 100;
/** What of the heap (bytes) counts as nothing. */
const LITTLE = 2 ** 20;
/** The longest general window (ms). */
const LONGEST_LEAVING_MS = 60_000;
/** Nothing waits for as long (ms). */
const LONG_WAIT_MS = 3_600_000;

/** What all requests ask for. */
const ASKED = { priority: 5, maxWaitMs: Infinity, inFlightMs: 0 };

/**
 * Lets requests through a limiter, each followed by another, so that the queue keeps its length.
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
	const passOnAndOn = async (run: string) => {
		while (times.length < rounds) {
			const maxWaitMs = hasMaxWait ? LONG_WAIT_MS : Infinity;
			const permit = await limiter.acquire({
				...ASKED,
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
		await passOnAndOn(manyRuns ? `run ${index}` : 'run').catch(() => undefined);
	});
	await finished;
	stop.abort(new Error('measured'));
	await Promise.all(requests);
	return times.slice(0, rounds);
}

export interface Memory {
	/** Bytes in use before, with everything there, and after it was gone. */
	before: number;
	during: number;
	after: number;
	bytesEach: number;
}

export interface QueueMemory extends Memory {
	/** Processor time (ms) until all of them were canceled. */
	cancelMs: number;
	/** How long (ms) it took until nothing of them was left in memory; a window (60 s) at the most. */
	leavingMs: number;
}

/** The heap that requests take which wait in the queue of one key. */
export async function memoryOfQueue(requests: number, manyRuns: boolean): Promise<QueueMemory> {
	const limits = { general: [{ max: 1, windowMs: 3_600_000 }], endpoints: {} };
	const limiter = new KeyLimiter(() => undefined);
	const first = await limiter.acquire({
		...ASKED,
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
			await limiter.acquire({ ...ASKED, run, limits, signal }).catch(() => undefined);
		}),
	);
	const during = await heapInUse();
	const canceledAt = processorTime();
	stop.abort(new Error('measured'));
	await canceled;
	const cancelMs = (processorTime() - canceledAt) / 1_000;
	stop = undefined;
	canceled = undefined;
	// Who stood in Bottleneck's queue leaves it when its turn comes.
	const endedAt = performance.now();
	let after = await heapInUse();
	while (after - before > LITTLE && performance.now() - endedAt < LONGEST_LEAVING_MS) {
		await pause(1_000);
		after = await heapInUse();
	}
	const leavingMs = performance.now() - endedAt;
	first.unused();
	return { before, during, after, bytesEach: (during - before) / requests, cancelMs, leavingMs };
}

export interface IdleKeys extends Memory {
	/** How many limiters are kept while the keys hold slots, and after their longest window. */
	keptDuring: number;
	keptAfter: number;
}

/** Lets one request of each key out; all get a response at the same time, so that none is idle early. */
async function useOnce(keys: number, limits: Limits): Promise<void> {
	const { signal } = abortController();
	const permits: Permit[] = [];
	for (let first = 0; first < keys; first += KEYS_AT_ONCE) {
		const some = Array.from({ length: Math.min(KEYS_AT_ONCE, keys - first) }, async (_, index) => {
			return await limiterOf(`key ${first + index}`).acquire({
				...ASKED,
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
 * The heap that keys take which are used once and then no more, until their longest window has passed.
 * @param limits with windows that last longer than it takes to look at the heap
 */
export async function memoryOfIdleKeys(keys: number, limits: Limits): Promise<IdleKeys> {
	const kept = limiters().size;
	// The keys are used twice, because what a process makes once for so many of them and then keeps, such as the room
	// in its tables, does not count.
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
