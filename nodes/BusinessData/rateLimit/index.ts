/**
 * When a request may go: the limiters of this process, one per key, shared by all nodes, workflows and
 * executions. Nothing of n8n or HTTP is known here.
 */
import { type Foreseen, KeyLimiter, type RoomRequest } from './keyLimiter';
import type { Ledger } from './ledger';
import type { Limits } from './limits';
import type { WindowStatus } from './status';

export type { Priority } from './bottleneck';
export type { Ledger } from './ledger';
export type { Foreseen } from './keyLimiter';
export {
	GENERAL,
	holdMsOf,
	type Limit,
	type Limits,
	limitsOfScope,
	longestWindowMs,
	windowName,
} from './limits';
export type { Permit } from './permit';
export { RedisLedger } from './redis/redisLedger';
export type { WindowStatus } from './status';
export { REFUSAL, type WaitCause, WaitTooLongError } from './wait';

/**
 * On the global object, because n8n may load this package twice (an update, a second path): two copies
 * that count for themselves would break the limits together.
 */
const LIMITERS = Symbol.for('n8n-nodes-business-data/limiters/1');

type GlobalWithLimiters = typeof globalThis & { [LIMITERS]?: Map<string, KeyLimiter> };

function limiters(): Map<string, KeyLimiter> {
	const global = globalThis as GlobalWithLimiters;
	return (global[LIMITERS] ??= new Map<string, KeyLimiter>());
}

/**
 * The limiter of a key, made on first use. Do not keep it: it is dropped when nothing is queued or held
 * any more.
 * @param identity stands for the service and the key, without naming the key
 */
export function limiterOf(identity: string): KeyLimiter {
	const all = limiters();
	let limiter = all.get(identity);
	if (limiter === undefined) {
		const made = new KeyLimiter(identity, () => {
			if (all.get(identity) === made) all.delete(identity);
		});
		all.set(identity, (limiter = made));
	}
	return limiter;
}

/**
 * The state of every window of a key; all of them free when the key was not used lately.
 * @throws RedisError when the ledger cannot be used
 */
export async function statusOfKey(
	identity: string,
	limits: Limits,
	ledger?: Ledger,
): Promise<WindowStatus[]> {
	return await knownLimiterOf(identity).status(limits, ledger);
}

/** See `KeyLimiter.promise`. */
export async function promiseRoom(identity: string, request: RoomRequest): Promise<number> {
	// What keeps promises elsewhere leaves nothing to remember here.
	const isKept = request.ledger === undefined;
	return await (isKept ? limiterOf(identity) : knownLimiterOf(identity)).promise(request);
}

/** See `KeyLimiter.withdraw`. */
export async function withdrawPromise(
	identity: string,
	promise: Foreseen & { name: string },
): Promise<void> {
	await knownLimiterOf(identity).withdraw(promise);
}

/** See `KeyLimiter.outlook`. */
export async function outlookOfKey(identity: string, foreseen: Foreseen, count: number) {
	return await knownLimiterOf(identity).outlook(foreseen, count);
}

/** The limiter of a key, to ask it; one that knows of nothing when the key was not used lately. */
function knownLimiterOf(identity: string): KeyLimiter {
	return limiters().get(identity) ?? new KeyLimiter(identity, () => undefined);
}
