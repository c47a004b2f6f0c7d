/**
 * A Bottleneck limiter used for one thing only: at most so many jobs at once, by priority and then in
 * order. Its time-based settings are left alone; limiter-wide time is ours (see `slotWindow.ts`).
 */
import Bottleneck from 'bottleneck';

/** What Bottleneck's local store keeps of the time: the earliest moment of the next job. */
interface LocalStore {
	_nextRequest: number;
}

/** Priority of a job: 0 goes first, 9 last. */
export type Priority = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

export class Semaphore {
	private readonly limiter: Bottleneck;

	constructor(max: number) {
		this.limiter = new Bottleneck({ maxConcurrent: max });
		// Bottleneck keeps silent about its own faults unless somebody listens.
		this.limiter.on('error', (error) => {
			throw error;
		});
	}

	/** Runs `job` when a place is free. @throws what the job throws. */
	async run<T>(job: () => Promise<T>, priority: Priority = 5): Promise<T> {
		return await this.limiter.schedule({ priority }, async () => {
			this.forgetClock();
			return await job();
		});
	}

	changeMax(max: number): void {
		this.limiter.updateSettings({ maxConcurrent: max });
	}

	/**
	 * Bottleneck remembers by the wall clock when the last job began and starts none before that moment:
	 * after a clock that was set back by an hour, every job would wait an hour.
	 */
	private forgetClock(): void {
		(this.limiter as unknown as { _store: LocalStore })._store._nextRequest = 0;
	}
}
