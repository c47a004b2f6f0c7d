/**
 * A line of those who wait to be let in, first come, first served. To stand in line, to be let in and to
 * leave from anywhere take constant time, however long the line is.
 */
import { type Abortable, listen, unlisten } from './abort';

export class WaitingLine<T = void> {
	private first: Waiting<T> | undefined;

	private last: Waiting<T> | undefined;

	private count = 0;

	/** How many stand in line. */
	get length(): number {
		return this.count;
	}

	/**
	 * Resolves with what `letIn` was called with when it is this one's turn.
	 * @throws the signal's reason as soon as it aborts, unless let in before
	 */
	async wait(signal: AbortSignal): Promise<T> {
		signal.throwIfAborted();
		return await new Promise<T>((resolve, reject) => {
			const waiting = new Waiting(this, signal, resolve, reject);
			listen(signal, waiting);
			this.append(waiting);
		});
	}

	/** Lets in the first of the line. Returns false when nobody stands in it. */
	letIn(value: T): boolean {
		const { first } = this;
		if (first === undefined) return false;
		this.leave(first);
		first.resolve(value);
		return true;
	}

	/** Sends the first of the line away. */
	reject(reason: unknown): void {
		const { first } = this;
		if (first === undefined) return;
		this.leave(first);
		first.reject(reason);
	}

	/** Takes one out of the line, wherever it stands. */
	leave(waiting: Waiting<T>): void {
		unlisten(waiting.signal, waiting);
		const { before, behind } = waiting;
		if (before === undefined) this.first = behind;
		else before.behind = behind;
		if (behind === undefined) this.last = before;
		else behind.before = before;
		this.count--;
	}

	private append(waiting: Waiting<T>): void {
		waiting.before = this.last;
		if (this.last === undefined) this.first = waiting;
		else this.last.behind = waiting;
		this.last = waiting;
		this.count++;
	}
}

/** One who stands in line. */
class Waiting<T> implements Abortable {
	before: Waiting<T> | undefined;

	behind: Waiting<T> | undefined;

	constructor(
		private readonly line: WaitingLine<T>,
		readonly signal: AbortSignal,
		readonly resolve: (value: T) => void,
		readonly reject: (reason: unknown) => void,
	) {}

	abort(reason: Error): void {
		this.line.leave(this);
		this.reject(reason);
	}
}
