/**
 * The limit store in Redis, for n8n in queue mode: the slots of a key that all processes hold, counted on top of each
 * one's own windows. These stay underneath, so a Redis that lost its data cannot make a process exceed a limit alone.
 * It also remembers the slots of this process, to enter them again.
 */
import { KEY_PREFIX, type RedisConnection, type RedisError, type RedisScript } from '../../redis';
import { onceAborted } from '../../async';
import type { WantedTicket } from '../tickets';
import type { LimitedWindow, Stages } from '../scope';
import { RedisRequest } from './redisRequest';
import { TICKET, USE } from './roomScripts';
import { HEARTBEAT, ENTER } from './scripts';

/** The arguments that differ between calls, see `scripts.ts`. */
export interface ScriptCall {
	/** The ID of the request. */
	id?: string;
	/** A time (ms) whose meaning each script defines. */
	number?: number;
	stages?: Stages;
	/** More arguments. */
	more?: Array<string | number>;
}

/** A window as the scripts receive it. */
interface ScriptWindow {
	/** The scope whose slots the window counts. */
	scope: string;
	/** How many of our requests fit. */
	room: number;
	/** How long (ms) it counts a slot. */
	holdMs: number;
}

/** A slot of this process. */
interface HeldSlot {
	/** When (ms, `performance.now()`) the service has counted the request at the latest. */
	countedAt: number;
	/** By scope, how long (ms) the slot counts. */
	scopes: Map<string, number>;
}

/** How often (ms) to check that Redis has the held slots; a loss is repaired within a second. */
const HEARTBEAT_MS = 800;
/** How much earlier Redis may drop a slot, in ms and as a share of its age: clocks and latencies differ. */
const DROPPED_EARLY = { ms: 1_000, share: 0.001 };
/** How many slots are entered at once. */
const ENTERED_AT_ONCE = 500;

export class RedisLimitStore {
	/** By the ID of the request, oldest first. */
	private readonly held = new Map<string, HeldSlot>();

	/** The ID of the newest slot in each scope. */
	private readonly newest = new Map<string, string>();

	private heartbeatTimer: NodeJS.Timeout | undefined;

	/** Settles when all held slots are in Redis again. */
	private entering: Promise<void> | undefined;

	/** @param identity a hash of the service and the key */
	constructor(
		private readonly connection: RedisConnection,
		private readonly identity: string,
	) {}

	/** @param inFlightMs how long (ms) it may be under way: the slots of a process that died are held so long */
	request(stages: Stages, inFlightMs: number): RedisRequest {
		return new RedisRequest(this, stages, inFlightMs);
	}

	/**
	 * Returns how long (ms) it takes until there is room, and makes later tickets later. For a count of 0 it
	 * takes the ticket back.
	 * @param localMs how long it takes by what this process knows
	 * @throws RedisError
	 */
	async issueTicket(stages: Stages, wanted: WantedTicket, localMs: number): Promise<number> {
		const { name, count, maxWaitMs } = wanted;
		const more = [name, count, Math.min(maxWaitMs, Number.MAX_SAFE_INTEGER)];
		const [waitMs] = await this.run<[number]>(TICKET, { stages, number: localMs, more });
		return waitMs;
	}

	/** How many slots all processes hold, and how long (ms) it takes until one is free. @throws RedisError */
	async use(windows: LimitedWindow[]): Promise<Array<{ used: number; availableInMs: number }>> {
		const scriptWindows = windows.map(toScript);
		const uses = await this.run<Array<[number, number]>>(USE, {}, undefined, scriptWindows);
		return uses.map(([used, availableInMs]) => ({ used, availableInMs }));
	}

	/** Why Redis cannot be used at the moment; undefined when it can. */
	failure(): RedisError | undefined {
		return this.connection.failure();
	}

	/**
	 * Runs a script. If Redis lacks a slot that this process holds, all of them are entered again first.
	 * @throws RedisError, the signal's reason
	 */
	async run<T extends unknown[]>(
		script: RedisScript,
		{ id = '', number = 0, stages, more = [] }: ScriptCall,
		signal?: AbortSignal,
		windows = stages === undefined ? [] : windowsOf(stages),
	): Promise<T> {
		const scope = stages?.scope;
		const general = stages?.general;
		const own = stages?.own.scope;
		const keys = [
			this.key('state', ''),
			this.key('queue', general?.scope.key ?? ''),
			this.key('queue', own?.key ?? ''),
			this.key('promises', own?.key ?? ''),
			...windows.map((window) => this.key('slots', window.scope)),
		];
		const parameters = [
			...[id, own?.otherClientsVersion ?? '', Math.ceil(number), scope?.windows.length ?? 0],
			Math.ceil(scope?.otherClients.everyMs(scope.windows) ?? 0),
			Math.ceil(general?.otherClients.everyMs(general.windows) ?? 0),
			...windows.flatMap(({ scope: name, room, holdMs }) => {
				return [room, Math.ceil(holdMs), ...(script === ENTER ? ['', 0] : this.newestIn(name))];
			}),
			...more,
		];
		const reply = this.connection.run<[isOff: number, ...T]>(script, keys, parameters, signal);
		const [isOff, ...rest] = await reply;
		if (isOff === 1) {
			const entering = this.enterAgain();
			// The caller may give up meanwhile, so the rejection is handled here.
			entering.catch(() => undefined);
			await (signal === undefined ? entering : onceAborted(entering, signal));
		}
		return rest;
	}

