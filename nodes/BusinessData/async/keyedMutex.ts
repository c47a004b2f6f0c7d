/** A mutex per name; calls with the same name run in their order. */
import { onceAborted } from './abort';

export class KeyedMutex {
	/** By name, resolves when all calls so far are done, or have given up. */
	private readonly ends = new Map<string, Promise<void>>();

	/**
	 * Runs `work` when all earlier calls with the name are done, or have given up.
	 * @throws the signal's reason as soon as it aborts while waiting, or what the work throws
	 */
	async runExclusive<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
		const before = this.ends.get(name);
		let leave: () => void = () => undefined;
		const left = new Promise<void>((resolve) => (leave = resolve));
		const end = before === undefined ? left : before.then(async () => await left);
		this.ends.set(name, end);
		void end.then(() => {
			if (this.ends.get(name) === end) this.ends.delete(name);
		});
		try {
			if (before !== undefined) await onceAborted(before, signal);
			return await work();
		} finally {
			leave();
		}
	}
}
