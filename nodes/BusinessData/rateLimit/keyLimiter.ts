/**
 * Says when the next request of one key may go out. A request waits for its turn in its run, so that runs
 * take turns, and then at a gate that one request passes at a time: in the gate of its scope for the
 * windows of the scope, in the general gate for all of them. It takes a slot in all windows at once, or in
 * none, so that whoever waits holds nothing that another could use.
 */
import type Bottleneck from 'bottleneck';

import { abortController, listen, onceAborted, sleep, Turns, unlisten } from '../waiting';
import { atMost, type Priority, schedule } from './bottleneck';
import { waitFor } from './forecast';
import { ForeignUse } from './foreignUse';
import type { Ledger, LedgerReply, SharedRequest } from './ledger';
import { GENERAL, type Limit, type Limits, limitsOfScope } from './limits';
import { Permit } from './permit';
import { statusOf, type WindowStatus } from './status';
import { REFUSAL, Wait, type WaitCause, WaitTooLongError } from './wait';
import { freeAll, fullOf, LimitedWindow, type Slot, takeEach, type Window } from './window';

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

/** The windows of a scope, or the general ones, as they count one request. */
interface Stage {
	/** The scope, or `GENERAL`. */
	name: string;
	windows: LimitedWindow[];
	foreign: ForeignUse;
}

/** A request on its way through the gates. */
interface Waiting {
	/** Of the scope, if that has windows; passed first. */
	scope: Stage | undefined;
	general: Stage;
	priority: Priority;
	signal: AbortSignal;
	shared: SharedRequest | undefined;
	wait: Wait;
	/** The moment (ms, `performance.now()`) up to which it may wait. */
	deadline: number;
}

