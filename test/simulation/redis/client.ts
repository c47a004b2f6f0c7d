/**
 * The part of ioredis that the package uses, for a simulated process: one connection without reconnects, on which
 * commands and replies arrive in order, late, or never. test/queue uses the real ioredis.
 */
import { EventEmitter } from 'node:events';

import type { Resource, SimulatedProcess } from '../process/simulatedProcess';
import { RedisFailure, type RedisReply } from './reply';
import type { RedisServer } from './redisServer';

/** Separates two events that must keep their order (ms). */
const STEP_MS = 1e-3;

export class Link {
	/** Whether everything sent is lost silently. */
	isSilent = false;
	/** Whether the network has cut it, so that everything in flight is lost. */
	isCut = false;
	private lastToServer = 0;
	private lastToClient = 0;

	constructor(
		private readonly server: RedisServer,
		private readonly process: SimulatedProcess,
		private readonly latency: () => number,
		private readonly onLost: () => void,
	) {
		server.links.add(this);
	}

	get isOpen(): boolean {
		return this.server.links.has(this);
	}

	send(command: string[], onReply: (reply: RedisReply) => void): void {
		this.lastToServer = this.later(this.lastToServer, () => {
			if (!this.isCut && !this.isSilent) this.server.receive(command, this, onReply);
		});
	}

	reply(arrive: () => void): void {
		const run = () => {
			if (this.isOpen && !this.isSilent) arrive();
		};
		this.lastToClient = this.later(this.lastToClient, run, this.process);
	}

	/** The server or the network ends it. */
	cut(): void {
		if (!this.server.links.delete(this)) return;
		this.isCut = true;
		this.lastToClient = this.later(this.lastToClient, this.onLost, this.process);
	}

	/** The client ends it. Everything it has already sent still arrives. */
	close(): void {
		this.server.links.delete(this);
	}

	private later(last: number, run: () => void, owner?: SimulatedProcess): number {
		const { world } = this.process;
		const at = Math.max(last + STEP_MS, world.now + this.latency());
		world.at(at, run, owner);
		return at;
	}
}

interface Options {
	host?: string;
	commandTimeout?: number;
}

class Client extends EventEmitter implements Resource {
	readonly stream = { unref: () => undefined };
	private link: Link | undefined;
	private isClosed = false;
	/** Functions that reject the commands without a reply. */
	private readonly pending = new Set<(error: Error) => void>();

	constructor(
		private readonly process: SimulatedProcess,
		private readonly options: Options,
	) {
		super();
	}

	async connect(): Promise<void> {
		const { process } = this;
		const server = process.redis;
		const latency = server.latencies();
		process.resources.add(this);
		await process.world.sleep(2 * latency(), process);
		if (!this.isClosed && !server.isUp) this.lose('connect', 'ECONNREFUSED');
		if (this.isClosed) throw this.closed();
		this.link = new Link(server, process, latency, () => this.lose('read', 'ECONNRESET'));
	}

	readonly client = this.command('CLIENT');
	readonly ping = this.command('PING');
	readonly evalsha = this.command('EVALSHA');
	readonly eval = this.command('EVAL');

	disconnect(): void {
		this.isClosed = true;
		this.cutOff();
		this.process.resources.delete(this);
		for (const end of [...this.pending]) end(this.closed());
	}

	cutOff(): void {
		this.link?.close();
	}

	private lose(syscall: string, code: string): void {
		if (this.isClosed) return;
		const error = this.error(`${syscall} ${code} ${this.options.host}`);
		this.emit('error', Object.assign(error, { syscall, code }));
		this.disconnect();
	}

	private command(name: string) {
		return async (...parameters: unknown[]) => await this.run([name, ...parameters].map(String));
	}

	private async run(command: string[]): Promise<unknown> {
		return await new Promise((resolve, reject) => {
			const { link, process, pending } = this;
			if (link === undefined || this.isClosed) return reject(this.closed());
			const settle = (): boolean => {
				process.timers.clear(timer);
				return pending.delete(end);
			};
			const end = (error: Error) => {
				if (settle()) reject(error);
			};
			const { commandTimeout } = this.options;
			const onTimeout = () => end(this.error('Command timed out'));
			const timer = process.timers.set(onTimeout, commandTimeout, [], false);
			pending.add(end);
			link.send(command, (reply) => {
				if (reply instanceof RedisFailure) end(this.error(reply.message));
				else if (settle()) resolve(valueOf(reply));
			});
		});
	}

	private closed(): Error {
		return this.error('Connection is closed.');
	}

	private error(message: string): Error {
		return new this.process.realm.global.Error(message);
	}
}

function valueOf(reply: RedisReply): unknown {
	if (Array.isArray(reply)) return reply.map(valueOf);
	return typeof reply === 'object' && reply !== null && 'status' in reply ? reply.status : reply;
}

export function redisModule(process: SimulatedProcess): unknown {
	return {
		Redis: class extends Client {
			constructor(options: Options) {
				super(process, options);
			}
		},
	};
}
