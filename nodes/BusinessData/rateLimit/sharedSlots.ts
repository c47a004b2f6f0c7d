/** The slots of one request in the ledger that processes share; without a ledger there are none. */
import { randomUUID } from 'node:crypto';

import { sleep } from './abort';
import type { Ledger, LedgerRequest, LedgerWindow } from './ledger';
import type { SlotWindow } from './slotWindow';
import { WaitTooLongError } from './waitTooLongError';

const PROCESS_ID = randomUUID();
let lastRequest = 0;

/** What the ledger needs to know of a request. */
interface SharedRequest {
	identity: string;
	scope: string | undefined;
	scopeWindows: SlotWindow[];
	generalWindows: SlotWindow[];
	inFlightMs: number;
}

export class SharedSlots {
	/** What the ledger may know of; undefined when it knows nothing. */
	private known: LedgerRequest | undefined;

	constructor(
		private readonly ledger: Ledger | undefined,
		private readonly request: SharedRequest,
		/** The moment (ms, `performance.now()`) up to which the request may wait. */
		private readonly deadline: number,
	) {}

	/**
	 * Takes the slots, waiting for general windows as long as it takes.
	 * @param onFull called with the window that was waited for
	 * @returns 0, or how long (ms) to wait for a window of the scope before the next try
	 * @throws RedisError, WaitTooLongError, or the signal's reason
	 */
	async take(signal: AbortSignal, onFull: (window: LedgerWindow) => void): Promise<number> {
		if (this.ledger === undefined) return 0;
		this.known ??= toLedgerRequest(this.request);
		for (;;) {
			const reply = await this.ledger.take(this.known, signal);
			if (reply.isTaken) return 0;
			onFull(reply.window);
			if (performance.now() + reply.waitMs > this.deadline) {
				throw new WaitTooLongError(reply.waitMs);
			}
			if (reply.isOfScope) return reply.retryMs;
			await sleep(reply.retryMs, signal);
		}
	}

	hold(lateMs: number): void {
		if (this.known !== undefined) this.ledger?.hold(this.known, lateMs);
	}

	free(): void {
		if (this.known === undefined) return;
		this.ledger?.free(this.known);
		// Repeated after a lost connection, it may come late: what is taken from now on gets another ID, so
		// that it is not freed by it.
		this.known = undefined;
	}
}

function toLedgerRequest(request: SharedRequest): LedgerRequest {
	return {
		...request,
		id: `${PROCESS_ID}:${++lastRequest}`,
		scopeWindows: request.scopeWindows.map(toLedgerWindow),
		generalWindows: request.generalWindows.map(toLedgerWindow),
	};
}

function toLedgerWindow({ name, max, holdMs, windowMs }: SlotWindow): LedgerWindow {
	return { name, max, holdMs, windowMs };
}
