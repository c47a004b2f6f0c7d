/**
 * The ledger in Redis, for n8n in queue mode: the slots of a key that all processes hold, counted on top of
 * each one's own windows. These stay underneath, so a Redis that lost its data cannot make a process exceed a
 * limit alone. It also knows what this process has there, so that this can be entered again.
 */
import { randomUUID } from 'node:crypto';

import { KEY_PREFIX, type RedisConnection, type RedisError, type RedisScript } from '../../redis';
import type { RoomWanted } from '../promises';
import type { LimitedWindow, Stages } from '../scope';
import { RedisRequest } from './redisRequest';
import { PROMISE, USE } from './roomScripts';
import { SETTLE } from './scripts';

/** What a script is asked, see `scripts.ts`; the rest is the same for all. */
export interface ScriptCall {
	/** Of the request. */
	id?: string;
	/** How long it takes, in a sense of the script's own (ms). */
	number?: number;
	stages?: Stages;
	/** More arguments. */
	more?: Array<string | number>;
}

/** A window, as the scripts are told of it. */
type ScriptWindow = Pick<LimitedWindow, 'name' | 'room' | 'holdMs'>;

/** Redis may forget the state this much (ms) earlier than the last slot is free here: clocks and ways differ. */
const CLOCK_MARGIN_MS = 1_000;
/** From so many more entries on, those that have come free are removed. */
const MOST_GONE = 64;

export class RedisLedger {
	/** By which Redis tells the process from others. */
	private readonly process = randomUUID();

	/** How many commands of this process Redis has counted. */
	private commands = 0;

	/** When (ms, `performance.now()`) the last slot comes free. */
	private heldUntil = -Infinity;

	/** How many slots were held when those that had come free were removed. */
	private slotsBefore = 0;

	/** By the ID of a request: the windows in which it holds a slot, and when (ms, `performance.now()`) that comes free. */
	private readonly held = new Map<string, Array<{ name: string; freeAt: number }>>();

	/** @param identity stands for the key */
	constructor(
		private readonly connection: RedisConnection,
		private readonly identity: string,
	) {}

	/** @param inFlightMs how long (ms) it may be under way: the slots of a process that died are held so long */
	request(stages: Stages, inFlightMs: number): RedisRequest {
		return new RedisRequest(this, stages, inFlightMs);
	}

	/**
	 * Returns how long (ms) it takes until there is room, and makes later promises later. For a count of 0 it
	 * takes the promise back.
	 * @param localMs how long it takes by what this process knows
	 * @throws RedisError
	 */
	async promise(stages: Stages, wanted: RoomWanted, localMs: number): Promise<number> {
		const { name, count, maxWaitMs } = wanted;
		const more = [name, count, Math.min(maxWaitMs, Number.MAX_SAFE_INTEGER)];
		return await this.run<number>(PROMISE, { stages, number: localMs, more });
	}

	/** How many slots all processes hold, and how long (ms) it takes until one is free. @throws RedisError */
	async use(windows: LimitedWindow[]): Promise<Array<{ used: number; availableInMs: number }>> {
		const figures = await this.run<Array<[number, number]>>(USE, {}, undefined, windows);
		return figures.map(([used, availableInMs]) => ({ used, availableInMs }));
	}

	/** What is in the way at this moment, for a request whose time is up. */
	trouble(): RedisError | undefined {
		return this.connection.trouble();
	}

