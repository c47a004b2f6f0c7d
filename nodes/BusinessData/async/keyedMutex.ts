/** Lines of those who take turns: in each line one at a time, in the order of the calls. */
import { onceAborted } from './abort';

interface Queue {
	length: number;
	/** Resolves when everybody in the line is done. */
	end: Promise<void>;
}

export class KeyedMutex {
	private readonly queues = new Map<string, Queue>();

	/** How many are in all lines. */
	size = 0;

	/**
	 * Runs `work` when everybody who came to the line before is done, or gave up.
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

	/** How many go before one who comes to the line now, when the lines take turns. */
	aheadOf(name: string): number {
		const own = this.queues.get(name)?.length ?? 0;
		// The first of each other line, without a look at thousands of them.
		if (own === 0) return this.queues.size;
		let ahead = own;
		for (const [other, { length }] of this.queues) {
			if (other !== name) ahead += Math.min(length, own + 1);
		}
		return ahead;
	}
}
