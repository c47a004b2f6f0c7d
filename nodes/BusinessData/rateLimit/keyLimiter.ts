/**
 * Says when the next request of one key may go out. A request waits, in this order, for its turn in its
 * batch, for the windows of its scope, for the gate, and for the general windows; so one that waits ten
 * minutes for its scope holds no general slot, and only the request in the gate holds some while it
 * waits for the others.
 */
import { type Abortable, abortController, listen, sleep, unlisten } from './abort';
import { Batches } from './batches';
import { Gate, type Priority } from './gate';
import type { Ledger } from './ledger';
import { GENERAL, type Limits, longestWindowMs } from './limits';
import { Pauses } from './pauses';
import { Permit } from './permit';
import { SharedSlots } from './sharedSlots';
import type { Slot } from './slotWindow';
import { REFUSAL, StageTimes, type WaitCause } from './waitCause';
import { freeAll, takeEach, waitFor, WindowSet } from './windowSet';
import { WaitTooLongError } from './waitTooLongError';
import { statusOfWindows, type WindowStatus } from './windowStatus';

export interface SlotRequest {
	/** Requests of one batch take turns with other batches, in the order of the calls. */
	batch: string;
	/** The scope whose windows count this request beside the general ones. */
	scope?: string;
	/** Among the requests at the gate; 5 unless given. */
	priority?: Priority;
	/** How long (ms) the request may wait; longer is an error at once. */
	maxWaitMs?: number;
	/** Counts the request in every process that shares the ledger, too. */
	ledger?: Ledger;
	/** How long (ms) the request may be under way, should this process die; needed for a ledger. */
	inFlightMs?: number;
	signal: AbortSignal;
}

export class KeyLimiter {
	private readonly windows: WindowSet;

	/** By scope; those without one under `GENERAL`. */
	private readonly batches = new Map<string, Batches>();

	private readonly gate = new Gate();

	private readonly pauses = new Pauses();

	/** Requests that wait, by scope; those without one under `GENERAL`. */
	private readonly waiting = new Map<string, number>();

	/** What the requests at the gate waited for last. */
	private lastCause: WaitCause | undefined;

	/** Keeps the process alive while requests wait; held slots alone do not. */
	private keepAlive: NodeJS.Timeout | undefined;

	constructor(
		/** Stands for the key, without naming it. */
		private readonly identity: string,
		private limits: Limits,
		/** Called when nothing is queued or held any more. */
		private readonly onIdle: () => void,
	) {
		this.windows = new WindowSet(limits, () => this.reportIfIdle());
	}

	/** Uses these limits from now on; slots that are held stay held. */
	changeLimits(limits: Limits): void {
		this.limits = limits;
		this.windows.changeLimits(limits);
	}

	/**
	 * Resolves when a request may go out, with a slot in every window that applies.
	 * @throws WaitTooLongError when it would wait longer than `maxWaitMs`, RedisError when the ledger
	 * cannot be used, the signal's reason when it aborts; no slot is taken then
	 */
	async acquire(request: SlotRequest): Promise<Permit> {
		const { scope = GENERAL, maxWaitMs = Infinity } = request;
		request.signal.throwIfAborted();
		const batches = this.batchesOf(scope);
		const ahead = batches.length(request.batch);
		const expectedMs = maxWaitMs === Infinity ? 0 : this.forecast(request, ahead);
		if (expectedMs > maxWaitMs) throw new WaitTooLongError(expectedMs);

		const bounded = this.boundedBy(request, maxWaitMs);
		const stages = new StageTimes();
		this.countWaiting(scope, 1);
		try {
			return await batches.inTurn(request.batch, bounded.signal, async () => {
				stages.end(this.causeOfQueue(request.scope));
				return await this.takeSlots(request, bounded.signal, stages);
			});
		} finally {
			bounded.release();
			this.countWaiting(scope, -1);
		}
	}

	/** Lets no request of the scope out for `ms`, and none of the key while a general window lasts. */
	pause(scope: string | undefined, ms: number): void {
		const longestGeneralMs = longestWindowMs(this.limits, undefined);
		this.pauses.extend(scope, ms, scope === undefined ? ms : Math.min(ms, longestGeneralMs));
		// Nothing else may happen at the end of a pause that outlasts the held slots.
		setTimeout(() => this.reportIfIdle(), Math.min(ms + 1, 2 ** 31 - 1)).unref();
	}