	/** Runs a script. @throws RedisError, the signal's reason */
	async run<T>(
		script: RedisScript,
		{ id = '', number = 0, stages, more = [] }: ScriptCall,
		signal?: AbortSignal,
		windows: ScriptWindow[] = stages?.windows ?? [],
	): Promise<T> {
		const scope = stages?.scope;
		const general = stages?.general;
		const own = stages?.own.scope;
		const keys = [
			this.key('state', ''),
			this.key('queue', general?.scope.name ?? ''),
			this.key('queue', own?.name ?? ''),
			this.key('promises', own?.name ?? ''),
			...windows.map(({ name }) => this.key('window', name)),
		];
		const parameters = [
			...[id, this.process, this.known(), own?.foreignVersion ?? '', Math.ceil(number)],
			scope?.windows.length ?? 0,
			Math.ceil(scope?.foreign.everyMs(scope.windows) ?? 0),
			Math.ceil(general?.foreign.everyMs(general.windows) ?? 0),
			...windows.flatMap(({ room, holdMs }) => [room, Math.ceil(holdMs)]),
			...more,
		];
		return await this.connection.run<T>(script, keys, parameters, signal);
	}

	/**
	 * Redis has counted a command of this process. If it knows of fewer than it was told of, it has lost its data,
	 * and all slots that this process holds are entered again.
	 * @throws RedisError
	 */
	async counted(commands: number, known: number): Promise<void> {
		if (commands > known) this.commands = Math.max(this.commands, commands);
		// Otherwise another reply has told of it before.
		else if (known <= this.commands) await this.enterAgain(commands);
	}

	/** How many commands Redis must know of; 0 when it may have forgotten all, as nothing is held any more. */
	known(): number {
		if (this.heldUntil - CLOCK_MARGIN_MS <= performance.now()) this.commands = 0;
		return this.commands;
	}

	/** Enters all slots that this process holds again. @throws RedisError */
	private async enterAgain(commands: number): Promise<void> {
		this.commands = commands;
		const slots = this.slots();
		// What Redis knows from now on, it knows for as long as these.
		this.heldUntil = slots
			.flatMap(([, windows]) => windows)
			.reduce((latest, { freeAt }) => Math.max(latest, freeAt), -Infinity);
		const enter = slots.map(async ([id, windows]) => {
			const now = performance.now();
			const left = windows
				.filter(({ freeAt }) => freeAt > now)
				.map(({ name, freeAt }) => ({ name, room: 0, holdMs: freeAt - now }));
			const [, counted] = await this.run<[string, number]>(SETTLE, { id }, undefined, left);
			this.commands = Math.max(this.commands, counted);
		});
		try {
			await Promise.all(enter);
		} catch (error) {
			// With the next command, once more.
			this.commands = Number.MAX_SAFE_INTEGER;
			throw error;
		}
	}

	/** Remembers slots that are held now, for their window and `lateMs` (ms). */
	hold(id: string, windows: LimitedWindow[], lateMs: number): void {
		const from = performance.now() + lateMs;
		const held = windows.map(({ name, holdMs }) => ({ name, freeAt: from + holdMs }));
		this.held.set(id, held);
		this.heldUntil = Math.max(this.heldUntil, ...held.map(({ freeAt }) => freeAt));
		if (this.held.size > MOST_GONE + 2 * this.slotsBefore) this.slotsBefore = this.slots().length;
	}

	free(id: string): void {
		this.held.delete(id);
	}

	/** The slots that are still held. */
	private slots() {
		const now = performance.now();
		for (const [id, windows] of this.held) {
			if (windows.every(({ freeAt }) => freeAt <= now)) this.held.delete(id);
		}
		return [...this.held];
	}

	/** All keys of an identity share a hash tag, so that a cluster keeps them in one place. */
	private key(kind: string, name: string): string {
		return `${KEY_PREFIX}:{${this.identity}}:${kind}:${name}`;
	}
}

const ledgers = new WeakMap<RedisConnection, Map<string, RedisLedger>>();

/** The ledger of a key, kept as long as the connection. */
export function ledgerOf(connection: RedisConnection, identity: string): RedisLedger {
	const ofConnection = ledgers.get(connection) ?? new Map<string, RedisLedger>();
	ledgers.set(connection, ofConnection);
	const ledger = ofConnection.get(identity) ?? new RedisLedger(connection, identity);
	ofConnection.set(identity, ledger);
	return ledger;
}
