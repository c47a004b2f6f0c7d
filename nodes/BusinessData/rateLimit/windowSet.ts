/** All windows of one key, made on first use. */
import { shortestWait } from './forecast';
import { GENERAL, type Limits, windowName } from './limits';
import { type Limit, type Slot, SlotWindow } from './slotWindow';

export class WindowSet {
	private readonly windows = new Map<string, SlotWindow>();

	constructor(
		private limits: Limits,
		/** Called after a slot was given back. */
		private readonly onFreed: () => void,
	) {}

	/** Uses these limits from now on; slots that are held stay held. */
	changeLimits(limits: Limits): void {
		this.limits = limits;
	}

	/** The scopes that have windows of their own. */
	get scopes(): string[] {
		return Object.keys(this.limits.scopes);
	}

	/** The windows that count every request, longest first. */
	general(): SlotWindow[] {
		return this.find(GENERAL, this.limits.general);
	}

	/** The windows that count the requests of a scope in addition, longest first. */
	ofScope(scope: string | undefined): SlotWindow[] {
		return scope === undefined ? [] : this.find(scope, this.limits.scopes[scope] ?? []);
	}

	/** Whether no slot is held. */
	areFree(): boolean {
		return [...this.windows.values()].every(({ used }) => used === 0);
	}

	private find(scope: string, limits: Limit[]): SlotWindow[] {
		const windows = limits.map((limit) => {
			const name = windowName(scope, limit);
			let window = this.windows.get(name);
			if (window === undefined) {
				window = new SlotWindow(name, limit, this.onFreed);
				this.windows.set(name, window);
			}
			window.changeMax(limit.max);
			return window;
		});
		return windows.sort((a, b) => b.windowMs - a.windowMs);
	}
}

/** The shortest wait (ms) for a slot in each of the windows with `ahead` requests before. */
export function waitFor(windows: SlotWindow[], ahead: number): number {
	const now = performance.now();
	const states = windows.map((window) => ({
		max: window.max,
		holdMs: window.holdMs,
		freeTimes: window.freeTimes(now),
	}));
	return shortestWait(states, ahead, now);
}

/**
 * Takes a slot in each window, all at once: each window serves its callers in the same order.
 * @param slots receives them as they are taken, also when the rest fails
 * @returns the window that was the last to have a free slot
 * @throws the signal's reason when it aborts
 */
export async function takeEach(
	windows: SlotWindow[],
	slots: Slot[],
	signal: AbortSignal,
): Promise<SlotWindow | undefined> {
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
	return last;
}

/** Gives all slots back at once, and empties the list. */
export function freeAll(slots: Slot[]): void {
	for (const slot of slots.splice(0)) slot.free();
}
