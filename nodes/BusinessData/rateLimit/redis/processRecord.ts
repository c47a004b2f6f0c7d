/**
 * What this process has in Redis of a key: the slots that it holds, so that it can enter them again when
 * Redis has lost them, and how far Redis must be for nothing to be lost.
 */
import { randomUUID } from 'node:crypto';

import type { RedisConnection } from '../../redis';

/** A slot in one window. */
export interface HeldWindow {
	/** The window's key in Redis. */
	key: string;
	/** When (ms, `performance.now()`) it comes free. */
	freeAt: number;
}

/** From so many more entries on, those that have come free are removed. */
const MOST_GONE = 64;

export class ProcessRecord {
	/** By which Redis tells it from those of other processes. */
	readonly id = randomUUID();

	/** Which version of what was learned of others this process knows. */
	version = '0';

	/** How many commands of this process Redis has counted. */
	private commands = 0;

	/** When (ms, `performance.now()`) the last slot comes free. */
	private heldUntil = -Infinity;

	/** How many slots were held when those that had come free were removed. */
	private slotsBefore = 0;

	/** By the ID of their request. */
	private readonly held = new Map<string, HeldWindow[]>();

	/** Redis has counted a command of this process. */
	counted(commands: number): void {
		this.commands = Math.max(this.commands, commands);
	}

	/** Redis has begun to count anew. */
	beginAnew(commands: number): void {
		this.commands = commands;
	}

	/** How many commands Redis must know of; 0 when it may have forgotten all, as nothing is held any more. */
	get known(): number {
		return this.heldUntil > performance.now() ? this.commands : 0;
	}

	hold(id: string, windows: HeldWindow[]): void {
		this.held.set(id, windows);
		this.heldUntil = Math.max(this.heldUntil, ...windows.map(({ freeAt }) => freeAt));
		if (this.held.size > MOST_GONE + 2 * this.slotsBefore) this.slotsBefore = this.slots().length;
	}

	free(id: string): void {
		this.held.delete(id);
	}

	/** The slots that are still held. */
	slots(): Array<[id: string, windows: HeldWindow[]]> {
		const now = performance.now();
		for (const [id, windows] of this.held) {
			if (windows.every(({ freeAt }) => freeAt <= now)) this.held.delete(id);
		}
		return [...this.held];
	}
}

const records = new WeakMap<RedisConnection, Map<string, ProcessRecord>>();

/** The record of a key, kept as long as the connection. */
export function ofProcess(connection: RedisConnection, identity: string): ProcessRecord {
	const ofConnection = records.get(connection) ?? new Map<string, ProcessRecord>();
	records.set(connection, ofConnection);
	const record = ofConnection.get(identity) ?? new ProcessRecord();
	ofConnection.set(identity, record);
	return record;
}