	/** Remembers slots that the service has counted by `countedAt` (ms, `performance.now()`) at the latest. */
	hold(id: string, stages: Stages, countedAt: number): void {
		const scopes = new Map<string, number>();
		for (const { scope, holdMs } of stages.windows) {
			scopes.set(scope.key, Math.max(holdMs, scopes.get(scope.key) ?? 0));
			if (!this.held.has(id)) this.newest.set(scope.key, id);
		}
		this.held.set(id, { countedAt, scopes });
		this.heartbeatTimer ??= this.heartbeatLater();
	}

	free(id: string): void {
		this.held.delete(id);
	}

	/** Checks, while slots are held, that Redis has them. */
	private async heartbeat(): Promise<void> {
		const now = performance.now();
		const scopes = new Map<string, ScriptWindow>();
		for (const [id, slot] of this.held) {
			if (endOf(slot) <= now) this.held.delete(id);
			for (const [scope, holdMs] of slot.scopes) scopes.set(scope, { scope, room: 0, holdMs });
		}
		if (this.held.size > 0) {
			// A failure shows with the next command.
			await this.run(HEARTBEAT, {}, undefined, [...scopes.values()]).catch(() => undefined);
		}
		this.heartbeatTimer = this.held.size > 0 ? this.heartbeatLater() : undefined;
	}

	private heartbeatLater(): NodeJS.Timeout {
		return setTimeout(() => void this.heartbeat(), HEARTBEAT_MS).unref();
	}

	/** The newest slot in a scope, and its age (ms), below 0 while it is under way; empty where it may be over. */
	private newestIn(scope: string): [id: string, ageMs: number] {
		const known = this.newest.get(scope) ?? '';
		const id = this.held.has(known) ? known : this.lastHeldIn(scope);
		this.newest.set(scope, id);
		const slot = this.held.get(id);
		if (slot === undefined) return ['', 0];
		const ageMs = performance.now() - slot.countedAt;
		const { ms, share } = DROPPED_EARLY;
		const lastsMs = (slot.scopes.get(scope) ?? 0) * (1 - share) - ms;
		return ageMs < lastsMs ? [id, Math.ceil(ageMs)] : ['', 0];
	}

	private lastHeldIn(scope: string): string {
		return [...this.held].findLast(([, { scopes }]) => scopes.has(scope))?.[0] ?? '';
	}

	/** Enters all slots that this process holds again. @throws RedisError; then the next command retries */
	private async enterAgain(): Promise<void> {
		this.entering ??= this.enterAll().finally(() => (this.entering = undefined));
		await this.entering;
	}

	private async enterAll(): Promise<void> {
		for (const scope of this.newest.keys()) {
			const slots = [...this.held].filter(([, { scopes }]) => scopes.has(scope));
			for (let first = 0; first < slots.length; first += ENTERED_AT_ONCE) {
				const some = slots.slice(first, first + ENTERED_AT_ONCE);
				const now = performance.now();
				const more = some.flatMap(([id, { countedAt }]) => [id, Math.floor(now - countedAt)]);
				const holdMs = Math.max(...some.map(([, { scopes }]) => scopes.get(scope) ?? 0));
				await this.run(ENTER, { more }, undefined, [{ scope, room: 0, holdMs }]);
			}
		}
	}

	/** All keys of an identity share a hash tag, so that a cluster keeps them in one place. */
	private key(kind: string, name: string): string {
		return `${KEY_PREFIX}:{${this.identity}}:${kind}:${name}`;
	}
}

function toScript({ scope: { key }, room, holdMs }: LimitedWindow): ScriptWindow {
	return { scope: key, room, holdMs };
}

function windowsOf({ windows, unlimited }: Stages): ScriptWindow[] {
	const own = windows.map(toScript);
	// Its slot counts only for the limits of other requests.
	return unlimited === undefined
		? own
		: [...own, { scope: unlimited.key, room: Number.MAX_SAFE_INTEGER, holdMs: 0 }];
}

/** When (ms, `performance.now()`) the slot comes free. */
function endOf({ countedAt, scopes }: HeldSlot): number {
	return countedAt + Math.max(...scopes.values());
}

const limitStores = new WeakMap<RedisConnection, Map<string, RedisLimitStore>>();

/** The limit store of a key, kept as long as the connection. */
export function limitStoreOf(connection: RedisConnection, identity: string): RedisLimitStore {
	const ofConnection = limitStores.get(connection) ?? new Map<string, RedisLimitStore>();
	limitStores.set(connection, ofConnection);
	const limitStore = ofConnection.get(identity) ?? new RedisLimitStore(connection, identity);
	ofConnection.set(identity, limitStore);
	return limitStore;
}
