/**
 * Turns between batches: the requests of one batch stand in a line of their own, and only the first of
 * it competes with other batches. So a batch of 500 takes every other slot beside a single request, and
 * Bottleneck, which is slow with long queues, never sees more than one request of a batch.
 */
import { onceAborted } from './abort';

interface Line {
	/** Resolves when the last request of the line has left it. */
	tail: Promise<void>;
	length: number;
}

export class Batches {
	private readonly lines = new Map<string, Line>();

	/**
	 * Runs `job` when every earlier request of the same line has left it, with or without success.
	 * @throws the signal's reason as soon as it aborts while waiting, or what the job throws.
	 */
	async inTurn<T>(name: string, signal: AbortSignal, job: () => Promise<T>): Promise<T> {
		const line = this.lines.get(name) ?? { tail: Promise.resolve(), length: 0 };
		this.lines.set(name, line);
		line.length++;
		const before = line.tail;
		let leave: () => void = () => undefined;
		const left = new Promise<void>((resolve) => (leave = resolve));
		line.tail = before.then(async () => await left);
		try {
			await onceAborted(before, signal);
			return await job();
		} finally {
			leave();
			line.length--;
			if (line.length === 0) this.lines.delete(name);
		}
	}

	/** How many requests stand in the line of that name. */
	length(name: string): number {
		return this.lines.get(name)?.length ?? 0;
	}

	/** The lengths of all lines whose name passes `isWanted`. */
	lengths(isWanted: (name: string) => boolean): number[] {
		return [...this.lines].filter(([name]) => isWanted(name)).map(([, line]) => line.length);
	}
}
