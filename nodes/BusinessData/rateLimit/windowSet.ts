/** All windows of one key, made on first use. */
import { shortestWait } from './forecast';
import { GENERAL, type Limits, windowName } from './limits';
import { type Limit, type Slot, SlotWindow } from './slotWindow';

export class WindowSet {
	private readonly windows = new Map<string, SlotWindow>();

	/** The windows under the limits of now, by scope, as far as they were asked for. */
	private readonly found = new Map<string, SlotWindow[]>();

	constructor(
		private limits: Limits,
		/** Called after slots were given back. */
		private readonly onFreed: () => void,
	) {}

	/** Uses these limits from now on; slots that are held stay held. */
	changeLimits(limits: Limits): void {
		if (limits === this.limits) return;
		this.limits = limits;
		this.found.clear();
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
		const known = this.found.get(scope);
		if (known !== undefined) return known;
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
		windows.sort((a, b) => b.windowMs - a.windowMs);
		this.found.set(scope, windows);
		return windows;
	}
}

/** The shortest wait (ms) for a slot in each of the windows with `ahead` requests before. */
export function waitFor(windows: SlotWindow[], ahead: number): number {
	const now = performance.now();
	// A window that has room for all of them needs no closer look.
	if (windows.every(({ used, max }) => used + ahead < max)) return 0;
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
