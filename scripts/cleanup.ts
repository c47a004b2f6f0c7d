// Undoes what a start has begun, in reverse order, however it ends.

type Step = () => Promise<void>;

/** Steps that are to be taken before this process ends. */
export class Cleanup {
	readonly #steps: Step[] = [];
	#running: Promise<void> | undefined;

	/** Adds a step; the last one added is taken first. */
	add(step: Step): void {
		this.#steps.push(step);
	}

	/** Takes all steps once; called again, waits for the same end. A failing step stops no other. */
	run(): Promise<void> {
		this.#running ??= this.#takeAll();
		return this.#running;
	}

	async #takeAll(): Promise<void> {
		for (const step of this.#steps.reverse()) {
			await step().catch((error: unknown) => console.error('While ending:', error));
		}
	}
}
