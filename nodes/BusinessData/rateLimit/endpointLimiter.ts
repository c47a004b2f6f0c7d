/**
 * The windows of an endpoint, or of all requests of a key, and what is known about other clients. Several credentials may
 * have different limits for one key, so a window counts every request, and each request brings its own limits.
 */
import type { Limit, NamedLimit } from './limits';
import { OtherClients } from './otherClients';
import { Tickets } from './tickets';
import { PAUSE, REFUSAL, type WaitCause } from './waitTime';
import { type SlotHolder, Window } from './window';

/** The limits of an endpoint, or the general ones, that apply to a request; longest window first. */
export interface AppliedLimits {
	endpoint: EndpointLimiter;
	limits: NamedLimit[];
}

/** The requests to an endpoint, of this process or of all that share a limit store. */
export interface EndpointUse extends AppliedLimits {
	/** When (ms, `performance.now()`) the service counted each, at the latest. */
	countedAt: number[];
	queued: number;
	tickets: Tickets;
	/** Changes whenever the tickets in the limit store do. */
	version: number;
}

/** Why no request may go now, and in how long (ms) to check again unless a slot is freed or a request ends before. */
export interface Obstacle {
	cause: WaitCause | undefined;
	againMs: number;
}

export class EndpointLimiter {
	readonly otherClients = new OtherClients();
	/** Tickets issued without a limit store; with one, Redis keeps them. */
	readonly tickets = new Tickets();
	/** By window length (ms). */
	private readonly windows = new Map<number, Window>();

	/** @param onFreed called after a slot was freed */
	constructor(
		readonly key: string,
		private readonly onFreed: () => void,
	) {}

	/** @param name the endpoint as users see it */
	under(limits: Limit[], name: string): AppliedLimits {
		const named = limits.map((one) => ({ ...one, name: `${name}/${one.windowMs / 1000}s` }));
		return { endpoint: this, limits: named.sort((a, b) => b.windowMs - a.windowMs) };
	}

	/** The requests that have a slot in any window, oldest first. */
	get holders(): SlotHolder[] {
		return [...new Set([...this.windows.values()].flatMap(({ holders }) => holders))];
	}

	/** Takes a slot in every window; the windows of `limits` must have room. */
	async take(holder: SlotHolder, limits: Limit[]): Promise<void> {
		const maxOf = new Map(limits.map((limit) => [this.window(limit), limit.max]));
		const all = [...this.windows.values()];
		await Promise.all(all.map(async (window) => await window.take(holder, maxOf.get(window))));
	}

	freeInTime(holder: SlotHolder): void {
		for (const window of this.windows.values()) window.freeInTime(holder);
	}

	/** A pause, a full window if `checksWindows`, or, beside other clients, a request that has to end first. */
	obstacle(limits: NamedLimit[], checksWindows: boolean): Obstacle | undefined {
		const { otherClients } = this;
		const { isKnown, isRefusing, isUnderWay, forgottenInMs } = otherClients;
		const pausedMs = otherClients.waitMs(limits);
		if (pausedMs > 0) return { cause: isKnown || isRefusing ? REFUSAL : PAUSE, againMs: pausedMs };
		const full = limits.find((limit) => this.window(limit).used >= otherClients.roomIn(limit));
		if (full !== undefined && checksWindows) {
			// Room also grows as the estimate of other clients fades.
			return { cause: full, againMs: isKnown ? full.windowMs / full.max : Infinity };
		}
		return isUnderWay ? { cause: REFUSAL, againMs: forgottenInMs } : undefined;
	}

	/** How long (ms) this object must be kept; Infinity while slots are taken. */
	get keepMs(): number {
		if ([...this.windows.values()].some(({ used }) => used > 0)) return Infinity;
		return Math.max(0, this.otherClients.forgottenInMs, this.tickets.lapsedInMs);
	}

	/** The window of a limit. A new one starts with the slots of the others. */
	window(limit: Limit): Window {
		const known = this.windows.get(limit.windowMs);
		if (known !== undefined) return known;
		const window = new Window({ ...limit }, this.onFreed);
		// Set before it is filled, because that may free slots at once.
		this.windows.set(limit.windowMs, window);
		for (const holder of this.holders) window.take(holder).catch(() => undefined);
		return window;
	}
}
