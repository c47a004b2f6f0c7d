/** What a command returns; a number is an integer, a text a bulk string. */
export type RedisReply = null | number | string | { status: string } | RedisFailure | RedisReply[];

/** An error reply: what it says begins with its code. */
export class RedisFailure extends Error {}
