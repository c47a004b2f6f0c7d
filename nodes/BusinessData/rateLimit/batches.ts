/**
 * Turns between batches: the requests of one batch stand in a line of their own, and only the first of
 * it competes with other batches. So a batch of 500 takes every other slot beside a single request, and
 * the gate and the windows never see more than one request of a batch.
 */
import { WaitingLine } from './waitingLine';

/** The requests of a batch that have not gone out: the one whose turn it is, and those who wait. */
interface Batch {
	waiting: WaitingLine;
	length: number;
}

/** The batches whose requests count in the same windows. */
export class Batches {
	private readonly batches = new Map<string, Batch>();

	/** How many batches have at least `index + 1` requests. */
	private readonly ofLength: number[] = [];

	/**
	 * Runs `job` when every earlier request of the same batch is done, with or without success.
	 * @throws the signal's reason as soon as it aborts while waiting, or what the job throws.
	 */
	async inTurn<T>(name: string, signal: AbortSignal, job: () => Promise<T>): Promise<T> {
		let batch = this.batches.get(name);
		if (batch === undefined) {
			this.batches.set(name, (batch = { waiting: new WaitingLine(), length: 0 }));
		}
		this.count(batch.length++, 1);
		let hasTurn = true;
		try {
			if (batch.length > 1) {
				hasTurn = false;
				await batch.waiting.wait(signal);
				hasTurn = true;
			}
			return await job();
		} finally {
			this.count(--batch.length, -1);
			if (batch.length === 0) this.batches.delete(name);
			if (hasTurn) batch.waiting.letIn();
		}
	}

	/** How many requests of that batch have not gone out. */
	length(name: string): number {
		return this.batches.get(name)?.length ?? 0;
	}

	/** How many requests of other batches go before one of this batch that has `own` before it. */
	aheadOf(name: string, own: number): number {
		const length = this.length(name);
		let ahead = 0;
		// The batches take turns, and the first of each other batch stands at the gate already.
		for (let index = 0; index <= own; index++) {
			const others = (this.ofLength[index] ?? 0) - (index < length ? 1 : 0);
			if (others === 0) break;
			ahead += others;
		}
		return ahead;
	}

	private count(index: number, change: 1 | -1): void {
		this.ofLength[index] = (this.ofLength[index] ?? 0) + change;
	}
}
