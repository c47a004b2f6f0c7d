/** A mutex per name, which `async-mutex` lacks. Calls with the same name run in their order. */
export class KeyedMutex {
	/** The last call of each name. */
	private readonly last = new Map<string, Promise<unknown>>();

	/** Runs `work` when all earlier calls with the same name are done. @throws what `work` throws */
	async runExclusive<T>(name: string, work: () => Promise<T>): Promise<T> {
		const own = this.last.get(name)?.then(work, work) ?? work();
		this.last.set(name, own);
		try {
			return await own;
		} finally {
			if (this.last.get(name) === own) this.last.delete(name);
		}
	}
}
