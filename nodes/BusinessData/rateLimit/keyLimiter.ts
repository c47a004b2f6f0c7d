/**
 * Says when the next request of one key may go out: first its turn in its run, so that runs take turns, then the gates
 * (`gates.ts`). It also estimates, without taking a slot, how long that would take.
 */
import { boundedSignal, LONGEST_TIMER_MS, onceAborted } from '../async';
import type { Priority } from './bottleneck';
import { estimateWait, estimateWaitIn } from './estimate';
import { GENERAL, type Limits, limitsOfScope, scopeName, windowName } from './limits';
import { passGates } from './gates';
import type { Permit } from './permit';
import type { WantedTicket } from './tickets';
import type { RedisLimitStore } from './redis/redisLimitStore';
import { Scope, Stages } from './scope';
import { WaitTime, WaitTooLongError } from './waitTime';

/** How long (ms) the limiter may take, Redis included, to find that there is nothing to wait for. */
const OWN_WORK_MS = 100;

/** Requests that are to come. */
export interface LimitedRequest {
	/** The limits of these requests; other requests of the key may have others. */
	limits: Limits;
	/** The scope whose windows count them beside the general ones. */
	scope?: string;
	/** Counts the requests of all processes that share it, too. */
	limitStore?: RedisLimitStore;
}

export interface SlotRequest extends LimitedRequest {
	/** The requests of a run go in the order of the calls, and runs take turns. */
	run: string;
	/** Among the requests at a gate; 5 unless given. */
	priority?: Priority;
	/** How long (ms) the request may wait; longer is an error at once. */
	maxWaitMs?: number;
	/** How long (ms) the request may be under way, should this process die; needed for a limit store. */
	inFlightMs?: number;
	signal: AbortSignal;
}

export type RoomRequest = LimitedRequest & WantedTicket;

export interface WindowStatus {
	/** For example `general/60s`. */
	limit: string;
	max: number;
	windowSeconds: number;
	/** Slots held: by this process, or by all that share the limit store. */
	used: number;
	/** How much of the limit other clients, such as a second program, seem to use, by refusals. */
	usedByOthers: number;
	remaining: number;
	/** When (ms from now) one more request can go out at the earliest. */
	availableInMs: number;
	/** Requests of this process that wait. */
	queued: number;
}

export class KeyLimiter {
	private readonly scopes = new Map<string, Scope>();

	/** Keeps the process alive while requests wait; held slots alone do not. */
	private keepAlive: NodeJS.Timeout | undefined;

	private idleTimer: NodeJS.Timeout | undefined;

	/** @param onChange called with true when the limiter holds nothing, with false when it does */
	constructor(private readonly onChange: (isIdle: boolean) => void) {}

	/**
	 * Resolves when a request may go out, with a slot in every window that applies.
	 * @throws WaitTooLongError when it would wait longer than `maxWaitMs`, or the service has asked for a pause
	 * that is longer than any of its windows; RedisError when the limit store cannot be used, the signal's reason when
	 * it aborts; no slot is taken then
	 */
	async acquire(request: SlotRequest): Promise<Permit> {
		const { run, priority = 5, maxWaitMs = Infinity, limitStore, inFlightMs = 0 } = request;
		request.signal.throwIfAborted();
		const stages = this.stagesOf(request);
		stages.refuseLongPause();
		const { runs } = stages.own.scope;
		const expectedMs = maxWaitMs === Infinity ? 0 : estimateWait(stages, runs.aheadOf(run));
		if (expectedMs > maxWaitMs) throw new WaitTooLongError(expectedMs);

		this.onChange(false);
		this.keepAlive ??= setInterval(() => undefined, LONGEST_TIMER_MS);
		const tooLate = () =>
			limitStore?.failure() ?? new WaitTooLongError(Math.max(1, estimateWait(stages, 0)));
		const boundMs = Math.max(maxWaitMs, OWN_WORK_MS);
		const { signal, release } = boundedSignal(request.signal, boundMs, tooLate);
		const shared = limitStore?.request(stages, inFlightMs);
		const waitTime = new WaitTime();
		const deadline = waitTime.startedAt + maxWaitMs;
		const queued = { stages, priority, signal, shared, waitTime, deadline };
		let permit: Permit | undefined;
		try {
			permit = await runs.runExclusive(run, signal, async () => await passGates(queued));
			// Requests behind this one do not wait for its places.
			await onceAborted(permit.placed, signal);
			return permit;
		} catch (error) {
			permit?.unused();
			shared?.free();
			throw error;
		} finally {
			release();
			this.reportIfIdle();
		}
	}

