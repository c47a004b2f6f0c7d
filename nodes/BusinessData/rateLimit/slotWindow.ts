/**
 * One limit over one window, on a Bottleneck limiter: a slot is a running job, and `maxConcurrent` is
 * the limit. A slot is held from the moment a request goes out until the window has passed after its
 * response, so the service never sees more than `max` requests in any window, wherever it counts.
 */
import { onceAborted } from './abort';
import { Semaphore } from './semaphore';

/** At most `max` requests in any `windowMs` milliseconds. */
export interface Limit {
	max: number;
	windowMs: number;
}

/** One place in a window. Exactly one of the two ways to give it back takes effect, the first called. */
export interface Slot {
	/** Gives the slot back `windowMs` plus the margin plus `lateMs` (ms) from now. */
	hold(lateMs: number): void;
	/** Gives the slot back at once: no request was counted for it. */
	free(): void;
}

/** A slot that is taken: `freeAt` (ms, `performance.now()`) is known once the response has arrived. */
interface TakenSlot {
	freeAt: number | undefined;
}

/** Node's timers hold no more than 2³¹ − 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const SHORTEST_MARGIN_MS = 10;
const LONGEST_MARGIN_OF_TIMERS_MS = 100;
/** Two clocks may run apart by up to half a millisecond per second while one of them is adjusted. */
const CLOCK_DRIFT = 0.0005;

/** The margin (ms) added to a window of `windowMs`, for timers and for the drift between two clocks. */
export function marginOf(windowMs: number): number {
	const forTimers = Math.min(LONGEST_MARGIN_OF_TIMERS_MS, windowMs * 0.02);
	return Math.max(SHORTEST_MARGIN_MS, forTimers, windowMs * CLOCK_DRIFT);
}

export class SlotWindow {
	private readonly places: Semaphore;

	private readonly taken = new Set<TakenSlot>();

	constructor(
		readonly name: string,
		private limit: Limit,
		/** Called after a slot was given back. */
		private readonly onFreed: () => void,
	) {
		this.places = new Semaphore(limit.max);
	}

	get max(): number {
		return this.limit.max;
	}

	get windowMs(): number {
		return this.limit.windowMs;
	}

	get used(): number {
		return this.taken.size;
	}

	/** How long (ms) a slot stays taken after its response. */
	get holdMs(): number {
		return this.limit.windowMs + marginOf(this.limit.windowMs);
	}

	/** Lets at most `max` requests through from now on; what is held already stays held. */
	changeMax(max: number): void {
		if (max === this.limit.max) return;
		this.limit = { ...this.limit, max };
		this.places.changeMax(max);
	}

	/**
	 * Resolves with a slot when one is free, in the order of the calls.
	 * @throws the signal's reason as soon as it aborts; the slot that comes later is not taken.
	 */
	async take(signal: AbortSignal): Promise<Slot> {
		const granted = new Promise<Slot>((grant, fail) => {
			this.places
				.run(async () => {
					if (signal.aborted) return;
					await new Promise<void>((giveBack) => grant(this.slot(giveBack)));
				})
				.catch(fail);
		});
		try {
			return await onceAborted(granted, signal);
		} catch (error) {
			// Granted in the very moment of the abort: nobody will use it.
			if (signal.aborted) void granted.then((slot) => slot.free());
			throw error;
		}
	}

	/**
	 * The moments (ms, `performance.now()`) at which the taken slots come free at the earliest,
	 * in order. A request still under way is taken to be answered at `now`.
	 */
	freeTimes(now: number): number[] {
		const soonest = now + this.holdMs;
		return [...this.taken].map(({ freeAt }) => freeAt ?? soonest).sort((a, b) => a - b);
	}

	private slot(giveBack: () => void): Slot {
		const record: TakenSlot = { freeAt: undefined };
		this.taken.add(record);
		let isOver = false;
		const free = () => {
			this.taken.delete(record);
			giveBack();
			this.onFreed();
		};
		const freeWhenDue = () => {
			// A timer counts from the start of its event-loop turn, so it may fire a little early.
			const leftMs = (record.freeAt ?? 0) - performance.now();
			if (leftMs <= 0) free();
			else setTimeout(freeWhenDue, Math.min(Math.ceil(leftMs), LONGEST_TIMER_MS)).unref();
		};
		const once = (action: () => void) => () => {
			if (isOver) return;
			isOver = true;
			action();
		};
		return {
			hold: (lateMs) =>
				once(() => {
					record.freeAt = performance.now() + this.holdMs + lateMs;
					freeWhenDue();
				})(),
			free: once(free),
		};
	}
}
