/**
 * Says when the next request of one key may go out. A request waits, in this order, for its turn in its
 * batch, for the windows of its scope, for the gate, and for the general windows; so one that waits ten
 * minutes for its scope holds no general slot, and only the request in the gate holds some while it
 * waits for the others.
 */
import { abortController } from './abort';
import { Batches } from './batches';
import { shortestWait } from './forecast';
import { Gate, type Priority } from './gate';
import { GENERAL, type Limits, longestWindowMs, windowName } from './limits';
import { Pause } from './pause';
import { type Slot, SlotWindow } from './slotWindow';
import { REFUSAL, StageTimes, type WaitCause } from './waitCause';

export interface SlotRequest {
	/** Requests of one batch take turns with other batches, in the order of the calls. */
	batch: string;
	/** The scope whose windows count this request beside the general ones. */
	scope?: string;
	/** Among the requests at the gate; 5 unless given. */
	priority?: Priority;
	/** How long (ms) the request may wait; longer is an error at once. */
	maxWaitMs?: number;
	signal: AbortSignal;
}

/** The right to send one request, now. One of the four endings must be called. */
export interface Permit {
	readonly waitedMs: number;
	readonly waitedFor: WaitCause | undefined;
	/** The service counted the request and let it through. */
	letThrough(): void;
	/** The service refused the request. Returns how many refusals in a row came before this one. */
	refused(): number;
	/** No answer was seen: the service may count the request up to `lateMs` (ms) from now. */
	lost(lateMs: number): void;
	/** The request never reached the service. */
	unused(): void;
}

/** The request would wait longer than it may; nothing was sent. */
export class WaitTooLongError extends Error {
	constructor(
		/** How long (ms) the request would have to wait still, at the least. */
		readonly retryAfterMs: number,
	) {
		super(`The wait would take at least ${Math.ceil(retryAfterMs / 1000)} s`);
		this.name = 'WaitTooLongError';
	}
}

/** One window as `status` reports it. */
export interface WindowStatus {
	limit: string;
	max: number;
	windowSeconds: number;
	used: number;
	remaining: number;
	availableInMs: number;
	queued: number;
}

export class KeyLimiter {
	private readonly windows = new Map<string, SlotWindow>();

	private readonly batches = new Batches();

	private readonly gate = new Gate();

	private readonly keyPause = new Pause();

	private readonly scopePauses = new Map<string, Pause>();

	/** Requests that wait, by scope; those without one under `GENERAL`. */
	private readonly waiting = new Map<string, number>();

	/** What the requests at the gate waited for last. */
	private lastCause: WaitCause | undefined;

	/** Keeps the process alive while requests wait; held slots alone do not. */
	private keepAlive: NodeJS.Timeout | undefined;

	constructor(
		private limits: Limits,
		/** Called when nothing is queued or held any more. */
		private readonly onIdle: () => void,
	) {}

	/** Uses these limits from now on; slots that are held stay held. */
	changeLimits(limits: Limits): void {
		this.limits = limits;
	}

	/**
	 * Resolves when a request may go out, with a slot in every window that applies.
	 * @throws WaitTooLongError when it would wait longer than `maxWaitMs`, the signal's reason when it
	 * aborts; no slot is taken then.
	 */
	async acquire(request: SlotRequest): Promise<Permit> {
		const { scope = GENERAL, maxWaitMs = Infinity } = request;
		request.signal.throwIfAborted();
		const ahead = this.batches.length(lineOf(request));
		const expectedMs = maxWaitMs === Infinity ? 0 : this.forecast(request, ahead);
		if (expectedMs > maxWaitMs) throw new WaitTooLongError(expectedMs);

		const bounded = this.boundedBy(request, maxWaitMs);
		const stages = new StageTimes();
		this.countWaiting(scope, 1);
		try {
			const line = lineOf(request);
			const slots = await this.batches.inTurn(line, bounded.signal, async () => {
				stages.end(this.causeOfQueue(scope));
				return await this.takeSlots(request, bounded.signal, stages);
			});
			return this.permit(request.scope, slots, stages);
		} finally {
			bounded.release();
			this.countWaiting(scope, -1);
		}
	}

