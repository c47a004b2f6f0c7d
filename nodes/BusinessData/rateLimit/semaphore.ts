/**
 * A Bottleneck limiter used for one thing only: at most so many jobs at once, in order. Its settings that
 * deal with time are left alone: time is ours (see `slotWindow.ts`).
 */
import Bottleneck from 'bottleneck';

/** What is used of Bottleneck's local store; the version of Bottleneck is pinned. */
interface LocalStore {
	/** The earliest moment (ms, wall clock) of the next job. */
	_nextRequest: number;
	/** Waits for the next turn of the event loop. */
	yieldLoop(): Promise<void>;
}

export class Semaphore {
	private readonly limiter: Bottleneck;

	private readonly store: LocalStore;

	constructor(max: number) {
		this.limiter = new Bottleneck({ maxConcurrent: max });
		// Bottleneck keeps silent about its own faults unless somebody listens.
		this.limiter.on('error', (error) => {
			throw error;
		});
		this.store = (this.limiter as unknown as { _store: LocalStore })._store;
		// The local store imitates a remote one by a timer before each step: 3 ms per job for nothing.
		this.store.yieldLoop = async () => await Promise.resolve();
	}

	/** Runs `job` when a place is free. @throws what the job throws. */
	async run<T>(job: () => Promise<T>): Promise<T> {
		return await this.limiter.schedule(async () => {
			// It starts no job before the last one began: after a clock that was set back by an hour,
			// every job would wait an hour.
			this.store._nextRequest = 0;
			return await job();
		});
	}

	changeMax(max: number): void {
		this.limiter.updateSettings({ maxConcurrent: max });
	}
}
