/** The slots of one request in the ledger that processes share; without a ledger there are none. */
import { randomUUID } from 'node:crypto';

import { sleep } from './abort';
import type { Ledger, LedgerRequest, LedgerWindow } from './ledger';
import type { SlotWindow } from './slotWindow';
import { WaitTooLongError } from './waitTooLongError';

const PROCESS_ID = randomUUID();
let lastRequest = 0;

export class SharedSlots {
	private request: LedgerRequest;

	/** Whether the ledger may know the request. */
	private isKnown = false;

	constructor(
		private readonly ledger: Ledger | undefined,
		request: {
			identity: string;
			scope: string | undefined;
			scopeWindows: SlotWindow[];
			generalWindows: SlotWindow[];
			inFlightMs: number;
		},
		/** The moment (ms, `performance.now()`) up to which the request may wait. */
		private readonly deadline: number,
	) {
		this.request = {
			...request,
			id: nextId(),
			scopeWindows: request.scopeWindows.map(toLedgerWindow),
			generalWindows: request.generalWindows.map(toLedgerWindow),
		};
	}

	/**
	 * Takes the slots, waiting for general windows as long as it takes.
	 * @param onFull called with the window that was waited for
	 * @returns 0, or how long (ms) to wait for a window of the scope before the next try
	 * @throws LedgerError, WaitTooLongError, or the signal's reason
	 */
	async take(signal: AbortSignal, onFull: (window: LedgerWindow) => void): Promise<number> {
		if (this.ledger === undefined) return 0;
		this.isKnown = true;
		for (;;) {
			const reply = await this.ledger.take(this.request, signal);
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
		this.ledger?.hold(this.request, lateMs);
	}

	free(): void {
		if (!this.isKnown) return;
		this.ledger?.free(this.request);
		// Repeated after a lost connection, it may come late: it must not free what is taken from now on.
		this.request = { ...this.request, id: nextId() };
		this.isKnown = false;
	}
}

function nextId(): string {
	return `${PROCESS_ID}:${++lastRequest}`;
}

function toLedgerWindow({ name, max, holdMs, windowMs }: SlotWindow): LedgerWindow {
	return { name, max, holdMs, windowMs };
}
