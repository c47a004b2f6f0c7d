/**
 * One limit over one window, on a Bottleneck limiter: a slot is a running job, and `maxConcurrent` is
 * the limit. A slot is held from the moment a request goes out until the window has passed after its
 * response, so the service never sees more than `max` requests in any window, wherever it counts.
 */
import { HeldSlots } from './heldSlots';
import { Semaphore } from './semaphore';
import { WaitingLine } from './waitingLine';

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

	private readonly waiting = new WaitingLine<Slot>();

	/** Whether a job stands in Bottleneck's queue, for whoever is the first in line when it has a place. */
	private isAsking = false;

	/** How many slots are taken by requests whose response has not arrived. */
	private underWay = 0;

	private readonly held: HeldSlots;

	constructor(
		readonly name: string,
		private limit: Limit,
		/** Called after slots were given back. */
		private readonly onFreed: () => void,
	) {
		this.places = new Semaphore(limit.max, (fault) => this.fail(fault));
		this.held = new HeldSlots(onFreed);
	}

	get max(): number {
		return this.limit.max;
	}

	get windowMs(): number {
		return this.limit.windowMs;
	}

	get used(): number {
		return this.underWay + this.held.count;
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
	 * @throws the signal's reason when it aborts before
	 */
	async take(signal: AbortSignal): Promise<Slot> {
		const slot = this.waiting.wait(signal);
		this.askForPlace();
		return await slot;
	}

	/**
	 * The moments (ms, `performance.now()`) at which the taken slots come free at the earliest,
	 * in order. A request still under way is taken to be answered at `now`.
	 */
	freeTimes(now: number): number[] {
		const soonest = new Array<number>(this.underWay).fill(now + this.holdMs);
		return [...this.held.freeTimes, ...soonest].sort((a, b) => a - b);
	}

	/**
	 * Asks Bottleneck for one place at a time: those who wait do so in a line that they can leave, which
	 * Bottleneck's queue has no way for.
	 */
	private askForPlace(): void {
		if (this.isAsking || this.waiting.length === 0) return;
		this.isAsking = true;
		this.places
			.run(async () => {
				this.isAsking = false;
				await new Promise<void>((giveBack) => this.grant(giveBack));
			})
			.catch((fault) => this.fail(fault));
	}

	/** A fault of Bottleneck's own is the error of whoever waits. */
	private fail(fault: unknown): void {
		this.isAsking = false;
		this.waiting.reject(fault);
		this.askForPlace();
	}

	/** Gives the place to the first in line, or back when nobody wants it any more. */
	private grant(giveBack: () => void): void {
		this.underWay++;
		if (!this.waiting.letIn(this.slot(giveBack))) {
			this.underWay--;
			giveBack();
		}
		this.askForPlace();
	}

	private slot(giveBack: () => void): Slot {
		let isOver = false;
		const end = (): boolean => {
			if (isOver) return false;
			isOver = true;
			this.underWay--;
			return true;
		};
		return {
			hold: (lateMs) => {
				if (end()) this.held.add(performance.now() + this.holdMs + lateMs, giveBack);
			},
			free: () => {
				if (!end()) return;
				giveBack();
				this.onFreed();
			},
		};
	}
}
