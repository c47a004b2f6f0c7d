/**
 * A simulated Redis. It runs commands in the order of their arrival and has its own clock. It can pause, lose its data,
 * restart and fail over.
 */
import { createHash } from 'node:crypto';

import type { Clock } from '../process/clock';
import type { Random } from '../world/random';
import type { World } from '../world/world';
import type { Link } from './client';
import { DataSet } from './dataSet';
import type { Lua } from './lua';
import { RedisFailure, type RedisReply } from './reply';

export type CommandFault = 'cutBefore' | 'cutAfter' | 'silent';

interface RedisHooks {
	/** Called before each command of the package. */
	faultOf(command: string[], link: Link): CommandFault | undefined;
	onCommand(command: string[]): void;
	/** Whether there is a replica for a fail-over. */
	hasReplica: boolean;
}

/** How often (ms) the replica copies the primary. */
const REPLICATION_MS = 500;

type Copy = ReturnType<DataSet['copy']>;

export class RedisServer {
	readonly data: DataSet;
	readonly links = new Set<Link>();
	private readonly scripts = new Map<string, string>();
	isUp = true;
	private connections = 0;
	private readonly random: Random;
	private pausedUntil = 0;

	private readonly waiting: Array<() => void> = [];

	/** The copies of the replica, latest last. */
	private replica: Array<{ at: number; copy: Copy }> = [];

	private lastReplicatedAt = -Infinity;

	constructor(
		private readonly world: World,
		readonly clock: Clock,
		private readonly lua: Lua,
		/** One-way latency (ms), mostly near the first value. */
		private readonly latencyMs: [number, number],
		private readonly hooks: RedisHooks,
	) {
		this.data = new DataSet(() => clock.wall());
		this.random = world.random.of('tcp');
	}

	/** Random latencies, independent for each connection. */
	latencies(): () => number {
		const random = this.random.of(++this.connections);
		return () => random.skewed(...this.latencyMs);
	}

	/** Runs a command after all previous ones, unless the server is paused. */
	receive(command: string[], link: Link, onReply: (reply: RedisReply) => void): void {
		const run = () => {
			if (!link.isCut) this.execute(command, link, onReply);
		};
		if (this.world.now >= this.pausedUntil && this.waiting.length === 0) run();
		else this.waiting.push(run);
	}

	private execute(command: string[], link: Link, onReply: (reply: RedisReply) => void): void {
		const [name = '', ...parameters] = command;
		const fault = isOfTheConnection(name) ? undefined : this.hooks.faultOf(command, link);
		this.hooks.onCommand(command);
		if (fault === 'cutBefore') return link.cut();
		if (fault === 'silent') link.isSilent = true;
		const reply = this.reply(name.toUpperCase(), parameters);
		this.replicate();
		if (fault === 'cutAfter') return link.cut();
		link.reply(() => onReply(reply));
	}

	pause(ms: number): void {
		this.pausedUntil = Math.max(this.pausedUntil, this.world.now + ms);
		this.world.at(this.pausedUntil, () => {
			if (this.world.now < this.pausedUntil) return;
			for (const run of this.waiting.splice(0)) run();
		});
	}

	/** Stops it for `ms`. It comes back without scripts, and without data unless `keepsData`. */
	restart(ms: number, keepsData: boolean): void {
		this.goDown(ms);
		this.scripts.clear();
		this.data.starts++;
		this.data.startedAt = this.clock.wall() + ms;
		if (!keepsData) this.data.clear();
	}

	/** A replica takes over after `ms`. It lacks the writes of the last `lostMs` ms. */
	failOver(ms: number, lostMs: number): void {
		this.goDown(ms);
		this.scripts.clear();
		this.data.starts++;
		const had = this.replica.filter(({ at }) => at <= this.world.now - lostMs).at(-1);
		this.data.restore(had?.copy ?? new Map<string, never>());
		this.replica = [];
	}

	/** Cuts all connections, and accepts none for `ms`. */
	goDown(ms: number): void {
		this.isUp = false;
		this.waiting.length = 0;
		for (const link of [...this.links]) link.cut();
		this.world.after(ms, () => (this.isUp = true));
	}

	private reply(name: string, parameters: string[]): RedisReply {
		switch (name) {
			case 'PING':
				return { status: 'PONG' };
			case 'CLIENT':
				return { status: 'OK' };
			case 'EVAL': {
				const [script = '', ...rest] = parameters;
				this.scripts.set(createHash('sha1').update(script).digest('hex'), script);
				return this.eval(script, rest);
			}
			case 'EVALSHA': {
				const script = this.scripts.get(parameters[0] ?? '');
				if (script === undefined) return new RedisFailure('NOSCRIPT No matching script.');
				return this.eval(script, parameters.slice(1));
			}
			default:
				return this.data.run([name, ...parameters]);
		}
	}

	private eval(script: string, [count = '0', ...rest]: string[]): RedisReply {
		const keys = rest.slice(0, Number(count));
		const parameters = rest.slice(Number(count));
		return this.lua.eval(script, keys, parameters, (command) => this.data.run(command));
	}

	private replicate(): void {
		const { now } = this.world;
		if (!this.hooks.hasReplica || now - this.lastReplicatedAt < REPLICATION_MS) return;
		this.lastReplicatedAt = now;
		this.replica.push({ at: now, copy: this.data.copy() });
		if (this.replica.length > 40) this.replica.shift();
	}
}

function isOfTheConnection(name: string): boolean {
	return /^(PING|CLIENT)$/i.test(name);
}
