/**
 * Says when the next request of one key may go out. A request waits for its turn in its run, so that runs
 * take turns, and then at a gate that one request passes at a time: in the gate of its scope for the
 * windows of the scope, in the general gate for all of them. It takes a slot in all windows at once, or in
 * none, so that whoever waits holds nothing that another could use.
 */
import type Bottleneck from 'bottleneck';

import { abortController, listen, sleep, Turns, unlisten } from '../waiting';
import { atMost, type Priority, schedule } from './bottleneck';
import { waitFor } from './forecast';
import type { Ledger, LedgerReply, SharedRequest } from './ledger';
import { GENERAL, type Limit, type Limits, limitsOfScope } from './limits';
import { Pauses } from './pauses';
import { Permit } from './permit';
import { statusOf, type WindowStatus } from './status';
import { REFUSAL, Wait, type WaitCause, WaitTooLongError } from './wait';
import {
	freeAll,
	fullOf,
	type LimitedWindow,
	limitedBy,
	roomIn,
	takeEach,
	type Window,
} from './window';

export interface SlotRequest {
	/** Requests of one run take turns with those of other runs, in the order of the calls. */
	run: string;
	/** The limits that the request is under; those of other requests of the key may differ. */
	limits: Limits;
	/** The scope whose windows count this request beside the general ones. */
	scope?: string;
	/** Among the requests at a gate; 5 unless given. */
	priority?: Priority;
	/** How long (ms) the request may wait; longer is an error at once. */
	maxWaitMs?: number;
	/** Counts the request in every process that shares the ledger, too. */
	ledger?: Ledger;
	/** How long (ms) the request may be under way, should this process die; needed for a ledger. */
	inFlightMs?: number;
	signal: AbortSignal;
}

