/**
 * When a request may go: the limiters of this process, one per key, shared by all nodes, workflows and
 * executions. Nothing of n8n or HTTP is known here.
 */
import { KeyLimiter } from './keyLimiter';

export type { Priority } from './bottleneck';
export {
	GENERAL,
	holdMsOf,
	LARGEST_MAX,
	type Limit,
	type Limits,
	limitsOfScope,
	longestWindowMs,
	windowName,
} from './limits';
export type { Permit } from './permit';
export { limitStoreOf, type RedisLimitStore } from './redis/redisLimitStore';
export { PAUSE, REFUSAL, type WaitCause, WaitTooLongError } from './waitTime';

/**
 * On the global object, because n8n may load this package twice (an update, a second path): two copies
 * that count for themselves would break the limits together.
 */
const LIMITERS = Symbol.for('n8n-nodes-business-data/limiters/1');

type GlobalWithLimiters = typeof globalThis & { [LIMITERS]?: Map<string, KeyLimiter> };

/**
 * The limiter of a key. Do not keep it: it is remembered only while anything of the key is queued, held, ticketed or
 * known of other clients.
 * @param identity stands for the service and the key, without naming the key
 */
export function limiterOf(identity: string): KeyLimiter {
	const global = globalThis as GlobalWithLimiters;
	const all = (global[LIMITERS] ??= new Map<string, KeyLimiter>());
	const limiter: KeyLimiter =
		all.get(identity) ??
		new KeyLimiter((isIdle) => {
			if (!isIdle) all.set(identity, limiter);
			else if (all.get(identity) === limiter) all.delete(identity);
		});
	return limiter;
}
