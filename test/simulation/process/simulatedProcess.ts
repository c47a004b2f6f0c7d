/** One process of n8n, with its own global object and clock, which can be killed at any moment. */
import { redisModule } from '../redis/client';
import type { RedisServer } from '../redis/redisServer';
import type { Network } from '../service/network';
import type { Owner, World } from '../world/world';
import { WORLD_BEGINS_AT } from '../world/history';
import type { Random } from '../world/random';
import { Clock } from './clock';
import type { Patch } from './modules';
import { Realm } from './realm';
import { Timers } from './timers';

/** A turn of the event loop (ms). */
const TURN_MS = 0.02;

export interface Resource {
	/** The operating system closes it, without notice to the process. */
	cutOff(): void;
}

interface ProcessSettings {
	/** Unique even across restarts: `main.2` is the second life of `main`. */
	name: string;
	drift: number;
	copies: 1 | 2;
	patches: Patch[];
	network: Network;
	redis: RedisServer;
}

export class SimulatedProcess implements Owner {
	readonly name: string;
	isAlive = true;
	stalledUntil = 0;
	readonly network: Network;
	readonly redis: RedisServer;
	readonly clock: Clock;
	readonly timers: Timers;
	readonly random: Random;
	readonly realm: Realm;
	readonly resources = new Set<Resource>();
	/** Warnings and unhandled rejections. */
	readonly complaints: string[] = [];

	/** The module `n8n-core` for the package. */
	readonly n8nCore: Record<string, unknown> = {};

	private readonly packages: Array<(file: string) => unknown> = [];

	private immediates: Array<() => void> = [];

	private isTurnPlanned = false;

	constructor(
		readonly world: World,
		{ name, drift, copies, patches, network, redis }: ProcessSettings,
	) {
		this.name = name;
		this.network = network;
		this.redis = redis;
		this.random = world.random.of(`process ${name}`);
		this.clock = new Clock(() => world.now, WORLD_BEGINS_AT, drift, world.now);
		const random = this.random.of('timers');
		this.timers = new Timers(world, this, this.clock, random, (text) => this.complain(text));
		this.realm = Realm.take(this);
		const replaced = { 'n8n-core': this.n8nCore, ioredis: redisModule(this) };
		for (let copy = 0; copy < copies; copy++) {
			this.packages.push(this.realm.loadPackage(copy as 0 | 1, patches, replaced));
		}
	}

	require(file: string, copy = 0): unknown {
		const load = this.packages[copy % this.packages.length];
		return load?.(file);
	}

	/** Ends it at once, as SIGKILL or a power failure does. */
	kill(): void {
		this.isAlive = false;
		for (const resource of [...this.resources]) resource.cutOff();
		this.resources.clear();
	}

	/** Freezes it for `ms`, as a busy loop, a garbage collection or a swapping machine does. */
	stall(ms: number): void {
		this.stalledUntil = Math.max(this.stalledUntil, this.world.now + ms);
	}

	complain(text: string): void {
		this.complaints.push(text);
	}

	setImmediate(callback: () => void): () => void {
		this.immediates.push(callback);
		return callback;
	}

	clearImmediate(handle: unknown): void {
		this.immediates = this.immediates.filter((callback) => callback !== handle);
	}

	afterEvent(): void {
		if (this.immediates.length === 0 || this.isTurnPlanned) return;
		this.isTurnPlanned = true;
		this.world.after(TURN_MS, () => this.turn(), this);
	}

	/** Runs the first of the immediates. The promises that it settles run before the next one. */
	private turn(): void {
		this.isTurnPlanned = false;
		this.immediates.shift()?.();
	}

	randomUUID(): string {
		const hex = [...this.randomBytes(16)]
			.map((byte) => byte.toString(16).padStart(2, '0'))
			.join('');
		return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
	}

	randomBytes(length: number): Buffer {
		return Buffer.from(Array.from({ length }, () => this.random.whole(0, 255)));
	}
}