/** A request on its way through the gates. */
interface Waiting {
	scope: string | undefined;
	priority: Priority;
	signal: AbortSignal;
	scopeWindows: LimitedWindow[];
	/** Those of the scope, then the general ones. */
	windows: LimitedWindow[];
	shared: SharedRequest | undefined;
	wait: Wait;
	/** The moment (ms, `performance.now()`) up to which it may wait. */
	deadline: number;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class KeyLimiter {
	private readonly windows = new Map<string, Window>();

	/** The lines of the runs, by scope; without one under `GENERAL`. */
	private readonly lines = new Map<string, Turns>();

	/** By scope; the general one under `GENERAL`. */
	private readonly gates = new Map<string, Bottleneck>();

	private readonly pauses = new Pauses();

	/** What the requests at the general gate waited for last. */
	private lastCause: WaitCause | undefined;

	/** Keeps the process alive while requests wait; held slots alone do not. */
	private keepAlive: NodeJS.Timeout | undefined;

	constructor(
		/** Stands for the key, without naming it. */
		private readonly identity: string,
		/** Called when nothing is queued or held any more. */
		private readonly onIdle: () => void,
	) {}

	/**
	 * Resolves when a request may go out, with a slot in every window that applies.
	 * @throws WaitTooLongError when it would wait longer than `maxWaitMs`, RedisError when the ledger
	 * cannot be used, the signal's reason when it aborts; no slot is taken then
	 */
	async acquire(request: SlotRequest): Promise<Permit> {
		const { scope = GENERAL, run, maxWaitMs = Infinity } = request;
		request.signal.throwIfAborted();
		const lines = this.linesOf(scope);
		const expectedMs = maxWaitMs === Infinity ? 0 : this.forecast(request, lines.aheadOf(run));
		if (expectedMs > maxWaitMs) throw new WaitTooLongError(expectedMs);

		const bounded = this.boundedBy(request, maxWaitMs);
		const waiting = this.waitingOf(request, bounded.signal, maxWaitMs);
		this.keepAlive ??= setInterval(() => undefined, LONGEST_TIMER_MS);
		try {
			return await lines.inTurn(run, bounded.signal, async () => await this.passGates(waiting));
		} catch (error) {
			waiting.shared?.free();
			throw error;
		} finally {
			bounded.release();
			this.endIfNobodyWaits();
		}
	}

	/** Lets no request of the scope out for `ms`, and none of the key for `keyMs`. */
	pause(scope: string | undefined, ms: number, keyMs: number): void {
		this.pauses.extend(scope, ms, keyMs);
		// Nothing else may happen at the end of a pause that outlasts the held slots.
		setTimeout(() => this.reportIfIdle(), Math.min(ms + 1, LONGEST_TIMER_MS)).unref();
	}

	/** One entry per window, general ones first. @throws RedisError */
	async status(limits: Limits, ledger?: Ledger): Promise<WindowStatus[]> {
		const entries = [undefined, ...Object.keys(limits.scopes)].flatMap((scope) => {
			const queued = scope === undefined ? this.queued() : this.linesOf(scope).size;
			const pausedMs = this.pauses.leftMs(scope);
			const ofScope = scope === undefined ? limits.general : limitsOfScope(limits, scope);
			return this.windowsOf(scope, ofScope).map((window) => ({ window, queued, pausedMs }));
		});
		const windows = entries.map(({ window }) => window);
		return statusOf(entries, await ledger?.use(this.identity, windows));
	}

	isIdle(): boolean {
		const isFree = [...this.windows.values()].every(({ used }) => used === 0);
		return isFree && this.queued() === 0 && this.pauses.areOver();
	}

	private async passGates(waiting: Waiting): Promise<Permit> {
		const { scope = GENERAL, scopeWindows, signal, wait } = waiting;
		if (scopeWindows.length === 0) return (await this.passGeneral(waiting)) as Permit;
		// Whoever waits for the scope, for minutes perhaps, does not stand in the general gate.
		return await this.inGate(scope, waiting, async () => {
			wait.spentFor(scopeWindows[0]);
			for (;;) {
				await this.untilRoomIn(scopeWindows, waiting);
				const permit = await this.passGeneral(waiting);
				if (permit instanceof Permit) return permit;
				await sleep(permit.retryMs, signal);
				wait.spentFor(permit.window);
			}
		});
	}

	/** Returns a permit, or what other processes say who have filled the scope's windows. */
	private async passGeneral(waiting: Waiting) {
		const { scope, windows, shared, signal, wait } = waiting;
		return await this.inGate(GENERAL, waiting, async () => {
			wait.spentFor(this.lastCause);
			for (;;) {
				await this.untilRoomIn(windows, waiting);
				const slots = await takeEach(windows, signal);
				const reply = await this.takeShared(waiting).catch((error: unknown) => {
					freeAll(slots);
					throw error;
				});
				this.lastCause = wait.longestCause ?? this.lastCause;
				// A refusal may have come meanwhile.
				const isPaused = this.pauses.leftMs(scope) > 0;
				if (reply.isTaken && !isPaused) {
					return new Permit(scope, slots, shared, this.pauses, wait);
				}
				freeAll(slots);
				if (reply.isTaken) shared?.free();
				else if (reply.isOfScope) return reply;
				else {
					await sleep(reply.retryMs, signal);
					wait.spentFor(reply.window);
				}
			}
		});
	}

	private async takeShared({ shared, signal, deadline }: Waiting): Promise<LedgerReply> {
		const reply = (await shared?.take(signal)) ?? { isTaken: true };
		if (reply.isTaken || performance.now() + reply.waitMs <= deadline) return reply;
		throw new WaitTooLongError(reply.waitMs);
	}

	/** Waits for the end of a pause and for room in each window, and takes none. */
	private async untilRoomIn(windows: LimitedWindow[], { scope, signal, wait }: Waiting) {
		for (;;) {
			const pausedMs = this.pauses.leftMs(scope);
			const full = fullOf(windows);
			if (pausedMs > 0) {
				await sleep(Math.min(Math.ceil(pausedMs), LONGEST_TIMER_MS), signal);
				wait.spentFor(REFUSAL);
			} else if (full !== undefined) {
				await roomIn(full, signal);
				wait.spentFor(full);
			} else return;
		}
	}

	private async inGate<T>(
		name: string,
		{ priority, signal }: Waiting,
		job: () => Promise<T>,
	): Promise<T> {
		let gate = this.gates.get(name);
		if (gate === undefined) this.gates.set(name, (gate = atMost(1)));
		return await schedule(gate, priority, signal, job);
	}

	private waitingOf(request: SlotRequest, signal: AbortSignal, maxWaitMs: number): Waiting {
		const { scope, limits, priority = 5, ledger, inFlightMs = 0 } = request;
		const { identity } = this;
		const scopeWindows = this.windowsOf(scope, limitsOfScope(limits, scope));
		const generalWindows = this.windowsOf(undefined, limits.general);
		const wait = new Wait();
		return {
			scope,
			priority,
			signal,
			scopeWindows,
			windows: [...scopeWindows, ...generalWindows],
			shared: ledger?.request({ identity, scope, scopeWindows, generalWindows, inFlightMs }),
			wait,
			deadline: wait.startedAt + maxWaitMs,
		};
	}

	/** The windows of these limits, longest first. */
	private windowsOf(scope: string | undefined, limits: Limit[]): LimitedWindow[] {
		const onFreed = () => this.reportIfIdle();
		const windows = limits.map((limit) =>
			limitedBy(limit, scope ?? GENERAL, this.windows, onFreed),
		);
		return windows.sort((a, b) => b.windowMs - a.windowMs);
	}

	/** The shortest wait (ms) of a request that `ahead` others go before. */
	private forecast({ scope, limits }: SlotRequest, ahead: number): number {
		const scopeMs = waitFor(this.windowsOf(scope, limitsOfScope(limits, scope)), ahead);
		const generalMs = waitFor(this.windowsOf(undefined, limits.general), scopeMs > 0 ? 0 : ahead);
		return Math.max(this.pauses.leftMs(scope), scopeMs, generalMs);
	}

	/** The request's signal, which also aborts when it has waited for `maxWaitMs`. */
	private boundedBy(request: SlotRequest, maxWaitMs: number) {
		const { signal } = request;
		if (maxWaitMs === Infinity) return { signal, release: () => undefined };
		const controller = abortController();
		const stop = { abort: (reason: Error) => controller.abort(reason) };
		listen(signal, stop);
		const onTimeout = () => {
			const tooLong = new WaitTooLongError(Math.max(1, this.forecast(request, 0)));
			controller.abort(request.ledger?.trouble() ?? tooLong);
		};
		const timer = maxWaitMs < 2 ** 31 ? setTimeout(onTimeout, maxWaitMs) : undefined;
		return {
			signal: controller.signal,
			release: () => {
				clearTimeout(timer);
				unlisten(signal, stop);
			},
		};
	}

	private linesOf(scope: string): Turns {
		let lines = this.lines.get(scope);
		if (lines === undefined) this.lines.set(scope, (lines = new Turns()));
		return lines;
	}

	private queued(): number {
		return [...this.lines.values()].reduce((sum, { size }) => sum + size, 0);
	}

	private endIfNobodyWaits(): void {
		if (this.queued() > 0) return;
		clearInterval(this.keepAlive);
		this.keepAlive = undefined;
		this.reportIfIdle();
	}

	private reportIfIdle(): void {
		if (this.isIdle()) this.onIdle();
	}
}
