/** A gate that one request passes at a time, by priority and then in order. */
import { WaitingLine } from './waitingLine';

/** 0 goes first and 9 last. */
export type Priority = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

const PRIORITIES = 10;

export class Gate {
	private isBusy = false;

	/** Those who wait, by priority. */
	private readonly lines = Array.from({ length: PRIORITIES }, () => new WaitingLine());

	/**
	 * Runs `job` when nobody else is in the gate.
	 * @throws the signal's reason as soon as it aborts while waiting, or what the job throws
	 */
	async pass<T>(priority: Priority, signal: AbortSignal, job: () => Promise<T>): Promise<T> {
		signal.throwIfAborted();
		if (this.isBusy) await this.lines[priority]?.wait(signal);
		this.isBusy = true;
		try {
			return await job();
		} finally {
			this.leave();
		}
	}

	private leave(): void {
		this.isBusy = this.lines.some(({ length }) => length > 0);
		// In a turn of the event loop of its own: thousands that pass in a row must not block the process.
		if (this.isBusy) setImmediate(() => this.letNextIn());
	}

	private letNextIn(): void {
		this.isBusy = this.lines.some((line) => line.letIn());
	}
}
