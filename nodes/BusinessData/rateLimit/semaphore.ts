/**
 * A Bottleneck limiter used for one thing only: at most so many jobs at once, in order. Its settings that
 * deal with time are left alone: time is ours (see `slotWindow.ts`). What it does around that, timers
 * and events, took nine tenths of its time, so it is left out here.
 */
import Bottleneck from 'bottleneck';

/** What is replaced in Bottleneck, whose version is pinned. */
interface Internals {
	Events: Emitter;
	_queues: { Events: Emitter };
	_store: {
		/** The earliest moment (ms, wall clock) of the next job. */
		_nextRequest: number;
		/** Waits for the next turn of the event loop. */
		yieldLoop(): Promise<void>;
	};
	/** The jobs that have a place. */
	_scheduled: Record<string, { job: Job }>;
	/** Starts a job that has got a place. */
	_run(index: string, job: Job): void;
	/** Whether a job still has its place, which it loses by that. */
	_clearGlobalState(index: string): boolean;
	/** Gives a place back. */
	_free(index: string, job: Job, options: unknown, event: unknown): Promise<void>;
}

interface Emitter {
	trigger(name: string, ...parameters: unknown[]): Promise<void>;
}

interface Job {
	doRun(): void;
	doExecute(
		chained: undefined,
		clearGlobalState: () => boolean,
		repeat: () => void,
		free: (options: unknown, event: unknown) => Promise<void>,
	): Promise<void>;
}

const DONE = Promise.resolve();
let lastJob = 0;

export class Semaphore {
	private readonly limiter: Bottleneck;

	private readonly internals: Internals;

	/** @param onFault called with an error of Bottleneck's own, which it would keep to itself */
	constructor(max: number, onFault: (error: unknown) => void) {
		this.limiter = new Bottleneck({ maxConcurrent: max });
		this.internals = this.limiter as unknown as Internals;
		const { internals } = this;
		// The local store imitates a remote one by a timer before each step: 3 ms per job for nothing.
		internals._store.yieldLoop = async () => await DONE;
		// Nobody listens, except to faults.
		const trigger = async (name: string, error: unknown) => {
			if (name === 'error') onFault(error);
			await DONE;
		};
		internals.Events.trigger = trigger;
		internals._queues.Events.trigger = trigger;
		internals._run = (index, job) => this.start(index, job);
	}

	/** Runs `job` when a place is free. @throws what the job throws. */
	async run<T>(job: () => Promise<T>): Promise<T> {
		return await this.limiter.schedule({ id: String(++lastJob) }, async () => {
			// It starts no job before the last one began: after a clock that was set back by an hour,
			// every job would wait an hour.
			this.internals._store._nextRequest = 0;
			return await job();
		});
	}

	changeMax(max: number): void {
		this.limiter.updateSettings({ maxConcurrent: max });
	}

	/** As Bottleneck does it, without a timer of 0 ms, which takes more than 1 ms. */
	private start(index: string, job: Job): void {
		const { internals } = this;
		job.doRun();
		internals._scheduled[index] = { job };
		void DONE.then(async () => {
			await job.doExecute(
				undefined,
				() => internals._clearGlobalState(index),
				() => this.start(index, job),
				async (options, event) => await internals._free(index, job, options, event),
			);
		});
	}
}
