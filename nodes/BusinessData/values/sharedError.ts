/** An error that another loaded copy of this package may have thrown, so that `instanceof` compares the name. */
export class SharedError extends Error {
	static override [Symbol.hasInstance](value: unknown): boolean {
		return value instanceof Error && value.name === this.name;
	}
}
