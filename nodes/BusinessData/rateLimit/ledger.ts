/**
 * A count of held slots that several processes share, on top of each one's own windows. The windows of
 * this process stay underneath, so a ledger that lost its data cannot make it exceed a limit alone.
 */
import type { RedisError } from '../redis';

/** One window as the ledger counts it. */
export interface LedgerWindow {
	name: string;
	max: number;
	/** How many of our requests it takes beside those of others; `max` where nothing is known of any. */
	readonly room: number;
	windowMs: number;
	/** How long (ms) a slot stays taken after its response. */
	holdMs: number;
}

/** What one process has learned of others, for all. */
export interface Learned {
	/** As a text that another process understands. */
	readonly state: string;
	/** Takes over what another process learned `ageMs` (ms) ago. */
	adopt(state: string, ageMs: number): void;
	/** After how long (ms) the next request of ours goes; 0 as long as nothing is known of others. */
	everyMs(windows: LedgerWindow[]): number;
}

/** The windows of a scope, or the general ones, as they count a request. */
export interface LedgerStage {
	/** Its name: that of the scope, or `GENERAL`. */
	name: string;
	windows: LedgerWindow[];
	foreign: Learned;
}

export interface LedgerRequest {
	/** Stands for the key, see `Account.identity`. */
	identity: string;
	/** Of the scope, if it has windows. */
	scope: LedgerStage | undefined;
	general: LedgerStage;
	/** How long (ms) the request may be under way: the slots of a process that died are held so long. */
	inFlightMs: number;
}

/** Who waits for room elsewhere, see `KeyLimiter.promise`. */
export interface LedgerPromise {
	identity: string;
	scope: LedgerStage | undefined;
	general: LedgerStage;
	name: string;
	/** For how many requests. */
	count: number;
	/** How long (ms) the wait is by what this process knows. */
	localMs: number;
	/** How long (ms) it may be; nothing is promised when it is longer. */
	maxWaitMs: number;
}

/** What came of one try to take a slot in all windows. */
export type LedgerReply =
	| {
			isTaken: true;
			/** How many slots all processes hold in each window, those of the scope first. */
			used: number[];
	  }
	| {
			isTaken: false;
			/** The window that is full; undefined when nobody goes for a moment. */
			window: LedgerWindow | undefined;
			/** Whether it is one of the scope, for which the request must not hold up others. */
			isOfScope: boolean;
			/** How long (ms) it takes at the least until it is this request's turn. */
			waitMs: number;
			/** After what time (ms) to try again, so that the place in the queue is kept. */
			retryMs: number;
	  };

/** One request of this process, as the ledger knows it. */
export interface SharedRequest {
	/** From now on, whoever of another process comes to the scope later goes later. */
	standInLine(): void;
	/**
	 * Tries once to take a slot in every window of the request, or in none.
	 * @throws RedisError when the ledger cannot be reached for a bounded time, or the signal's reason
	 */
	take(signal: AbortSignal): Promise<LedgerReply>;
	/** Tells all processes what this one has learned of others. Nothing waits for it. */
	tell(): void;
	/** Holds the slots for their window plus `lateMs` (ms) from now. Nothing waits for it. */
	hold(lateMs: number): void;
	/** Gives up slots and places in queues at once. Nothing waits for it. */
	free(): void;
}

export interface LedgerUse {
	used: number;
	/** How long (ms) it takes until a slot is free; 0 when one is. */
	availableInMs: number;
}

export interface Ledger {
	request(request: LedgerRequest): SharedRequest;
	/** Returns how long (ms) it takes until there is room, and makes later promises later. @throws RedisError */
	promise(promise: LedgerPromise): Promise<number>;
	/** Takes a promise of room in the scope back. @throws RedisError */
	withdraw(identity: string, scope: string, name: string): Promise<void>;
	/** How many slots of each window all processes hold together. @throws RedisError */
	use(identity: string, windows: LedgerWindow[]): Promise<LedgerUse[]>;
	/** What is in the way at this moment, for a request whose time is up. */
	trouble(): RedisError | undefined;
}
