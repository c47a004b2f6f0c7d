/** The state of the requests of one scope of a key, or of all requests under the name `GENERAL`. */
import { KeyedMutex } from '../async';
import { atMost } from './bottleneck';
import { OtherClients } from './otherClients';
import { type Limit, windowName } from './limits';
import { Tickets } from './tickets';
import { type WaitCause, WaitTooLongError } from './waitTime';
import { Slot, Window } from './window';

export class Scope {
	/** The waiting requests: a queue per run. */
	readonly runs = new KeyedMutex();

	/** The estimate of what other clients use. */
	readonly otherClients = new OtherClients();

	/** The version of the last snapshot in Redis that is merged. */
	otherClientsVersion = '0';

	/** Tickets without a limit store; Redis keeps the others. */
	readonly tickets = new Tickets();

	/** What the request that is in the gate has waited for most. */
	lastCause: WaitCause | undefined;

	/** By length (ms). Each counts all requests, whichever limits they are under, as limits may be edited. */
	private readonly windows = new Map<number, Window>();

	/** The slots in any window, oldest first. */
	private readonly slots = new Set<Slot>();

	/** By limits: a run with narrower limits has its own gate, so that it holds up no other run. */
	private readonly stages = new Map<string, Stage>();

	constructor(
		/** One name for all spellings of the scope. */
		readonly key: string,
		/** The name as users see it. */
		private readonly name: string,
		/** Called after a slot was given back. */
		private readonly onFreed: () => void,
	) {}

	/** The scope under the limits of a request. */
	under(limits: Limit[]): Stage {
		const name = JSON.stringify(limits.map(({ max, windowMs }) => [max, windowMs]));
		const stage = this.stages.get(name) ?? new Stage(this, this.windowsUnder(limits));
		this.stages.set(name, stage);
		return stage;
	}

	/** Takes a slot in every window; in those of the limits there must be room. */
	take(limits: LimitedWindow[]): Slot {
		const slot = new Slot(() => this.slots.delete(slot));
		this.slots.add(slot);
		for (const window of this.windows.values()) {
			window.add(slot, limits.find((limit) => limit.window === window)?.max);
		}
		return slot;
	}

	/** How long (ms) the scope must be kept; Infinity while slots are taken or requests wait. */
	get restMs(): number {
		const isUsed = [...this.windows.values()].some(({ used }) => used > 0);
		if (isUsed || this.runs.size > 0) return Infinity;
		return Math.max(0, this.otherClients.forgottenInMs, this.tickets.lapsedInMs);
	}

	/** Longest first. */
	private windowsUnder(limits: Limit[]): LimitedWindow[] {
		const windows = limits.map((limit) => {
			const name = windowName(this.name, limit);
			return new LimitedWindow(name, limit.max, limit.windowMs, this.window(limit), this);
		});
		return windows.sort((a, b) => b.windowMs - a.windowMs);
	}

	private window({ windowMs, max }: Limit): Window {
		const known = this.windows.get(windowMs);
		if (known !== undefined) return known;
		const window = new Window(windowMs, max, this.onFreed);
		this.windows.set(windowMs, window);
		const now = performance.now();
		for (const slot of this.slots) {
			if ((slot.countedAt ?? now) + window.holdMs > now) window.add(slot);
		}
		return window;
	}
}

/** A window under the limit of a request. */
export class LimitedWindow {
	constructor(
		/** For example `general/60s`. */
		readonly name: string,
		readonly max: number,
		readonly windowMs: number,
		/** Counts the requests under any limit. */
		readonly window: Window,
		readonly scope: Scope,
	) {}

	/** How long (ms) a slot stays taken after its response. */
	get holdMs(): number {
		return this.window.holdMs;
	}

	get otherClients(): OtherClients {
		return this.scope.otherClients;
	}

	/** How many of our requests fit beside those of other clients. */
	get room(): number {
		return this.otherClients.roomIn(this);
	}
}

/** A scope under the limits of a request: its windows, longest first, and its gate. */
export class Stage {
	/** Lets one request pass at a time. */
	readonly gate = atMost(1);

	constructor(
		readonly scope: Scope,
		readonly windows: LimitedWindow[],
	) {}

	get otherClients(): OtherClients {
		return this.scope.otherClients;
	}

	/** How long (ms) nothing goes, whatever room there is. */
	get pausedMs(): number {
		return this.otherClients.waitMs(this.windows);
	}
}

/** The stages that a request passes. */
export class Stages {
	/** In the order in which they are passed. */
	readonly all: Stage[];

	/** Windows of the scope first. */
	readonly windows: LimitedWindow[];

	constructor(
		/** The stage of the request's scope, if the scope has windows. */
		readonly scope: Stage | undefined,
		readonly general: Stage,
		/** The request's scope, if at most the limits of other requests have windows there. */
		readonly unlimited?: Scope,
	) {
		this.all = scope === undefined ? [general] : [scope, general];
		this.windows = this.all.flatMap(({ windows }) => windows);
	}

	/** Takes a slot in each stage; there must be room. */
	take(): Slot[] {
		const slots = this.all.map(({ scope, windows }) => scope.take(windows));
		return this.unlimited === undefined ? slots : [...slots, this.unlimited.take([])];
	}

	/** The first stage. */
	get own(): Stage {
		return this.scope ?? this.general;
	}

	/** How long (ms) nothing goes, whatever room there is. */
	get pausedMs(): number {
		return Math.max(...this.all.map(({ pausedMs }) => pausedMs));
	}

	/**
	 * @param leftMs how long (ms) the request may wait
	 * @throws WaitTooLongError during a pause that is longer than that, or than any of the windows lasts
	 */
	refuseLongPause(leftMs = Infinity): void {
		const { pausedMs } = this;
		const isLong = this.windows.every(({ holdMs }) => pausedMs > holdMs);
		if (pausedMs > 0 && (isLong || pausedMs > leftMs)) throw new WaitTooLongError(pausedMs, isLong);
	}
}
