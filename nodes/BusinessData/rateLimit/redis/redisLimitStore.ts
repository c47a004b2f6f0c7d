/**
 * The limit store in Redis, for queue mode: the slots that all processes hold for a key. Each process also has windows of
 * its own. So if Redis loses its data, no process alone exceeds a limit, and each enters its slots again.
 */
import { randomUUID } from 'node:crypto';

import { abortable } from '../../async';
import { KEY_PREFIX, type RedisConnection } from '../../redis';
import type { AppliedLimits, EndpointUse } from '../endpointLimiter';
import { holdMsOf } from '../limits';
import type { Snapshot } from '../otherClients';
import { Tickets } from '../tickets';
import type { SlotHolder } from '../window';
import { LIMIT_SCRIPT } from './script';

type CountedRequest = SlotHolder & { readonly countedBy: AppliedLimits[] };
type FullSnapshot = [...Snapshot, used: number[]];
type TakeReply = [isTaken: number, waitMs: number, retryMs: number, window: number, FullSnapshot[]];
type Issued = [holder: string, inMs: number];
type ReadReply = Array<[ages: number[], queued: number, version: number, tickets: Issued[]]>;

/** How often (ms) to check that Redis has the held slots. */
const CHECKED_EVERY_MS = 800;
/** How much too early Redis may drop a slot, in ms and as a share of the hold, as clocks and latencies differ. */
const DROPPED_EARLY = { ms: 1_000, share: 0.001 };

export class RedisLimitStore {
	/** Where this process has slots, by endpoint. */
	private readonly held = new Map<string, AppliedLimits>();
	private checkTimer: NodeJS.Timeout | undefined;
	private readonly checkLater = () => setTimeout(() => void this.check(), CHECKED_EVERY_MS).unref();
	/** Settles when Redis has all held slots again. */
	private entering: Promise<void> | undefined;
	/** Until when Redis keeps the state unless it loses data, with a margin because clocks differ. */
	private hasStateUntil = 0;

	/** @param identity a hash of the service and the key */
	constructor(
		readonly connection: RedisConnection,
		private readonly identity: string,
	) {}

	/**
	 * Takes a slot in every window, or in none.
	 * @returns also how long (ms) until the request's turn, in how long (ms) to ask again to keep its place, which limit is
	 * full, and how many slots all processes hold in each window
	 * @throws RedisError, or the signal's reason
	 */
	async take(holder: CountedRequest, signal: AbortSignal) {
		const { countedBy } = holder;
		const askedAt = performance.now();
		const call = { id: (holder.id ??= randomUUID()), ms: holder.request.inFlightMs };
		const reply = await this.run<TakeReply>('take', countedBy, call, signal);
		const [isTaken, waitMs, retryMs, window, snapshots] = reply;
		const used = snapshots.map(([estimate, ageMs, pausedMs, usedInWindows], index) => {
			countedBy[index]?.endpoint.otherClients.merge([estimate, ageMs, pausedMs]);
			return usedInWindows;
		});
		if (isTaken === 1) {
			holder.takenAt = askedAt;
			for (const one of countedBy) if (one.limits.length > 0) this.held.set(one.endpoint.key, one);
			this.checkTimer ??= this.checkLater();
		}
		const limit = countedBy.flatMap(({ limits }) => limits)[window - 1];
		return { isTaken: isTaken === 1, waitMs, retryMs, limit, used };
	}

	/** Publishes what this process has learned about other clients, in the background. */
	publish(all: AppliedLimits[]): void {
		const snapshots = all.map(({ endpoint }) => endpoint.otherClients.publish());
		this.run('publish', all, { snapshots }).catch(() => undefined);
	}

	/**
	 * Holds the slots for their window plus `lateMs` (ms). With -Infinity, frees them and the places in queues at once. Not
	 * awaited: if the command is lost, the slots expire.
	 */
	complete(holder: CountedRequest, lateMs: number): void {
		const { id, countedBy } = holder;
		const isUnused = lateMs === -Infinity;
		// The command may be retried late, so slots taken from now on need another ID.
		if (isUnused) holder.id = undefined;
		if (id === undefined) return;
		this.run('complete', countedBy, { id, ms: isUnused ? -1 : lateMs }).catch(() => undefined);
	}

	/** @throws RedisError */
	async read(all: AppliedLimits[]): Promise<EndpointUse[]> {
		const reply = await this.run<ReadReply>('read', all);
		const now = performance.now();
		return all.map((applied, index) => {
			const [ages, queued, version, members] = reply[index] ?? [[], 0, 0, []];
			const tickets = new Tickets(members.map(([holder, ms]) => ({ holder, at: now + ms })));
			return { ...applied, countedAt: ages.map((ms) => now - ms), queued, version, tickets };
		});
	}