	/** One entry per window, general ones first. @throws RedisError */
	async status(ledger?: Ledger): Promise<WindowStatus[]> {
		return await statusOfWindows(this.identity, this.windows, this.pauses, this.waiting, ledger);
	}

	isIdle(): boolean {
		return this.windows.areFree() && this.pauses.areOver() && this.waiting.size === 0;
	}

	/** The shortest wait (ms) before a request with `ahead` others of its own batch before it. */
	private forecast({ scope, batch }: SlotRequest, ahead: number): number {
		const allAhead = ahead + this.batchesOf(scope ?? GENERAL).aheadOf(batch, ahead);
		const scopeMs = waitFor(this.windows.ofScope(scope), allAhead);
		const generalMs = waitFor(this.windows.general(), scopeMs > 0 ? 0 : allAhead);
		return Math.max(this.pauses.leftMs(scope), scopeMs, generalMs);
	}

	private batchesOf(scope: string): Batches {
		let batches = this.batches.get(scope);
		if (batches === undefined) this.batches.set(scope, (batches = new Batches()));
		return batches;
	}

	private async takeSlots(
		request: SlotRequest,
		signal: AbortSignal,
		stages: StageTimes,
	): Promise<Permit> {
		const { scope, priority = 5, ledger, inFlightMs = 0, maxWaitMs = Infinity } = request;
		const scopeWindows = this.windows.ofScope(scope);
		const generalWindows = this.windows.general();
		const shared = new SharedSlots(
			ledger,
			{ identity: this.identity, scope, scopeWindows, generalWindows, inFlightMs },
			stages.startedAt + maxWaitMs,
		);
		const scopeSlots: Slot[] = [];
		const generalSlots: Slot[] = [];
		try {
			stages.end(await takeEach(scopeWindows, scopeSlots, signal));
			for (;;) {
				await this.pauses.passed(scope, signal);
				stages.end(REFUSAL);
				const scopeWaitMs = await this.gate.pass(priority, signal, async () => {
					stages.end(this.lastCause);
					stages.end(await takeEach(generalWindows, generalSlots, signal));
					const retryMs = await shared.take(signal, (window) => stages.expect(window));
					stages.endExpected();
					this.lastCause = stages.longest() ?? this.lastCause;
					return retryMs;
				});
				// A refusal may have come while this request stood at the gate.
				if (scopeWaitMs === 0 && this.pauses.leftMs(scope) === 0) break;
				freeAll(generalSlots);
				if (scopeWaitMs === 0) shared.free();
				await sleep(scopeWaitMs, signal);
				stages.endExpected();
			}
			return new Permit(scope, [...scopeSlots, ...generalSlots], shared, this.pauses, stages);
		} catch (error) {
			freeAll(scopeSlots);
			freeAll(generalSlots);
			shared.free();
			throw error;
		}
	}

	/** The request's signal, which also aborts when it has waited for `maxWaitMs`. */
	private boundedBy(request: SlotRequest, maxWaitMs: number) {
		if (maxWaitMs === Infinity) return { signal: request.signal, release: () => undefined };
		const controller = abortController();
		const stop: Abortable = { abort: (reason) => controller.abort(reason) };
		listen(request.signal, stop);
		const onTimeout = () => {
			const tooLong = new WaitTooLongError(Math.max(1, this.forecast(request, 0)));
			controller.abort(request.ledger?.trouble() ?? tooLong);
		};
		const timer = maxWaitMs < 2 ** 31 ? setTimeout(onTimeout, maxWaitMs) : undefined;
		return {
			signal: controller.signal,
			release: () => {
				clearTimeout(timer);
				unlisten(request.signal, stop);
			},
		};
	}

	private causeOfQueue(scope: string | undefined): WaitCause | undefined {
		return this.windows.ofScope(scope)[0] ?? this.lastCause;
	}

	private countWaiting(scope: string, change: 1 | -1): void {
		const count = (this.waiting.get(scope) ?? 0) + change;
		if (count > 0) this.waiting.set(scope, count);
		else this.waiting.delete(scope);
		if (this.waiting.size > 0) {
			this.keepAlive ??= setInterval(() => undefined, 2 ** 31 - 1);
		} else {
			clearInterval(this.keepAlive);
			this.keepAlive = undefined;
			this.reportIfIdle();
		}
	}

	private reportIfIdle(): void {
		if (this.isIdle()) this.onIdle();
	}
}