	/**
	 * Issues a ticket for room: returns how long (ms) it takes until so many requests have room; later tickets
	 * get later times. Nothing is reserved.
	 * @throws WaitTooLongError when that is longer than `maxWaitMs`, RedisError; no ticket is issued then
	 */
	async issueTicket(request: RoomRequest): Promise<number> {
		const { name, count, maxWaitMs, limitStore } = request;
		const stages = this.stagesOf(request);
		const { tickets, runs } = stages.own.scope;
		const localMs = estimateWait(stages, runs.size, count, tickets.before(name, count));
		// Without a limit store, nothing is awaited here: no other call gets a ticket for the same room meanwhile.
		const waitMs =
			limitStore === undefined ? localMs : await limitStore.issueTicket(stages, request, localMs);
		if (waitMs > maxWaitMs) throw new WaitTooLongError(waitMs);
		if (limitStore === undefined) {
			tickets.make({ name, at: performance.now() + waitMs, left: count });
			this.onChange(false);
			this.reportIfIdle();
		}
		return waitMs;
	}

	/** Takes a ticket back. @throws RedisError */
	async withdrawTicket({ name, ...request }: LimitedRequest & { name: string }): Promise<void> {
		const stages = this.stagesOf(request);
		stages.own.scope.tickets.withdraw(name);
		await request.limitStore?.issueTicket(stages, { name, count: 0, maxWaitMs: Infinity }, 0);
		this.reportIfIdle();
	}

	/**
	 * When (ms from now) the next of `count` requests and the last of them go out at the earliest. @throws RedisError
	 */
	async estimate(
		request: LimitedRequest,
		count: number,
	): Promise<{ nextMs: number; lastMs: number }> {
		const stages = this.stagesOf(request);
		const uses = (await request.limitStore?.use(stages.windows)) ?? [];
		const localMs = estimateWait(stages, 0);
		const nextMs = Math.max(localMs, ...uses.map(({ availableInMs }) => availableInMs));
		return { nextMs, lastMs: nextMs + estimateWait(stages, count - 1) - localMs };
	}

	/** One entry per window, general ones first. @throws RedisError */
	async status({ limits, limitStore }: LimitedRequest): Promise<WindowStatus[]> {
		const all = Object.entries({ [GENERAL]: limits.general, ...limits.scopes });
		const entries = all.flatMap(([name, own]) => {
			const stage = this.scope(name, limits).under(own);
			return stage.windows.map((window) => ({ stage, window, name: scopeName(limits, name) }));
		});
		const uses = await limitStore?.use(entries.map(({ window }) => window));
		return entries.map(({ stage, window, name }, index) => {
			const queued = name === GENERAL ? this.queued : stage.scope.runs.size;
			const shared = uses?.[index] ?? { used: 0, availableInMs: 0 };
			const used = Math.max(window.window.used, shared.used);
			const waitMs = Math.max(
				stage.pausedMs,
				estimateWaitIn([window], queued),
				shared.availableInMs,
			);
			return {
				limit: windowName(name, window),
				max: window.max,
				windowSeconds: window.windowMs / 1000,
				used,
				usedByOthers: Math.round(window.otherClients.usedIn(window.windowMs)),
				remaining: Math.max(0, window.room - used),
				availableInMs: Math.ceil(waitMs),
				queued,
			};
		});
	}

	private get restMs(): number {
		return Math.max(0, ...[...this.scopes.values()].map(({ restMs }) => restMs));
	}

	private get queued(): number {
		return [...this.scopes.values()].reduce((sum, { runs }) => sum + runs.size, 0);
	}

	private stagesOf({ limits, scope }: LimitedRequest): Stages {
		const general = this.scope(GENERAL, limits).under(limits.general);
		if (scope === undefined) return new Stages(undefined, general);
		const own = limitsOfScope(limits, scope);
		if (own.length > 0) return new Stages(this.scope(scope, limits).under(own), general);
		// Kept only if other requests have limits for the scope: any path may be a scope.
		return new Stages(undefined, general, this.scopes.get(scope) ?? this.newScope(scope, limits));
	}

	private scope(key: string, limits: Limits): Scope {
		const scope = this.scopes.get(key) ?? this.newScope(key, limits);
		this.scopes.set(key, scope);
		return scope;
	}

	private newScope(key: string, limits: Limits): Scope {
		return new Scope(key, scopeName(limits, key), () => this.reportIfIdle());
	}

	private reportIfIdle(): void {
		if (this.queued === 0) {
			clearInterval(this.keepAlive);
			this.keepAlive = undefined;
		}
		clearTimeout(this.idleTimer);
		const { restMs } = this;
		if (restMs === 0) this.onChange(true);
		else if (restMs < Infinity) {
			// A ticket, or what was learned of other clients, is forgotten without anything else happening.
			const afterMs = Math.min(Math.ceil(restMs) + 1, LONGEST_TIMER_MS);
			this.idleTimer = setTimeout(() => this.reportIfIdle(), afterMs).unref();
		}
	}
}
