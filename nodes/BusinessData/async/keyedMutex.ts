/** A mutex per name; calls with the same name run in their order. */
import { onceAborted } from './abort';

interface Queue {
	length: number;
	/** Resolves when all calls in the queue are done. */
	end: Promise<void>;
}

export class KeyedMutex {
	private readonly queues = new Map<string, Queue>();

	/** How many calls are in all queues. */
	size = 0;

	/**
	 * Runs `work` when all earlier calls with the name are done, or have given up.
	 * @throws the signal's reason as soon as it aborts while waiting, or what the work throws
	 */
	async runExclusive<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
		const queue = this.queues.get(name) ?? { length: 0, end: Promise.resolve() };
		this.queues.set(name, queue);
		const before = queue.end;
		let leave: () => void = () => undefined;
		const left = new Promise<void>((resolve) => (leave = resolve));
		queue.end = before.then(async () => await left);
		const isFirst = queue.length++ === 0;
		this.size++;
		try {
			if (!isFirst) await onceAborted(before, signal);
			return await work();
		} finally {
			leave();
			this.size--;
			if (--queue.length === 0) this.queues.delete(name);
		}
	}

	/** How many calls run before a new call with the name, when the queues take turns. */
	aheadOf(name: string): number {
		const own = this.queues.get(name)?.length ?? 0;
		// Only the first call of each other queue runs before it.
		if (own === 0) return this.queues.size;
		let ahead = own;
		for (const [other, { length }] of this.queues) {
			if (other !== name) ahead += Math.min(length, own + 1);
		}
		return ahead;
	}
}