	/** Replaces the holder's tickets. False if others were issued since `own` was read. @throws RedisError */
	async issueTickets(own: EndpointUse, holder: string, count: number, at: number) {
		const call = { holder, count, version: own.version, ms: Math.ceil(at - performance.now()) };
		const [isIssued] = await this.run<[number]>('ticket', [own], call);
		return isIssued === 1;
	}

	/** Runs an action, and enters held slots again if Redis lacks any. @throws RedisError, or the signal's reason */
	private async run<Reply extends unknown[]>(
		action: 'take' | 'complete' | 'publish' | 'check' | 'enter' | 'read' | 'ticket',
		all: AppliedLimits[],
		call: { id?: string; [name: string]: unknown } = {},
		signal?: AbortSignal,
	): Promise<Reply> {
		const names = all.flatMap(({ endpoint: { key }, limits }) => {
			const table = limits.map(({ max, windowMs }) => `${max}/${windowMs}`).join();
			return [`slots:${key}`, `queue:${key}:${table}`, `tickets:${key}`];
		});
		// The hash tag keeps the keys on one server of a cluster.
		const keys = ['state', ...names].map((name) => `${KEY_PREFIX}:{${this.identity}}:${name}`);
		const endpoints = all.map((applied) => {
			const { endpoint, limits } = applied;
			const windows = limits.map((limit) => {
				return [endpoint.otherClients.roomIn(limit), Math.ceil(holdMsOf(limit.windowMs))];
			});
			const everyMs = Math.ceil(endpoint.otherClients.everyMs(limits));
			const newest = action === 'enter' ? undefined : this.newestIn(applied, call.id);
			return { windows, everyMs, estimate: endpoint.otherClients.shared, newest };
		});
		const sentAt = performance.now();
		const knowsState = action !== 'enter' && sentAt < this.hasStateUntil;
		const request = JSON.stringify({ ...call, action, knowsState, endpoints });
		type FullReply = [mustEnter: number, stateMs: number, ...Reply];
		const full = await this.connection.run<FullReply>(LIMIT_SCRIPT, keys, [request], signal);
		const [mustEnter, stateMs, ...reply] = full;
		this.hasStateUntil = sentAt + stateMs * 0.99;
		if (mustEnter === 1) {
			this.entering ??= this.enterAll().finally(() => (this.entering = undefined));
			// Handles a rejection after the caller has given up.
			this.entering.catch(() => undefined);
			await (signal === undefined ? this.entering : abortable(this.entering, signal));
		}
		return reply;
	}

	private async check(): Promise<void> {
		for (const [key, { endpoint }] of this.held) {
			if (!endpoint.holders.some((holder) => this.slotOf(holder))) this.held.delete(key);
		}
		// A failure will show in the next command.
		if (this.held.size > 0) await this.run('check', [...this.held.values()]).catch(() => undefined);
		this.checkTimer = this.held.size > 0 ? this.checkLater() : undefined;
	}

	/** The request's slot, if this limit store has it, with its age (ms), which is below 0 while the request is under way. */
	private slotOf({ id, request, countedAt, takenAt }: SlotHolder) {
		if (id === undefined || request.limitStore !== this) return undefined;
		const ageMs = performance.now() - (countedAt ?? takenAt + request.inFlightMs);
		return [id, Math.ceil(ageMs)] as const;
	}

	/** The newest slot that Redis must have. The request's own slot is a last resort, because the command updates it. */
	private newestIn({ endpoint: { holders }, limits }: AppliedLimits, id?: string) {
		const holdMs = holdMsOf(limits[0]?.windowMs ?? 0);
		const lastsMs = holdMs * (1 - DROPPED_EARLY.share) - DROPPED_EARLY.ms;
		const isKept = (holder: SlotHolder) => (this.slotOf(holder)?.[1] ?? Infinity) < lastsMs;
		const isOther = (holder: SlotHolder) => holder.id !== id && isKept(holder);
		const newest = holders.findLast(isOther) ?? holders.findLast(isKept);
		return newest && this.slotOf(newest);
	}

	/** Enters again what this process holds and knows. @throws RedisError; the next command then tries again */
	private async enterAll(): Promise<void> {
		const all = [...this.held.values()];
		for (const one of all) {
			const slots = one.endpoint.holders.map((holder) => this.slotOf(holder)).filter(Boolean);
			await this.run('enter', [one], { slots });
		}
		this.publish(all);
	}
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
