/** A gate that one request passes at a time, by priority and then in order. */
import { onceAborted } from './abort';

/** 0 goes first and 9 last. */
export type Priority = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

interface Waiting {
	priority: Priority;
	enter: () => void;
}

export class Gate {
	private isBusy = false;

	/** In the order in which they enter. */
	private readonly waiting: Waiting[] = [];

	/**
	 * Runs `job` when nobody else is in the gate.
	 * @throws the signal's reason as soon as it aborts while waiting, or what the job throws
	 */
	async pass<T>(priority: Priority, signal: AbortSignal, job: () => Promise<T>): Promise<T> {
		await this.enter(priority, signal);
		try {
			return await job();
		} finally {
			this.leave();
		}
	}

	private async enter(priority: Priority, signal: AbortSignal): Promise<void> {
		signal.throwIfAborted();
		if (!this.isBusy) {
			this.isBusy = true;
			return;
		}
		const entry: Waiting = { priority, enter: () => undefined };
		const entered = new Promise<void>((enter) => (entry.enter = enter));
		const behind = this.waiting.findIndex((other) => other.priority > priority);
		this.waiting.splice(behind === -1 ? this.waiting.length : behind, 0, entry);
		try {
			await onceAborted(entered, signal);
		} catch (error) {
			const index = this.waiting.indexOf(entry);
			// Let in at the very moment of the abort: the next one may enter.
			if (index === -1) this.leave();
			else this.waiting.splice(index, 1);
			throw error;
		}
	}

	private leave(): void {
		const next = this.waiting.shift();
		if (next === undefined) this.isBusy = false;
		else next.enter();
	}
}
