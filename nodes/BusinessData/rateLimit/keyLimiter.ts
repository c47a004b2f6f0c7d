/**
 * Says when the next request of one key may go out: first its turn in its run, so that runs take turns, then
 * the gates (`passage.ts`). And tells without taking anything how long that would take.
 */
import { boundedSignal, LONGEST_TIMER_MS, onceAborted } from '../waiting';
import type { Priority } from './bottleneck';
import { waitFor, waitIn } from './forecast';
import { GENERAL, type Limits, limitsOfScope, scopeName, windowName } from './limits';
import { passGates } from './passage';
import type { Permit } from './permit';
import type { RoomWanted } from './promises';
import type { RedisLedger } from './redis/redisLedger';
import { Scope, Stages } from './scope';
import { Wait, WaitTooLongError } from './wait';

/** Requests that are to come. */
export interface Foreseen {
	/** Those that they are under; those of other requests of the key may differ. */
	limits: Limits;
	/** The scope whose windows count them beside the general ones. */
	scope?: string;
	/** Counts them in every process that shares it, too. */
	ledger?: RedisLedger;
}

export interface SlotRequest extends Foreseen {
	/** Requests of one run take turns with those of other runs, in the order of the calls. */
	run: string;
	/** Among the requests at a gate; 5 unless given. */
	priority?: Priority;
	/** How long (ms) the request may wait; longer is an error at once. */
	maxWaitMs?: number;
	/** How long (ms) the request may be under way, should this process die; needed for a ledger. */
	inFlightMs?: number;
	signal: AbortSignal;
}

export type RoomRequest = Foreseen & RoomWanted;

export interface WindowStatus {
	/** For example `general/60s`. */
	limit: string;
	max: number;
	windowSeconds: number;
	/** Slots held: by this process, or by all that share the ledger. */
	used: number;
	/** How many of the limit others, such as a second program, seem to use; known by refusals. */
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

	/** @param onChange called with false when there is something to remember, with true when nothing is left */
	constructor(private readonly onChange: (isIdle: boolean) => void) {}

	/**
	 * Resolves when a request may go out, with a slot in every window that applies.
	 * @throws WaitTooLongError when it would wait longer than `maxWaitMs`, or the service has asked for a pause
	 * that is longer than any of its windows; RedisError when the ledger cannot be used, the signal's reason when it aborts; no slot is taken then
	 */
	async acquire(request: SlotRequest): Promise<Permit> {
		const { run, priority = 5, maxWaitMs = Infinity, ledger, inFlightMs = 0 } = request;
		request.signal.throwIfAborted();
		const stages = this.stagesOf(request);
		stages.refuseLongPause();
		const { lines } = stages.own.scope;
		const expectedMs = maxWaitMs === Infinity ? 0 : waitFor(stages, lines.aheadOf(run));
		if (expectedMs > maxWaitMs) throw new WaitTooLongError(expectedMs);

		this.onChange(false);
		this.keepAlive ??= setInterval(() => undefined, LONGEST_TIMER_MS);
		const tooLate = () =>
			ledger?.trouble() ?? new WaitTooLongError(Math.max(1, waitFor(stages, 0)));
		const { signal, release } = boundedSignal(request.signal, maxWaitMs, tooLate);
		const shared = ledger?.request(stages, inFlightMs);
		const wait = new Wait();
		const deadline = wait.startedAt + maxWaitMs;
		const waiting = { stages, priority, signal, shared, wait, deadline };
		let permit: Permit | undefined;
		try {
			permit = await lines.inTurn(run, signal, async () => await passGates(waiting));
			// Those behind it need not wait for that.
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
	 * Promises room to whoever will wait for it elsewhere: tells how long (ms) it takes until so many
	 * requests have room, and makes later promises later. Nothing is reserved.
	 * @throws WaitTooLongError when that is longer than `maxWaitMs`, RedisError; nothing is promised then
	 */
	async promise(request: RoomRequest): Promise<number> {
		const { name, count, maxWaitMs, ledger } = request;
		const stages = this.stagesOf(request);
		const { promises, lines } = stages.own.scope;
		const localMs = waitFor(stages, lines.size, count, promises.before(name, count));
		// In one step without a ledger: nobody else may be promised the same meanwhile.
		const waitMs = ledger === undefined ? localMs : await ledger.promise(stages, request, localMs);
		if (waitMs > maxWaitMs) throw new WaitTooLongError(waitMs);
		if (ledger === undefined) {
			promises.make({ name, at: performance.now() + waitMs, left: count });
			this.onChange(false);
			this.reportIfIdle();
		}
		return waitMs;
	}

	/** Takes a promise back. @throws RedisError */
	async withdraw({ name, ...foreseen }: Foreseen & { name: string }): Promise<void> {
		const stages = this.stagesOf(foreseen);
		stages.own.scope.promises.withdraw(name);
		await foreseen.ledger?.promise(stages, { name, count: 0, maxWaitMs: Infinity }, 0);
		this.reportIfIdle();
	}

	/** When (ms from now) the next of `count` requests and the last of them go out at the earliest. @throws RedisError */
	async outlook(foreseen: Foreseen, count: number): Promise<{ nextMs: number; lastMs: number }> {
		const stages = this.stagesOf(foreseen);
		const uses = (await foreseen.ledger?.use(stages.windows)) ?? [];
		const localMs = waitFor(stages, 0);
		const nextMs = Math.max(localMs, ...uses.map(({ availableInMs }) => availableInMs));
		return { nextMs, lastMs: nextMs + waitFor(stages, count - 1) - localMs };
	}

	/** One entry per window, general ones first. @throws RedisError */
	async status({ limits, ledger }: Foreseen): Promise<WindowStatus[]> {
		const all = Object.entries({ [GENERAL]: limits.general, ...limits.scopes });
		const entries = all.flatMap(([name, own]) => {
			const stage = this.scope(name, limits).under(own);
			return stage.windows.map((window) => ({ stage, window, name: scopeName(limits, name) }));
		});
		const uses = await ledger?.use(entries.map(({ window }) => window));
		return entries.map(({ stage, window, name }, index) => {
			const queued = name === GENERAL ? this.queued : stage.scope.lines.size;
			const shared = uses?.[index] ?? { used: 0, availableInMs: 0 };
			const used = Math.max(window.window.used, shared.used);
			const waitMs = Math.max(stage.pausedMs, waitIn([window], queued), shared.availableInMs);
			return {
				limit: windowName(name, window),
				max: window.max,
				windowSeconds: window.windowMs / 1000,
				used,
				usedByOthers: Math.round(window.foreign.usedIn(window.windowMs)),
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
		return [...this.scopes.values()].reduce((sum, { lines }) => sum + lines.size, 0);
	}

	private stagesOf({ limits, scope }: Foreseen): Stages {
		const general = this.scope(GENERAL, limits).under(limits.general);
		if (scope === undefined) return new Stages(undefined, general);
		const own = limitsOfScope(limits, scope);
		if (own.length > 0) return new Stages(this.scope(scope, limits).under(own), general);
		// Not remembered unless other requests have limits for it: any path may be one.
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
			// What was promised, or learned of others, is forgotten without anything else happening.
			const afterMs = Math.min(Math.ceil(restMs) + 1, LONGEST_TIMER_MS);
			this.idleTimer = setTimeout(() => this.reportIfIdle(), afterMs).unref();
		}
	}
}
