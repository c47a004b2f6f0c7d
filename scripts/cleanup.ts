// Undoes the steps of a start in reverse order, however it ends.

type Step = () => Promise<void>;

/** Cleanup steps to run before this process ends. */
export class Cleanup {
	readonly #steps: Step[] = [];
	#running: Promise<void> | undefined;

	/** Adds a step. The last step added runs first. */
	add(step: Step): void {
		this.#steps.push(step);
	}

	/** Runs all steps once; further calls wait for the same run. A failing step does not stop the others. */
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