/** In the general gate: who has waited for its scope, and others of it behind, need not wait for everybody. */
const PRIORITY_OF_SCOPES = 4;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export class KeyLimiter {
	private readonly windows = new Map<string, Window>();

	/** The lines of the runs, by scope; without one under `GENERAL`. */
	private readonly lines = new Map<string, Turns>();

	/** By scope and limits, so that a run with narrower limits stands in nobody's way. */
	private readonly gates = new Map<string, Bottleneck>();

	/** What others use of the windows, by scope; of the general ones under `GENERAL`. */
	private readonly foreign = new Map<string, ForeignUse>();

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

	/** One entry per window, general ones first. @throws RedisError */
	async status(limits: Limits, ledger?: Ledger): Promise<WindowStatus[]> {
		const stages = [
			this.stageOf(GENERAL, limits.general),
			...Object.entries(limits.scopes).map(([scope, own]) => this.stageOf(scope, own)),
		];
		const windows = stages.flatMap((stage) => stage.windows);
		const uses = await ledger?.use(this.identity, windows);
		const entries = stages.flatMap(({ name, windows: own, foreign }) => {
			const queued = name === GENERAL ? this.queued() : this.linesOf(name).size;
			return own.map((window) => ({ window, queued, pausedMs: foreign.waitMs(own) }));
		});
		return statusOf(entries, uses);
	}

	isIdle(): boolean {
		const isFree = [...this.windows.values()].every(({ used }) => used === 0);
		const isAlone = [...this.foreign.values()].every((one) => one.isForgotten);
		return isFree && isAlone && this.queued() === 0;
	}

	private async passGates(waiting: Waiting): Promise<Permit> {
		const { scope, signal, wait } = waiting;
		if (scope === undefined) return (await this.passGeneral(waiting)) as Permit;
		// Whoever waits for the scope, for minutes perhaps, does not stand in the general gate.
		return await this.inGate(scope, waiting, async () => {
			wait.spentFor(scope.windows[0]);
			waiting.shared?.standInLine();
			for (;;) {
				await this.untilRoom([scope], waiting);
				const permit = await this.passGeneral(waiting);
				if (permit instanceof Permit) return permit;
				await sleep(permit.retryMs, signal);
				wait.spentFor(permit.window ?? REFUSAL);
			}
		});
	}

	/** Returns a permit, or what other processes say who have filled the scope's windows. */
	private async passGeneral(waiting: Waiting) {
		const { scope, general, shared, signal, wait } = waiting;
		const stages = scope === undefined ? [general] : [scope, general];
		const windows = stages.flatMap((stage) => stage.windows);
		const mine = waiting.priority;
		const isBehind = scope !== undefined && mine > PRIORITY_OF_SCOPES;
		const priority = isBehind ? PRIORITY_OF_SCOPES : mine;
		return await this.inGate(general, { priority, signal }, async () => {
			wait.spentFor(this.lastCause);
			for (;;) {
				await this.untilRoom(stages, waiting);
				const slots = await takeEach(windows, signal);
				const reply = await this.takeShared(waiting).catch((error: unknown) => {
					freeAll(slots);
					throw error;
				});
				this.lastCause = wait.longestCause ?? this.lastCause;
				// A refusal may have come meanwhile.
				const isPaused = pausedMs(stages) > 0;
				if (reply.isTaken && !isPaused) return this.permit(waiting, slots, reply.used);
				freeAll(slots);
				if (reply.isTaken) shared?.free();
				else if (reply.isOfScope) return reply;
				else {
					await sleep(reply.retryMs, signal);
					wait.spentFor(reply.window ?? REFUSAL);
				}
			}
		});
	}

	/** @param shared how many slots all processes hold in each window, those of the scope first */
	private permit(waiting: Waiting, slots: Slot[], shared: number[]): Permit {
		const { scope, general, wait } = waiting;
		const counted = ({ windows, foreign }: Stage, all: number[]) => ({
			foreign,
			windows: windows.map(({ max, windowMs, window }, index) => {
				return { max, windowMs, used: Math.max(window.used, all[index] ?? 0) };
			}),
			underWay: () => Math.max(0, ...windows.map(({ window }) => window.underWay)),
		});
		const ofScope = scope === undefined ? undefined : counted(scope, shared);
		const ofAll = counted(general, shared.slice(scope?.windows.length ?? 0));
		return new Permit(slots, waiting.shared, ofAll, ofScope, wait, () => this.reportIfIdle());
	}

	private async takeShared({ shared, signal, deadline }: Waiting): Promise<LedgerReply> {
		const reply = (await shared?.take(signal)) ?? { isTaken: true, used: [] };
		if (reply.isTaken || performance.now() + reply.waitMs <= deadline) return reply;
		throw new WaitTooLongError(reply.waitMs);
	}

	/** Waits for the end of pauses and for room in each window, and takes none. */
	private async untilRoom(stages: Stage[], { signal, wait }: Waiting): Promise<void> {
		const windows = stages.flatMap((stage) => stage.windows);
		for (;;) {
			const ms = pausedMs(stages);
			const full = fullOf(windows);
			const underWay = stages.find(({ foreign }) => foreign.underWay !== undefined);
			if (ms > 0) {
				await sleep(Math.min(Math.ceil(ms), LONGEST_TIMER_MS), signal);
				wait.spentFor(REFUSAL);
			} else if (full !== undefined) {
				await full.untilRoom(signal);
				wait.spentFor(full);
			} else if (underWay?.foreign.underWay !== undefined) {
				await onceAborted(underWay.foreign.underWay, signal);
				wait.spentFor(REFUSAL);
			} else return;
		}
	}

	private async inGate<T>(
		{ name, windows }: Stage,
		{ priority, signal }: Pick<Waiting, 'priority' | 'signal'>,
		job: () => Promise<T>,
	): Promise<T> {
		const gateName = JSON.stringify([name, windows.map(({ max, windowMs }) => [max, windowMs])]);
		const gate = this.gates.get(gateName) ?? atMost(1);
		this.gates.set(gateName, gate);
		return await schedule(gate, priority, signal, job);
	}

	private waitingOf(request: SlotRequest, signal: AbortSignal, maxWaitMs: number): Waiting {
		const { limits, priority = 5, ledger, inFlightMs = 0 } = request;
		const { identity } = this;
		const scope = this.scopeStageOf(request);
		const general = this.stageOf(GENERAL, limits.general);
		const shared = ledger?.request({
			identity,
			scope,
			general,
			inFlightMs,
		});
		const wait = new Wait();
		return { scope, general, priority, signal, shared, wait, deadline: wait.startedAt + maxWaitMs };
	}

	private scopeStageOf({ limits, scope }: SlotRequest): Stage | undefined {
		const own = limitsOfScope(limits, scope);
		return scope === undefined || own.length === 0 ? undefined : this.stageOf(scope, own);
	}

	/** The windows of these limits, longest first. */
	private stageOf(name: string, limits: Limit[]): Stage {
		const foreign = this.foreign.get(name) ?? new ForeignUse();
		this.foreign.set(name, foreign);
		const onFreed = () => this.reportIfIdle();
		const windows = limits
			.map((limit) => new LimitedWindow(limit, name, this.windows, foreign, onFreed))
			.sort((a, b) => b.windowMs - a.windowMs);
		return { name, windows, foreign };
	}

	/** The shortest wait (ms) of a request that `ahead` others go before. */
	private forecast(request: SlotRequest, ahead: number): number {
		const scope = this.scopeStageOf(request);
		const general = this.stageOf(GENERAL, request.limits.general);
		const scopeMs = scope === undefined ? 0 : waitFor(scope.windows, ahead);
		const generalMs = waitFor(general.windows, scopeMs > 0 ? 0 : ahead);
		return Math.max(
			pausedMs(scope === undefined ? [general] : [scope, general]),
			scopeMs,
			generalMs,
		);
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

/** How long (ms) none of the stages lets anything out, whatever room there is. */
function pausedMs(stages: Stage[]): number {
	return Math.max(...stages.map(({ foreign, windows }) => foreign.waitMs(windows)));
}
