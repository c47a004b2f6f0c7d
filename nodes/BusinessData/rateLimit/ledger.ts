/**
 * A count of held slots that several processes share, on top of each one's own windows. The windows of
 * this process stay underneath, so a ledger that lost its data cannot make it exceed a limit alone.
 */
import type { RedisError } from '../redis/redisError';

/** One window as the ledger counts it. */
export interface LedgerWindow {
	name: string;
	max: number;
	windowMs: number;
	/** How long (ms) a slot stays taken after its response. */
	holdMs: number;
}

export interface LedgerRequest {
	/** Unique over all processes; a `take` that is repeated with the same ID takes no second slot. */
	id: string;
	/** Stands for the key, see `Account.identity`. */
	identity: string;
	scope: string | undefined;
	scopeWindows: LedgerWindow[];
	generalWindows: LedgerWindow[];
	/** How long (ms) the request may be under way: the slots of a process that died are held so long. */
	inFlightMs: number;
}

/** What came of one try to take a slot in all windows. */
export type LedgerReply =
	| { isTaken: true }
	| {
			isTaken: false;
			/** The window that is full. */
			window: LedgerWindow;
			/** Whether it is one of the scope, for which the request must not hold up others. */
			isOfScope: boolean;
			/** How long (ms) it takes at the least until it is this request's turn. */
			waitMs: number;
			/** After what time (ms) to try again, so that the place in the queue is kept. */
			retryMs: number;
	  };

export interface LedgerUse {
	used: number;
	/** How long (ms) it takes until a slot is free; 0 when one is. */
	availableInMs: number;
}

export interface Ledger {
	/**
	 * Tries once to take a slot in every window of the request, or in none.
	 * @throws RedisError when the ledger cannot be reached for a bounded time, or the signal's reason
	 */
	take(request: LedgerRequest, signal: AbortSignal): Promise<LedgerReply>;
	/** Holds the slots for their window plus `lateMs` (ms) from now. Nothing waits for it. */
	hold(request: LedgerRequest, lateMs: number): void;
	/** Gives up slots and places in queues at once. Nothing waits for it. */
	free(request: LedgerRequest): void;
	/** How many slots of each window all processes hold together. @throws RedisError */
	use(identity: string, windows: LedgerWindow[]): Promise<LedgerUse[]>;
	/** What is in the way at this moment, for a request whose time is up. */
	trouble(): RedisError | undefined;
}
