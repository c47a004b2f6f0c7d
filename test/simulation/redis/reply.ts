/** The result of a command. A number is an integer, a text a bulk string. */
export type RedisReply = null | number | string | { status: string } | RedisFailure | RedisReply[];

/** An error reply, whose message begins with the error code. */
export class RedisFailure extends Error {}
