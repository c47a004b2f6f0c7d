/** Redis cannot be used; nothing was sent. The message never contains a password. */
export class RedisError extends Error {
	constructor(
		message: string,
		/** How the user goes on. */
		readonly description: string,
		/** Whether waiting does not help, as with a wrong password. */
		readonly isPermanent = false,
	) {
		super(message);
		this.name = 'RedisError';
	}

	/** Also true for errors of another loaded copy of this package, as copies share connections. */
	static override [Symbol.hasInstance](value: unknown): boolean {
		return value instanceof Error && value.name === 'RedisError';
	}
}