	/** Lets no request of the scope out for `ms`, and none of the key while a general window lasts. */
	pause(scope: string | undefined, ms: number): void {
		const longestGeneralMs = longestWindowMs(this.limits, undefined);
		this.keyPause.extend(scope === undefined ? ms : Math.min(ms, longestGeneralMs));
		if (scope !== undefined) this.scopePause(scope).extend(ms);
		// Nothing else may happen at the end of a pause that outlasts the held slots.
		setTimeout(() => this.reportIfIdle(), Math.min(ms + 1, 2 ** 31 - 1)).unref();
	}

	/** One entry per window, general ones first. */
	status(): WindowStatus[] {
		const now = performance.now();
		const scopes = [undefined, ...Object.keys(this.limits.scopes)];
		return scopes.flatMap((scope) => {
			const queued = scope === undefined ? this.queued() : (this.waiting.get(scope) ?? 0);
			const windows = scope === undefined ? this.generalWindows() : this.scopeWindows(scope);
			const pause = scope === undefined ? this.keyPause : this.scopePauses.get(scope);
			return windows.map((window) => ({
				limit: window.name,
				max: window.max,
				windowSeconds: window.windowMs / 1000,
				used: window.used,
				remaining: Math.max(0, window.max - window.used),
				availableInMs: Math.ceil(
					Math.max(pause?.leftMs ?? 0, shortestWait([stateOf(window, now)], queued, now)),
				),
				queued,
			}));
		});
	}

	isIdle(): boolean {
		const isFree = [...this.windows.values()].every(({ used }) => used === 0);
		const isPaused = [this.keyPause, ...this.scopePauses.values()].some(({ leftMs }) => leftMs > 0);
		return isFree && !isPaused && this.waiting.size === 0;
	}

	private queued(): number {
		return [...this.waiting.values()].reduce((sum, count) => sum + count, 0);
	}

	/** The shortest wait (ms) before a request with `aheadInLine` others of its own line before it. */
	private forecast(request: SlotRequest, aheadInLine: number): number {
		const now = performance.now();
		const { scope } = request;
		const pauseMs = Math.max(
			this.keyPause.leftMs,
			scope === undefined ? 0 : this.scopePause(scope).leftMs,
		);
		const line = lineOf(request);
		const suffix = lineSuffix(scope);
		const others = this.batches.lengths((name) => name !== line && name.endsWith(suffix));
		// The lines take turns, and the first of each other line stands at the gate already.
		const ahead = others.reduce(
			(sum, length) => sum + Math.min(length, aheadInLine + 1),
			aheadInLine,
		);
		const wait = (windows: SlotWindow[], requests: number) =>
			shortestWait(
				windows.map((window) => stateOf(window, now)),
				requests,
				now,
			);
		const scopeMs = scope === undefined ? 0 : wait(this.scopeWindows(scope), ahead);
		return Math.max(pauseMs, scopeMs, wait(this.generalWindows(), scopeMs > 0 ? 0 : ahead));
	}

	private async takeSlots(
		request: SlotRequest,
		signal: AbortSignal,
		stages: StageTimes,
	): Promise<Slot[]> {
		const { scope, priority = 5 } = request;
		const scopeSlots: Slot[] = [];
		const generalSlots: Slot[] = [];
		const pause = scope === undefined ? undefined : this.scopePause(scope);
		try {
			if (scope !== undefined) await takeEach(this.scopeWindows(scope), scopeSlots, signal, stages);
			do {
				// A refusal of the scope may have come while this request stood at the gate.
				freeAll(generalSlots);
				await pause?.passed(signal);
				stages.end(REFUSAL);
				await this.gate.pass(priority, signal, async () => {
					await this.takeGeneralSlots(generalSlots, signal, stages);
				});
			} while (pause !== undefined && pause.leftMs > 0);
			return [...scopeSlots, ...generalSlots];
		} catch (error) {
			freeAll(scopeSlots);
			freeAll(generalSlots);
			throw error;
		}
	}

