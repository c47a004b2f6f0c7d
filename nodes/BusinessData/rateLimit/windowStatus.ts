/** What the windows of a key look like from outside. */
import type { Ledger } from './ledger';
import type { Pauses } from './pauses';
import { waitFor, type WindowSet } from './windowSet';

export interface WindowStatus {
	/** For example `general/60s`. */
	limit: string;
	max: number;
	windowSeconds: number;
	/** Slots held: by this process, or by all that share the ledger. */
	used: number;
	remaining: number;
	/** When (ms from now) one more request can go out at the earliest. */
	availableInMs: number;
	/** Requests of this process that wait. */
	queued: number;
}

/**
 * One entry per window, general ones first.
 * @param waiting how many requests wait, by scope
 * @throws RedisError when the ledger cannot be used
 */
export async function statusOfWindows(
	identity: string,
	windows: WindowSet,
	pauses: Pauses,
	waiting: ReadonlyMap<string, number>,
	ledger: Ledger | undefined,
): Promise<WindowStatus[]> {
	const scopes = [undefined, ...windows.scopes];
	const all = scopes.flatMap((scope) => {
		const ofScope = scope === undefined ? windows.general() : windows.ofScope(scope);
		return ofScope.map((window) => ({ scope, window }));
	});
	const allQueued = [...waiting.values()].reduce((sum, count) => sum + count, 0);
	const shared = await ledger?.use(
		identity,
		all.map(({ window }) => window),
	);
	return all.map(({ scope, window }, index) => {
		const queued = scope === undefined ? allQueued : (waiting.get(scope) ?? 0);
		const used = Math.max(window.used, shared?.[index]?.used ?? 0);
		const waitMs = Math.max(
			pauses.leftMs(scope),
			waitFor([window], queued),
			shared?.[index]?.availableInMs ?? 0,
		);
		return {
			limit: window.name,
			max: window.max,
			windowSeconds: window.windowMs / 1000,
			used,
			remaining: Math.max(0, window.max - used),
			availableInMs: Math.ceil(waitMs),
			queued,
		};
	});
}
