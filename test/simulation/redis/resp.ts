/** The protocol of Redis (RESP 2), from the server's side. */

/** What a command returns; a number is an integer, a text a bulk string. */
export type RedisReply = null | number | string | { status: string } | RedisFailure | RedisReply[];

/** An error reply: what it says begins with its code. */
export class RedisFailure extends Error {}

/** Reads commands, whatever pieces they come in. */
export class CommandReader {
	private rest = '';

	/** The commands that are complete with these bytes. */
	read(bytes: Buffer): string[][] {
		this.rest += bytes.toString('latin1');
		const commands: string[][] = [];
		for (let command = this.next(); command !== undefined; command = this.next()) {
			commands.push(command.map((part) => Buffer.from(part, 'latin1').toString()));
		}
		return commands;
	}

	private next(): string[] | undefined {
		if (this.rest === '') return undefined;
		if (!this.rest.startsWith('*')) throw new Error(`Not a command: ${this.rest.slice(0, 40)}`);
		let position = 0;
		const line = () => {
			const end = this.rest.indexOf('\r\n', position);
			if (end < 0) return undefined;
			const text = this.rest.slice(position, end);
			position = end + 2;
			return text;
		};
		const head = line();
		if (head === undefined) return undefined;
		const parts: string[] = [];
		for (let count = Number(head.slice(1)); count > 0; count--) {
			const length = line();
			if (length === undefined) return undefined;
			const end = position + Number(length.slice(1));
			if (this.rest.length < end + 2) return undefined;
			parts.push(this.rest.slice(position, end));
			position = end + 2;
		}
		this.rest = this.rest.slice(position);
		return parts;
	}
}

/** A reply as it goes over the wire. */
export function encode(reply: RedisReply): string {
	if (reply === null) return '$-1\r\n';
	if (typeof reply === 'number') return `:${reply}\r\n`;
	if (typeof reply === 'string') return `$${Buffer.byteLength(reply)}\r\n${reply}\r\n`;
	if (reply instanceof RedisFailure) return `-${reply.message}\r\n`;
	if (Array.isArray(reply)) return `*${reply.length}\r\n${reply.map(encode).join('')}`;
	return `+${reply.status}\r\n`;
}