	private async takeGeneralSlots(
		slots: Slot[],
		signal: AbortSignal,
		stages: StageTimes,
	): Promise<void> {
		stages.end(this.lastCause);
		await takeEach(this.generalWindows(), slots, signal, stages);
		if (this.keyPause.leftMs > 0) {
			await this.keyPause.passed(signal);
			stages.end(REFUSAL);
		}
		this.lastCause = stages.longest() ?? this.lastCause;
	}

	private permit(scope: string | undefined, slots: Slot[], stages: StageTimes): Permit {
		const sentAt = performance.now();
		const pauses = [this.keyPause, ...(scope === undefined ? [] : [this.scopePause(scope)])];
		const holdAll = (lateMs: number) => slots.forEach((slot) => slot.hold(lateMs));
		return {
			waitedMs: stages.totalMs,
			waitedFor: stages.longest(),
			letThrough: () => {
				holdAll(0);
				pauses.forEach((pause) => pause.letThrough(sentAt));
			},
			refused: () => {
				holdAll(0);
				return Math.max(...pauses.map((pause) => pause.refused(sentAt)));
			},
			lost: holdAll,
			unused: () => freeAll(slots),
		};
	}

	/** The request's signal, which also aborts when it has waited for `maxWaitMs`. */
	private boundedBy(request: SlotRequest, maxWaitMs: number) {
		const controller = abortController();
		const onAbort = () => controller.abort(request.signal.reason);
		request.signal.addEventListener('abort', onAbort, { once: true });
		const onTimeout = () =>
			controller.abort(new WaitTooLongError(Math.max(1, this.forecast(request, 0))));
		const timer = maxWaitMs < 2 ** 31 ? setTimeout(onTimeout, maxWaitMs) : undefined;
		return {
			signal: controller.signal,
			release: () => {
				clearTimeout(timer);
				request.signal.removeEventListener('abort', onAbort);
			},
		};
	}

	private causeOfQueue(scope: string): WaitCause | undefined {
		const [window] = scope === GENERAL ? [] : this.scopeWindows(scope);
		return window ?? this.lastCause;
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

	private scopePause(scope: string): Pause {
		let pause = this.scopePauses.get(scope);
		if (pause === undefined) this.scopePauses.set(scope, (pause = new Pause()));
		return pause;
	}

	private generalWindows(): SlotWindow[] {
		return this.findWindows(GENERAL, this.limits.general);
	}

	private scopeWindows(scope: string): SlotWindow[] {
		return this.findWindows(scope, this.limits.scopes[scope] ?? []);
	}

	/** The windows of these limits, longest first, made on first use. */
	private findWindows(scope: string, limits: Limits['general']): SlotWindow[] {
		const windows = limits.map((limit) => {
			const name = windowName(scope, limit);
			let window = this.windows.get(name);
			if (window === undefined) {
				window = new SlotWindow(name, limit, () => this.reportIfIdle());
				this.windows.set(name, window);
			}
			window.changeMax(limit.max);
			return window;
		});
		return windows.sort((a, b) => b.windowMs - a.windowMs);
	}
}

const LINE_SEPARATOR = '\n';

function lineOf({ batch, scope }: SlotRequest): string {
	return batch + lineSuffix(scope);
}

function lineSuffix(scope: string | undefined): string {
	return LINE_SEPARATOR + (scope ?? GENERAL);
}

/** Takes a slot in each window, all at once: each window serves its callers in the same order. */
async function takeEach(
	windows: SlotWindow[],
	slots: Slot[],
	signal: AbortSignal,
	stages: StageTimes,
): Promise<void> {
	let last: SlotWindow | undefined;
	const takes = windows.map(async (window) => {
		const slot = await window.take(signal);
		slots.push(slot);
		// Granted in the very moment of the abort: whoever frees the slots may have done so already.
		if (signal.aborted) slot.free();
		last = window;
	});
	await Promise.all(takes);
	signal.throwIfAborted();
	stages.end(last);
}

function freeAll(slots: Slot[]): void {
	for (const slot of slots.splice(0)) slot.free();
}

function stateOf(window: SlotWindow, now: number) {
	return { max: window.max, holdMs: window.holdMs, freeTimes: window.freeTimes(now) };
}
