/** When a request may go: the limiters of this process, one per key. Nothing of n8n or HTTP is known here. */
import { processWide } from '../values/processWide';
import { KeyLimiter } from './keyLimiter';

export * from './limits';
export type { Permit } from './permit';
export { limitStoreOf, type RedisLimitStore } from './redis/redisLimitStore';
export { PAUSE, REFUSAL, WaitTooLongError } from './waitTime';

/** Two copies of the package that count for themselves would break the limits together. */
const limiters = processWide('limiters/1', () => new Map<string, KeyLimiter>());

/** The limiter of a key, by a hash of service and key. Do not keep it: it lasts only while the key has something open. */
export function limiterOf(identity: string): KeyLimiter {
	const all = limiters();
	const limiter: KeyLimiter =
		all.get(identity) ??
		new KeyLimiter((isIdle) => {
			if (!isIdle) all.set(identity, limiter);
			else if (all.get(identity) === limiter) all.delete(identity);
		});
	return limiter;
}
