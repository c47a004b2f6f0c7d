/** Redis cannot be used; nothing was sent. The message never contains a password. */
export class RedisError extends Error {
	constructor(
		message: string,
		/** How the user goes on. */
		readonly description: string,
	) {
		super(message);
		this.name = 'RedisError';
	}
}
