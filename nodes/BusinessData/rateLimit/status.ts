/** What the windows of a key look like from outside. */
import { waitFor } from './forecast';
import type { LedgerUse } from './ledger';
import type { LimitedWindow } from './window';

export interface WindowStatus {
	/** For example `general/60s`. */
	limit: string;
	max: number;
	windowSeconds: number;
	/** Slots held: by this process, or by all that share the ledger. */
	used: number;
	/** How many of the limit others, such as a second program, seem to use; known by refusals. */
	usedByOthers: number;
	remaining: number;
	/** When (ms from now) one more request can go out at the earliest. */
	availableInMs: number;
	/** Requests of this process that wait. */
	queued: number;
}

interface Entry {
	window: LimitedWindow;
	queued: number;
	/** How long (ms) nothing may go after a refusal; 0 without one. */
	pausedMs: number;
}

/** @param uses what all processes hold of each window, when they share a ledger */
export function statusOf(entries: Entry[], uses: LedgerUse[] | undefined): WindowStatus[] {
	return entries.map(({ window, queued, pausedMs }, index) => {
		const shared = uses?.[index];
		const used = Math.max(window.window.used, shared?.used ?? 0);
		const waitMs = Math.max(pausedMs, waitFor([window], queued), shared?.availableInMs ?? 0);
		return {
			limit: window.name,
			max: window.max,
			windowSeconds: window.windowMs / 1000,
			used,
			usedByOthers: Math.round(window.foreign.usedIn(window.windowMs)),
			remaining: Math.max(0, window.room - used),
			availableInMs: Math.ceil(waitMs),
			queued,
		};
	});
}
